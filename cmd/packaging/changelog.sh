#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# changelog.sh vX.Y.Z [FILE]: prints that version's section of CHANGELOG.md; fails if it is missing.
set -euo pipefail

readonly version=${1#v} file=${2:-$(dirname "${BASH_SOURCE[0]}")/../../CHANGELOG.md}
section=$(awk -v version="$version" '
  /^## / { on = index($0, "## [" version "]") == 1; next }
  on' "$file" | sed -e '/./,$!d')
[[ $section == *[![:space:]]* ]] || { echo "error: CHANGELOG.md has no section of version $version" >&2; exit 2; }
printf '%s\n' "$section"
