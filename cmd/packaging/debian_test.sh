#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# debian_test.sh: which versions of sources are fetched from mirrors that do not have every file
# that they list, with an apt-get and an apt-cache that read two folders.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

folder=$(mktemp -d)
readonly folder packaging=$PWD
trap 'rm -rf "$folder"' EXIT
complain() { echo "$*"; exit 1; }

# listed/PACKAGE has one version per line; stored/ has the files that can be downloaded.
mkdir "$folder"/{bin,listed,stored,sources}
cat >"$folder/bin/apt-get" <<'END'
#!/usr/bin/env bash
name=${!#} only=''
[[ " $* " != *' --download-only '* ]] || only=yes
package=${name%%[=/]*}
case $name in
  *=*) version=${name#*=} ;;
  */*) version=$(tail -n 1 "$FOLDER/listed/$package") ;;
  *) version=$(head -n 1 "$FOLDER/listed/$package") ;;
esac
missing=0
for file in "${package}_$version.dsc" "${package}_${version%-*}.orig.tar.gz"; do
  [[ -f $file ]] || cp "$FOLDER/stored/$file" . 2>/dev/null || missing=1
done
[[ $missing == 0 ]] || { echo "E: Failed to fetch some archives." >&2; exit 100; }
[[ $only ]] || mkdir "$package-${version%-*}"
END
cat >"$folder/bin/apt-cache" <<'END'
#!/usr/bin/env bash
sed 's/^/Version: /' "$FOLDER/listed/${!#}"
END
chmod +x "$folder"/bin/*
export FOLDER=$folder PATH="$folder/bin:$PATH"

list() { # PACKAGE VERSION...
  printf '%s\n' "${@:2}" >"$folder/listed/$1"
}
store() { # PACKAGE VERSION...
  local version
  for version in "${@:2}"; do
    printf 'Source: %s\nVersion: %s\n' "$1" "$version" >"$folder/stored/$1_$version.dsc"
    touch "$folder/stored/$1_${version%-*}.orig.tar.gz"
  done
}
# fetch PACKAGE...: prints the unpacked folders and the versions that the program would name.
fetch() {
  rm -rf "$folder/sources" && mkdir "$folder/sources"
  bash -euc 'source "$1/debian.sh"; cd "$folder/sources"; "${@:2}"' "$packaging/." "$packaging" "$@" 2>"$folder/errors" || return
  (cd "$folder/sources" && ls -d ./*/ && cat ./*.dsc && cat outdated 2>/dev/null) | tr '\n' ' '
}
export folder
expect() { # EXPECTED WORD...
  local printed status=0
  printed=$(fetch "${@:2}") || status=$?
  [[ $printed == "$1" ]] || complain "${*:2}: exit $status: $printed, not $1: $(<"$folder/errors")"
}

list libzstd 1.5.5-5+u1 1.5.4-5
store libzstd 1.5.5-5+u1 1.5.4-5
expect './libzstd-1.5.5/ Source: libzstd Version: 1.5.5-5+u1 ' fetch_sources libzstd

# the update is listed, but neither of its files exists: the version before, and it is recorded
rm "$folder"/stored/libzstd_1.5.5*
expect './libzstd-1.5.4/ Source: libzstd Version: 1.5.4-5 libzstd 1.5.5-5+u1 1.5.4-5 ' fetch_sources libzstd

# a description without its original source does not name the program's version
store libzstd 1.5.5-5+u1
rm "$folder/stored/libzstd_1.5.5.orig.tar.gz"
expect './libzstd-1.5.4/ Source: libzstd Version: 1.5.4-5 libzstd 1.5.5-5+u1 1.5.4-5 ' fetch_sources libzstd

# several updates: the newest that exists, not the release's
list lz4 1.9-10+u3 1.9-10+u2 1.9-9
store lz4 1.9-10+u2 1.9-9
expect './lz4-1.9/ Source: lz4 Version: 1.9-10+u2 lz4 1.9-10+u3 1.9-10+u2 ' fetch_sources lz4

list openssl 3.0.20-1 3.0.19-1
store openssl 3.0.19-1
expect './openssl-3.0.19/ Source: openssl Version: 3.0.19-1 openssl 3.0.20-1 3.0.19-1 ' fetch_openssl

rm "$folder"/stored/lz4*
status=0
fetch fetch_sources lz4 >/dev/null || status=$?
[[ $status != 0 && $(<"$folder/errors") == *'the mirror has no source of lz4: it lists 1.9-10+u3, 1.9-10+u2, 1.9-9' ]] ||
  complain "nothing stored: exit $status: $(<"$folder/errors")"

# ./dev package prints a warning; with --newest it is an error
report() {
  bash -euc 'say() { echo "$*"; }; die() { say "error: $*"; exit 2; }; newest=$2; source "$1/packages.sh"; report_outdated "$3"' \
    "$packaging/." "$packaging" "$1" "$folder"
}
[[ -z $(report yes) ]] || complain 'a warning without a reason'
echo 'lz4 1.9-10+u3 1.9-10+u2' >"$folder/outdated"
warning="warning: Debian's mirror lacks the source of lz4 1.9-10+u3: the program contains 1.9-10+u2"
[[ $(report no) == "$warning" ]] || complain "a warning: $(report no)"
status=0
printed=$(report yes) || status=$?
[[ $status == 2 && $printed == "$warning"$'\nerror: --newest:'* ]] || complain "--newest: exit $status: $printed"
