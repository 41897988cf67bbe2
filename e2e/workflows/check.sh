#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh: checks .github/workflows with actionlint, whose version is pinned here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
sh ../preflight.sh workflows
go build -o "${TMPDIR:-/tmp}/dsdoctor-actionlint.$$" github.com/rhysd/actionlint/cmd/actionlint
trap 'rm -f "${TMPDIR:-/tmp}/dsdoctor-actionlint.$$"' EXIT
workflows=(../../.github/workflows/*.yml)
"${TMPDIR:-/tmp}/dsdoctor-actionlint.$$" "${workflows[@]}"
# An action must be pinned to a commit: a tag can be moved.
if grep -hE '^ *(- )?uses: ' "${workflows[@]}" | grep -vE 'uses: (\./|[^@]+@[0-9a-f]{40} # v)'; then
  echo 'error: an action without the commit that is meant' >&2
  exit 1
fi
echo "workflows: ${#workflows[@]} files, nothing found"
