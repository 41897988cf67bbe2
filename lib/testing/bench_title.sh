#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the title of recorded figures: the day, the commit, the processor and its cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
printf '%s, %s, %d × %s\n' "$(date -u +%F)" "$(git describe --always)" "$(nproc)" \
  "$(sed -nE 's/^model name\s*: (.*)/\1/p' /proc/cpuinfo | head -n 1)"
