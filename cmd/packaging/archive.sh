#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# archive.sh PROGRAM ROOT SOURCES ARCHIVE: packs the program, its licence and those of its
# libraries, its manual page, and completion scripts. Reproducible: SOURCE_DATE_EPOCH dates all
# files. Next to the archive it writes lists of the linked libraries (sbom.sh).
set -euo pipefail

readonly program=$1 root=$2 sources=$3 archive=$4
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly tree
stage=$(mktemp -d)
readonly stage
trap 'rm -rf "$stage"' EXIT

"$tree/cmd/packaging/sbom.sh" "$program" "$root" "$archive"
install -m 644 "$tree"/completions/dsdoctor.{bash,fish,zsh} "$stage"
# The page in the tree has no date.
sed "s/^\(\.TH .* 1 \)\"\"/\1\"$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)\"/" "$tree/docs/kubectl-dsdoctor.1" >"$stage/kubectl-dsdoctor.1"
chmod 644 "$stage/kubectl-dsdoctor.1"

# Debian's copyright file of each package, without duplicates.
third_party_licenses() {
  local file name
  echo 'kubectl-dsdoctor contains the libraries named below. What follows are their licences and'
  echo "copyright notices as Debian states them; the linker's choice decides which parts are used."
  for file in "$root"/usr/share/doc/*/copyright "$sources"/*/debian/copyright; do
    [[ $file != */linux-libc-dev/* ]] || continue # its headers add nothing to the program
    name=${file%/copyright}
    name=${name%/debian}
    printf '\n======== %s ========\n\n' "${name##*/}"
    cat "$file"
  done
}

install -m 755 "$program" "$stage"
install -m 755 "$tree/completions/kubectl_complete-dsdoctor" "$stage"
install -m 644 "$tree/LICENSE" "$stage"
third_party_licenses >"$stage/THIRD_PARTY_LICENSES"
chmod 644 "$stage/THIRD_PARTY_LICENSES"

if [[ $archive == *.zip ]]; then # for Windows
  # On Windows the helper is a copy of the program, which acts by its name.
  rm -f "$stage/kubectl_complete-dsdoctor"
  find "$stage" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
  packed=$(realpath -m "$archive")
  rm -f "$packed"
  (cd "$stage" && TZ=UTC zip -q -X -9 "$packed" -- *)
  exit 0
fi

# Krew accepts neither links nor a leading "./".
(cd "$stage" && LC_ALL=C tar --create --format=ustar --sort=name --hard-dereference \
  --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -- *) | gzip -9n >"$archive"
