#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the commits since the one that is named in commits_checked_since, which the first run of this check
# followed: subjects, bodies, and that a changed transcript has its line in CHANGELOG.md.
#   lib/testing/check_commits.sh [RANGE]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly since=lib/testing/commits_checked_since
readonly widest=72
found=0

complain() {
  printf '%s: %s: %s\n' "$(git log -1 --format=%h "$1")" "$2" "$(git log -1 --format=%s "$1")" >&2
  found=1
}

check_commit() {
  local commit=$1 subject body changed
  subject=$(git log -1 --format=%s "$commit")
  body=$(git log -1 --format=%b "$commit")
  ((${#subject} <= widest)) || complain "$commit" "the subject has ${#subject} columns, more than $widest"
  [[ $subject =~ ^[a-z0-9][a-z0-9\ ,/_.-]*:\ [^\ ] ]] || complain "$commit" "the subject is not 'area: what changed'"
  [[ -n $body ]] || complain "$commit" 'no body: symptom, cause, fix'
  changed=$(git diff-tree --no-commit-id --name-only -r "$commit")
  if grep -q '^testdata/scenarios/.*\.transcript$' <<<"$changed" && ! grep -qx CHANGELOG.md <<<"$changed" &&
    ! grep -q '^No change for users: .' <<<"$body"; then
    complain "$commit" "a transcript changed without a line in CHANGELOG.md or 'No change for users: why' in the body"
  fi
}

main() {
  local range=${1:-} base commits commit
  if [[ -z $range ]]; then
    base=$(cat "$since")
    git merge-base --is-ancestor "$base" HEAD 2>/dev/null || {
      echo "error: commit $base of $since is not in this history; a shallow clone needs: git fetch --unshallow" >&2
      exit 2
    }
    range=$base..HEAD
  fi
  mapfile -t commits < <(git rev-list --no-merges "$range")
  for commit in "${commits[@]}"; do check_commit "$commit"; done
  echo "commits: ${#commits[@]} checked" >&2
  return "$found"
}

main "$@"
