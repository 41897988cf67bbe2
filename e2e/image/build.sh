#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh FOLDER VERSION CACHE: builds FOLDER/image, an OCI layout of the Linux archives in FOLDER,
# twice, and reads it, and FOLDER/dsdoctor-deploy.yaml, the objects of deploy/base with the image by
# digest. It does not push; to push: go tool crane push --index FOLDER/image REGISTRY/NAME:TAG
set -euo pipefail

dist=$(realpath "$1")
readonly dist version=$2 cache=$3/image
cd "$(dirname "${BASH_SOURCE[0]}")"
sh ../preflight.sh image
mkdir -p "$cache"
go vet ./...
go build -o "$cache/image" .
go test -c -o "$cache/check" .
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
digest=$("$cache/image" "$dist" "$version" "$revision" "$dist/image" ../../deploy/base)
[[ $("$cache/image" "$dist" "$version" "$revision" "$cache/again") == "$digest" ]] || { echo 'error: two builds differ' >&2; exit 1; }
diff -r "$dist/image" "$cache/again"
DSDOCTOR_DIST=$dist DSDOCTOR_VERSION=$version "$cache/check"
echo "$digest  dist/image"
