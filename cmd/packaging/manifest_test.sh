#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# manifest_test.sh: the manifests for Krew, Homebrew and Scoop, for empty archives.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

dist=$(mktemp -d)
readonly dist
trap 'rm -rf "$dist"' EXIT
failed=0
complain() { echo "$*"; failed=1; }
expect() { [[ $2 == "$3" ]] || complain "$1:"$'\n'"$2"$'\n'"expected:"$'\n'"$3"; }

readonly address=https://github.com/kubectl-dsdoctor/kubectl-dsdoctor/releases/download/v1.2.3
readonly archives=(linux_amd64.tar.gz linux_arm64.tar.gz darwin_amd64.tar.gz darwin_arm64.tar.gz windows_amd64.zip)
for archive in "${archives[@]}"; do echo "$archive" >"$dist/kubectl-dsdoctor_v1.2.3_$archive"; done
sha() { sha256sum "$dist/kubectl-dsdoctor_v1.2.3_$1" | cut -d ' ' -f 1; }

# All platforms.
bash manifest.sh v1.2.3 "$dist" --all >"$dist/dsdoctor.yaml" || complain "all archives are there"
for archive in "${archives[@]}"; do
  program=kubectl-dsdoctor
  [[ $archive != windows* ]] || program+=.exe
  expected="        os: ${archive%%_*}
        arch: $(sed -E 's/.*_([a-z0-9]+)\..*/\1/' <<<"${archive%.tar.gz}.")
    uri: $address/kubectl-dsdoctor_v1.2.3_$archive
    sha256: $(sha "$archive")
    bin: $program"
  expect "$archive in the Krew manifest" "$(grep -B 2 -A 2 -F "_$archive" "$dist/dsdoctor.yaml")" "$expected"
done

bash formula.sh "$dist"
if command -v ruby >/dev/null; then
  ruby -wc "$dist/kubectl-dsdoctor.rb" >/dev/null || complain "the formula is no Ruby"
  line() { echo "$1 $2 1.2.3 $address/kubectl-dsdoctor_v1.2.3_$3 $(sha "$3")"; }
  expect formula "$(ruby formula_test.rb "$dist/kubectl-dsdoctor.rb")" "$(line macos arm darwin_arm64.tar.gz)
$(line macos intel darwin_amd64.tar.gz)
$(line linux arm linux_arm64.tar.gz)
$(line linux intel linux_amd64.tar.gz)
install bin: kubectl-dsdoctor
install bin: kubectl_complete-dsdoctor
install man1: kubectl-dsdoctor.1
install bash_completion: dsdoctor.bash as kubectl-dsdoctor
install zsh_completion: dsdoctor.zsh as _kubectl-dsdoctor
install fish_completion: dsdoctor.fish as kubectl-dsdoctor.fish"
fi
if command -v python3 >/dev/null; then
  # shellcheck disable=SC2016
  expect "Scoop's manifest" "$(python3 -c '
import json, sys
m = json.load(open(sys.argv[1]))
program = m["architecture"]["64bit"]
assert set(m) <= {"version", "description", "homepage", "license", "architecture", "bin", "checkver", "autoupdate"}
print(m["version"], program["url"], program["hash"], m["bin"][0])
print(m["autoupdate"]["architecture"]["64bit"]["url"].replace("$version", "1.2.3") == program["url"])
' "$dist/kubectl-dsdoctor.json")" \
    "1.2.3 $address/kubectl-dsdoctor_v1.2.3_windows_amd64.zip $(sha windows_amd64.zip) kubectl-dsdoctor.exe
True"
fi

# Some platforms: the others are omitted, and a release fails.
rm "$dist"/*_{windows_amd64.zip,darwin_arm64.tar.gz}
if said=$(bash manifest.sh v1.2.3 "$dist" --all 2>&1 >/dev/null); then complain "a release with missing archives"; fi
expect "what is missing" "$said" "error: $dist has no kubectl-dsdoctor_v1.2.3_darwin_arm64.tar.gz kubectl-dsdoctor_v1.2.3_windows_amd64.zip; a release has the archives of all platforms"
bash manifest.sh v1.2.3 "$dist" >"$dist/dsdoctor.yaml"
expect "platforms that are left" "$(sed -nE 's/^ +(os|arch): //p' "$dist/dsdoctor.yaml" | paste -sd ' ')" \
  "linux amd64 linux arm64 darwin amd64"
bash formula.sh "$dist"
[[ ! -e $dist/kubectl-dsdoctor.json ]] || complain "a manifest for Scoop without a program for Windows"
rm "$dist"/*_darwin_*
bash manifest.sh v1.2.3 "$dist" >"$dist/dsdoctor.yaml"
bash formula.sh "$dist"
! grep -q on_macos "$dist/kubectl-dsdoctor.rb" || complain "a formula for macOS without a program for it"
exit "$failed"
