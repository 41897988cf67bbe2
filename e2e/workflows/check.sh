#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh CACHE: checks .github with actionlint and zizmor, whose versions are pinned here; the second
# is installed in CACHE/workflows. Neither asks a server about the repository.
set -euo pipefail
readonly cache=$1/workflows
cd "$(dirname "${BASH_SOURCE[0]}")"
sh ../preflight.sh workflows
mkdir -p "$cache"
go build -o "$cache/actionlint" github.com/rhysd/actionlint/cmd/actionlint
if ! cmp -s requirements.txt "$cache/requirements.txt"; then
  rm -rf "$cache/venv"
  python3 -m venv "$cache/venv" || { echo 'error: python3-venv is missing' >&2; exit 2; }
  "$cache/venv/bin/pip" -q --disable-pip-version-check install --require-hashes -r requirements.txt || {
    echo 'error: zizmor cannot be installed from the index of Python packages' >&2
    exit 2
  }
  cp requirements.txt "$cache"
fi
workflows=(../../.github/workflows/*.yml)
"$cache/actionlint" "${workflows[@]}"
# Credentials left for later steps, caches in jobs that publish, texts of
# others in scripts, permissions.
"$cache/venv/bin/zizmor" --offline --quiet --config ../../.github/zizmor.yml ../../.github || {
  echo 'error: zizmor found something' >&2
  exit 1
}
# An action must be pinned to a commit, with the version that it is: a tag can be moved.
if grep -hE '^ *(- )?uses: ' "${workflows[@]}" | grep -vE 'uses: (\./|[^@]+@[0-9a-f]{40} # v)'; then
  echo 'error: an action without the commit that is meant' >&2
  exit 1
fi
# The same for images of jobs: zizmor accepts a tag.
if grep -hE '^ *(container|image): *[a-z]' "${workflows[@]}" | grep -v '@sha256:'; then
  echo 'error: an image without its digest' >&2
  exit 1
fi
# A workflow runs every part of .ci/run.
parts=$(sed -nE 's/^readonly all=\((.*)\)/\1/p' ../../.ci/run)
grep -qF "part: [${parts// /, }]" ../../.github/workflows/ci.yml || {
  echo "error: ci.yml does not run the parts of .ci/run: $parts" >&2
  exit 1
}
echo "workflows: ${#workflows[@]} files, nothing found"
