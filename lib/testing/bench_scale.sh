#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures whole runs on synthetic clusters, and runs of jq on the same files, which only parse
# them:
#   lib/testing/bench_scale.sh [--record] ["NODES DAEMONSETS PODS"]...
# PODS is a word of synthetic_cluster.h. Prints the ratios first, then the cost of each command,
# then the growth of CPU time: an exponent of 1 is linear; last, what YAML costs beside JSON.
# --record appends the figures to lib/testing/scale_history.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly tool=build/ci/lib/testing/dsdoctor_scale_bench program=build/ci/cmd/kubectl-dsdoctor
readonly history=lib/testing/scale_history.md
readonly most_for_jq=800000000 # bytes; jq takes 15 times as much memory
record=no shapes=()
for argument in "$@"; do
  if [[ $argument == --record ]]; then record=yes; else shapes+=("$argument"); fi
done
((${#shapes[@]})) || shapes=(
  '500 20 missing' '5000 20 missing' '20000 20 missing' '100000 20 missing'
  '500 60 missing' '5000 60 missing' '20000 60 missing' '100000 60 missing'
  '500 200 missing' '5000 200 missing' '20000 200 missing' '100000 200 missing'
  '500 20 healthy' '5000 20 healthy' '500 200 healthy' '5000 60 healthy'
  '5000 20 one-fault'
  '500 20 faulty' '5000 20 faulty' '500 200 faulty')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Appends "NODES DAEMONSETS PODS BYTES NAME WALL CPU MB EXIT" to $work/costs.
measure() { # SHAPE NAME WORD...
  local shape=$1 name=$2 wall cpu memory exit
  shift 2
  read -r wall _ _ cpu _ _ memory _ _ exit < <("$tool" measure "$@")
  printf '%s %s %s %s %s %s %s\n' "$shape" "$bytes" "$name" "$wall" "$cpu" "$memory" "$exit" >>"$work/costs"
}

for shape in "${shapes[@]}"; do
  file=$work/cluster.json
  # shellcheck disable=SC2086
  "$tool" write $shape >"$file"
  bytes=$(stat -c %s "$file")
  printf 'measuring %s: %d MB\n' "$shape" $((bytes / 1000000)) >&2
  measure "$shape" taints "$program" taints -f "$file"
  measure "$shape" check "$program" check -A -f "$file"
  measure "$shape" explain "$program" explain ds-001 -n ns-001 -f "$file"
  measure "$shape" diff-nodes "$program" diff-nodes -A -f "$file"
  measure "$shape" suggest "$program" suggest -A -f "$file"
  measure "$shape" snapshot "$program" snapshot "$work/cluster.zst" --force -f "$file"
  ((bytes > most_for_jq)) || measure "$shape" jq jq '.items|length' "$file"
done

# Prints the report. A CPU time that is too small to be measured counts as 0.01 s.
awk '
  function at_least(cpu) { return cpu < 0.01 ? 0.01 : cpu }
  function note(key, size, cpu) {
    if (!(key in low) || size < low[key]) { low[key] = size; least[key] = cpu }
    if (size > high[key]) { high[key] = size; most[key] = cpu }
  }
  {
    shape = sprintf("%d x %d %s", $1, $2, $3)
    if (!(shape in bytes)) shapes[++count] = shape
    bytes[shape] = $4; pairs[shape] = $1 * $2
    wall[shape, $5] = $6; cpu[shape, $5] = at_least($7); memory[shape, $5] = $8; exit_code[shape, $5] = $9
    if ($5 == "jq") next
    note($5 " in nodes, " $2 " DaemonSets " $3, $1, cpu[shape, $5])
    note($5 " in DaemonSets, " $1 " nodes " $3, $2, cpu[shape, $5])
  }
  END {
    print "check -A beside jq, which only parses the file; reading is what taints takes"
    printf "%-22s %9s %9s %9s %12s %14s\n", "", "CPU", "memory", "file", "reading", "judging"
    for (i = 1; i <= count; i++) {
      s = shapes[i]
      beyond = cpu[s, "check"] - cpu[s, "taints"]
      printf "%-22s", s
      if ((s, "jq") in cpu) printf " %9.3f %9.3f", cpu[s, "check"] / cpu[s, "jq"], memory[s, "check"] / memory[s, "jq"]
      else printf " %9s %9s", "-", "-"
      printf " %6d MB %7.0f MB/s", bytes[s] / 1e6, bytes[s] / 1e6 / cpu[s, "taints"]
      if (beyond > 0.005) printf " %5.1f M pairs/s", pairs[s] / 1e6 / beyond
      printf "\n"
    }
    commands = split("taints check explain diff-nodes suggest snapshot jq", command, " ")
    print "\nseconds of wall time, seconds of CPU, MB of memory, exit code"
    for (i = 1; i <= count; i++) {
      print shapes[i]
      for (c = 1; c <= commands; c++)
        if ((shapes[i], command[c]) in cpu)
          printf "  %-12s %8.2f %8.2f %8d %4d\n", command[c], wall[shapes[i], command[c]],
            cpu[shapes[i], command[c]], memory[shapes[i], command[c]], exit_code[shapes[i], command[c]]
    }
    print "\nexponent of CPU, from the smallest to the largest of a kind"
    for (key in low) if (high[key] > low[key])
      printf "%-52s %.2f\n", key, log(most[key] / least[key]) / log(high[key] / low[key]) | "sort"
  }' "$work/costs" | tee "$work/report"

{
  printf '\ncheck -A of troubled_cluster.h: seconds of CPU as JSON and as YAML\n'
  for shape in '112 64' '500 60'; do
    cpu=()
    for notation in json yaml; do
      # shellcheck disable=SC2086
      "$tool" write-troubled $shape "$notation" >"$work/troubled.$notation"
      cpu+=("$("$tool" measure "$program" check -A -f "$work/troubled.$notation" | awk '{ print $4 }')")
    done
    awk -v shape="${shape/ / x }" -v json="${cpu[0]}" -v yaml="${cpu[1]}" \
      'BEGIN { printf "%-22s %8.3f %8.3f %6.2f times\n", shape, json, yaml, yaml / json }'
  done
} | tee -a "$work/report"

# shellcheck disable=SC2016 # a fence of Markdown
[[ $record == no ]] || printf '\n## %s, files\n\n```\n%s\n```\n' "$(lib/testing/bench_title.sh)" "$(cat "$work/report")" >>"$history"
