#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures clusters in which no two nodes are alike (cluster_shapes.h), each at two sizes:
#   lib/testing/bench_shapes.sh ["SHAPE NODES DAEMONSETS"]...    of the larger one
# Prints CPU beyond reading, memory beside the bound of docs/files.md (64 MB and 6 times the size),
# and the exponent from the smaller size, with half the nodes and DaemonSets: 1 is linear in pairs
# if both have an influence, in nodes or namespaces if only these have.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly tool=build/ci/lib/testing/dsdoctor_scale_bench program=build/ci/cmd/kubectl-dsdoctor
shapes=("$@")
((${#shapes[@]})) || shapes=(
  'hosts 5000 400' 'hosts-healthy 2000 2000' 'own-all 2000 2000' 'owners 2000 20' 'own-keys 400 400'
  'ten-taints 2000 20' 'namespaces 30000 1' 'near-labels 100000 3' 'pools 5000 400')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cost() { # WORD...: CPU and memory
  local cpu memory
  read -r _ _ _ cpu _ _ memory _ < <("$tool" measure "$program" "$@" -f "$work/cluster.json")
  printf '%s %s' "$cpu" "$memory"
}

printf '%-24s %-12s %10s %10s %10s %9s\n' shape command 'CPU' 'memory' 'bound' 'exponent'
for shape in "${shapes[@]}"; do
  read -r name nodes daemon_sets <<<"$shape"
  smaller=$(((daemon_sets + 1) / 2))
  for size in "$((nodes / 2)) $smaller" "$nodes $daemon_sets"; do
    # shellcheck disable=SC2086
    "$tool" shape "$name" $size >"$work/cluster.json"
    bytes=$(stat -c %s "$work/cluster.json")
    read -r reading _ <<<"$(cost taints)"
    for command in check explain suggest; do
      printf '%s %s %s %s %s %s\n' "$name" "$size" "$command" "$bytes" "$reading" "$(cost "$command" -A)"
    done
  done
done | awk '
  { key = $1 " " $4; cpu = $7 - $6 < 0.01 ? 0.01 : $7 - $6; pairs = $1 == "namespaces" ? $2 : $2 * $3 }
  key in before { printf "%-24s %-12s %8.2f s %7d MB %7d MB %9.2f\n", $1 " " $2 " " $3, $4, cpu, $8, 64 + 6 * $5 / 1e6,
      log(cpu / before[key]) / log(pairs / size[key]); next }
  { before[key] = cpu; size[key] = pairs }'
