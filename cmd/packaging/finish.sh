#!/usr/bin/env bash
# finish.sh VERSION FOLDER [--all]: writes what goes with the archives in FOLDER: what Krew, Homebrew and Scoop
# install from, install.sh, and the checksums. --all: archives of all platforms have to be there.
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
