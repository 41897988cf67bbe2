#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# set_version.sh vX.Y.Z: writes the version into all files of the tree that contain it, dates its
# section of CHANGELOG.md, and replaces what documents say while there is no release: the paragraphs
# between <!-- unreleased --> and <!-- /unreleased -->, and how README installs the program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly version=${1#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "error: not a version: $1 (vX.Y.Z)" >&2; exit 2; }
old=$(cmd/packaging/version.sh)
old=${old#v}
readonly old
sed -i -E "s/^(project\(.* VERSION )[0-9.]+/\1$version/" CMakeLists.txt
sed -i -E "s/^(\.TH .*kubectl\\\\-dsdoctor )[0-9.]+/\1$version/" docs/kubectl-dsdoctor.1
sed -i -E "s/(kubectl-dsdoctor[-_])${old//./\\.}(-1)/\1$version\2/g" docs/install.md
sed -i '/^<!-- unreleased -->$/,/^<!-- \/unreleased -->$/ { /^<!-- \/unreleased -->$/ { N; d }; d }' docs/*.md
sed -i -e '/^<!-- install -->$/,/^<!-- \/install -->$/ {' \
  -e '/^<!-- \/install -->$/ r cmd/packaging/readme_install.md' -e 'd' -e '}' README.md
sed -i -E "s/v${old//./\\.}([^0-9]|\$)/v$version\1/g" deploy/*/*.yaml docs/{install,in-cluster,security-updates}.md
sed -i -E "s/^version: .*/version: $version/" deploy/chart/Chart.yaml
if ! grep -qF "## [$version]" CHANGELOG.md; then
  grep -q '^## \[Unreleased\]' CHANGELOG.md || { echo 'error: CHANGELOG.md has no section [Unreleased]' >&2; exit 2; }
  today=$(date -u ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"} +%F)
  sed -i "s/^## \[Unreleased\].*/## [$version] - $today/" CHANGELOG.md
fi
