#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# manifest.sh VERSION FOLDER [--all]: prints the Krew manifest for the archives in FOLDER, from the
# template krew-manifest.yaml by the rules of krew-release-bot. A platform without an archive is
# omitted; with --all, as for a release, it is an error.
set -euo pipefail

readonly version=$1 folder=$2 all=${3:-}
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly tree

# Prints address and checksum of an archive like the bot's function addURIAndSha.
address() {
  local sha
  sha=$(sha256sum <"$folder/${1##*/}")
  printf '    uri: %s\n    sha256: %s\n' "$1" "${sha%% *}"
}

platform=""
keep=yes
missing=()
while IFS= read -r line; do
  line=${line//'{{ .TagName }}'/$version}
  case $line in
    '#'*) continue ;;
    '  - selector:')
      [[ $keep == no ]] || printf '%s' "$platform"
      platform="" keep=yes
      ;;
    *'{{addURIAndSha "'*)
      uri=${line#*\"}
      uri=${uri%%\"*}
      if [[ -f $folder/${uri##*/} ]]; then line=$(address "$uri"); else keep=no missing+=("${uri##*/}"); fi
      ;;
  esac
  platform+=$line$'\n'
done <"$tree/krew-manifest.yaml"
[[ $keep == no ]] || printf '%s' "$platform"
if [[ $all == --all ]] && ((${#missing[@]})); then
  echo "error: $folder has no ${missing[*]}; a release has the archives of all platforms" >&2
  exit 2
fi
