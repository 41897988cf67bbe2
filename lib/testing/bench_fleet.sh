#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures check --by-file: lib/testing/bench_fleet.sh [CLUSTERS [NODES DAEMONSETS]]
# Prints CPU and memory of one answer about many clusters with problems (troubled_cluster.h), beside
# the sum and the largest of an answer about each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly tool=build/ci/lib/testing/dsdoctor_scale_bench program=build/ci/cmd/kubectl-dsdoctor
readonly clusters=${1:-20} nodes=${2:-500} daemon_sets=${3:-35}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/fleet"
for ((seed = 1; seed <= clusters; ++seed)); do
  "$tool" write-troubled "$nodes" "$daemon_sets" json "$seed" >"$work/fleet/$seed.json"
done

cost() { # WORD...: CPU and memory
  local cpu memory
  read -r _ _ _ cpu _ _ memory _ < <("$tool" measure "$program" "$@")
  printf '%s %s\n' "$cpu" "$memory"
}

printf '%d clusters of %d nodes and %d DaemonSets, %d MB\n' "$clusters" "$nodes" "$daemon_sets" \
  "$(du -sm "$work/fleet" | cut -f1)"
for file in "$work"/fleet/*; do cost check -A -f "$file"; done |
  awk '{ cpu += $1; if ($2 > memory) memory = $2 } END { print cpu, memory }' >"$work/each"
cost check -A --by-file -f "$work/fleet" >"$work/joined"
awk 'NR == 1 { cpu = $1; memory = $2; printf "an answer about each: %.2f s of CPU in all, at most %d MB\n", cpu, memory; next }
     { printf "one answer:           %.2f s of CPU (%.2f of it), %d MB\n", $1, $1 / cpu, $2 }' "$work/each" "$work/joined"
