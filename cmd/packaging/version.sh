#!/bin/sh
# version.sh: prints the version of the tree, as archives and tags have it.
set -eu
sed -nE 's/^project\(.* VERSION ([0-9.]+).*/v\1/p' "$(dirname "$0")/../../CMakeLists.txt"
