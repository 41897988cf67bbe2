#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# version.sh: prints the version of the tree as used in archive names and tags.
set -eu
sed -nE 's/^project\(.* VERSION ([0-9.]+).*/v\1/p' "$(dirname "$0")/../../CMakeLists.txt"
