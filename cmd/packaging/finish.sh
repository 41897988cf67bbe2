#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# finish.sh VERSION FOLDER [--all]: writes the files that go with the archives in FOLDER: manifests
# for Krew, Homebrew and Scoop, install.sh, and the checksums. --all: archives of all platforms must
# exist.
set -euo pipefail

readonly version=$1 folder=$2 all=${3:-}
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly packaging

"$packaging/manifest.sh" "$version" "$folder" "$all" >"$folder/dsdoctor.yaml"
"$packaging/formula.sh" "$folder"
install -m 755 "$packaging/../../install.sh" "$folder"
cd "$folder"
shopt -s nullglob
sha256sum -- *.tar.gz *.zip *.deb *.rpm *.cdx.json *.spdx.json >checksums.txt
cat checksums.txt
