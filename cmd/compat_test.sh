#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compat_test.sh PROGRAM: nothing is removed that the last release had, and a removal of each kind is noticed.
set -euo pipefail

readonly program=$1
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
readonly tree work
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*"; failed=1; }
compat() { python3 -B "$tree/cmd/compat.py" "$program" "${schema:-$tree/docs/answer.schema.json}" "$@"; }

compat "$tree/docs/compat.tsv" || complain 'the program is not compatible with the last release'

: >"$work/recorded"
compat "$work/recorded" --record >/dev/null || complain 'nothing can be recorded'
compat "$work/recorded" >/dev/null || complain 'the recorded program is not compatible with itself'
for line in 'command rbac' 'flag check -A' 'format suggest helm' 'id node-not-ready' 'metric dsdoctor_problem id' \
  'json Explanation.problems always'; do
  grep -qxF "${line/ /$'\t'}" "$work/recorded" || complain "not recorded: $line"
done
for line in 'command gone' 'flag explain --gone' 'format check gone' 'id gone' 'metric dsdoctor_gone gauge' 'json problem.gone'; do
  cp "$work/recorded" "$work/older"
  echo "${line/ /$'\t'}" >>"$work/older"
  if said=$(compat "$work/older" --record); then complain "a removal is not noticed: $line"; fi
  [[ $said == "removed: $line"$'\n'* ]] || complain "$line: $said"
  grep -qxF "${line/ /$'\t'}" "$work/older" || complain "the record was changed: $line"
done
# A field whose type changes is a removal, too.
sed '0,/"type": "boolean"/s//"type": "string"/' "$tree/docs/answer.schema.json" >"$work/schema.json"
if schema=$work/schema.json compat "$work/recorded" >/dev/null; then complain 'a change of a type is not noticed'; fi
exit "$failed"
