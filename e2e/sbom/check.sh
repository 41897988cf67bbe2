#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh FOLDER CACHE: checks the SBOMs in FOLDER against the specifications of CycloneDX and
# SPDX, with their own validators (pinned, in CACHE/sbom), and against the archives. It needs an
# index of Python packages to install them.
set -euo pipefail

dist=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly dist here cache=$2/sbom

if ! cmp -s "$here/requirements.txt" "$cache/requirements.txt"; then
  echo 'installing validators of SBOMs' >&2
  rm -rf "$cache"
  mkdir -p "$cache"
  python3 -m venv "$cache/venv" || { echo 'error: python3-venv is missing' >&2; exit 2; }
  if ! "$cache/venv/bin/pip" -q --disable-pip-version-check install --require-hashes -r "$here/requirements.txt"; then
    echo 'NOT CHECKED: the lists of bundled libraries; no index of Python packages is within reach' >&2
    exit 0
  fi
  cp "$here/requirements.txt" "$cache"
fi
exec "$cache/venv/bin/python" "$here/check.py" "$dist"
