#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# zig.sh FOLDER: downloads FOLDER/zig, the compiler for the macOS and Windows packages: one release,
# verified by its hash.
set -euo pipefail

readonly folder=$1 version=0.17.1
readonly hash=ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54

mkdir -p "$folder"
exec 9>"$folder/zig.lock"
flock 9
if [[ -f $folder/zig/hash && $(<"$folder/zig/hash") == "$hash" ]]; then exit 0; fi
[[ $(uname -m) == x86_64 ]] || { echo 'error: macOS and Windows packages are made on x86-64' >&2; exit 2; }
rm -rf "$folder/zig"
mkdir -p "$folder/zig/download"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
  --dest "$folder/zig/download" -r <(echo "ziglang==$version --hash=sha256:$hash")
python3 -m zipfile -e "$folder"/zig/download/*.whl "$folder/zig"
chmod +x "$folder/zig/ziglang/zig"
rm -r "$folder/zig/download"
echo "$hash" >"$folder/zig/hash"
