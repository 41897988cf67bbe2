#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# next.sh VERSION [--from RELEASE] [--pairs N] [--cases N] [--binary PATH]: what differs between a
# release of Kubernetes and a known one (that of go.mod, or of releases/RELEASE.mod). In a copy of the
# modules it compares placement, fit (with the rules of the known release, then with those that the
# program takes for the new one), the sources of our rules, the feature gates and the table of
# messages. Nothing in the tree is changed. Exit code: 0 nothing differs, 1 something does, 2 error.
set -euo pipefail
start=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"
say() { printf '\n== %s\n' "$*"; }
die() { printf 'next: %s\n' "$*" >&2; exit 2; }

version='' from='' pairs=200000 cases=50000 binary=${DSDOCTOR_BINARY:-}
while (($#)); do
  case $1 in
    --from) from=${2:-} && shift ;;
    --pairs) pairs=${2:-} && shift ;;
    --cases) cases=${2:-} && shift ;;
    --binary) binary=${2:-} && shift ;;
    *) version=${1#v} ;;
  esac
  shift || die "no value after the last flag"
done
[[ $version =~ ^1\.[0-9]+\.[0-9]+(-[a-z]+\.[0-9]+)?$ ]] || die "usage: e2e/next.sh VERSION [--from RELEASE] [--pairs N] [--cases N] [--binary PATH]; a version is 1.38.0 or 1.38.0-rc.1"
[[ -z $binary || $binary == /* ]] || binary=$start/$binary
[[ -x $binary ]] || die "no program: give --binary PATH, or set DSDOCTOR_BINARY"
modules=go.mod
if [[ -n $from ]]; then modules=releases/$from.mod; fi
[[ -f $modules ]] || die "no release $from; there are: $(cd releases && echo *.mod)"
known=$(sed -nE 's/^\tk8s\.io\/kubernetes v([0-9][^ ]*)$/\1/p' "$modules")
[[ $known != "$version" ]] || die "$version is the release of $modules"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
different=0
differs() { different=1; printf '%s\n' "$*"; }

# The folder of a module of a version.
folder() {
  local json
  json=$(go mod download -json "$1") || die "cannot be fetched: $1"
  sed -nE 's/^\t"Dir": "(.*)",?$/\1/p' <<<"$json"
}

# The file of Kubernetes' tree in the modules of a version.
source_of() { # VERSION FILE
  local name
  case $2 in
    staging/src/k8s.io/*)
      name=${2#staging/src/k8s.io/}
      printf '%s/%s' "$(folder "k8s.io/${name%%/*}@v0.${1#1.}")" "${name#*/}"
      ;;
    *) printf '%s/%s' "$(folder "k8s.io/kubernetes@v$1")" "$2" ;;
  esac
}

say "modules: from $known to $version"
tree=$(folder "k8s.io/kubernetes@v$version")
needs=$(awk '$1 == "go" { print $2 }' "$tree/go.mod")
if [[ $(printf '%s\n' "$needs" "$(go env GOVERSION | sed 's/^go//')" | sort -V | head -n 1) != "$needs" ]]; then
  export GOTOOLCHAIN=${GOTOOLCHAIN:-go$needs}
  echo "needs Go $needs: GOTOOLCHAIN=$GOTOOLCHAIN"
fi
cp "$modules" "$work/next.mod"
cp "${modules%.mod}.sum" "$work/next.sum"
sed -i -E "/^toolchain /d; s/ v0\.${known#1.}( |$)/ v0.${version#1.}\1/; s/ v${known}( |$)/ v$version\1/" "$work/next.mod"
edits=(-go="$needs")
while read -r staged; do
  edits+=(-replace="$staged=$staged@v0.${version#1.}")
done < <(sed -nE 's/^\t(k8s\.io\/[a-z0-9-]+) v0\.0\.0$/\1/p' "$tree/go.mod")
go mod edit "${edits[@]}" "$work/next.mod"
go build -mod=mod -modfile="$work/next.mod" -o "$work/oracle" ./cmd/oracle >"$work/log" 2>&1 ||
  { grep -v '^go: \(finding\|downloading\|upgraded\|added\)' "$work/log" | tail -n 20; die "the oracle of $version cannot be built"; }
go build ${from:+-modfile="$modules"} -o "$work/known" ./cmd/oracle

say "placement: $pairs random pairs"
"$work/oracle" compare --binary "$binary" --pairs "$pairs" --seed 1 || differs "placement differs"

say "fit: $cases random cases, with the rules of $known"
"$work/oracle" fit --all --binary "$binary" --cases "$cases" --seed 1 --kubelets "v$known" || differs "the scheduler counts by other rules than in $known"

say "fit: $cases random cases, with the rules that the program takes for $version"
"$work/oracle" fit --all --binary "$binary" --cases "$cases" --seed 1 || differs "the scheduler counts by other rules than the program"

say "sources of the rules in lib/model/release.h"
rules=$(awk '/^inline constexpr ReleaseRuleEntry release_rules/ { on = 1 } !on { next }
  match($0, /ReleaseRule::[A-Za-z0-9]+/) { name = substr($0, RSTART + 13, RLENGTH - 13) }
  match($0, /"[^"]+\.go"/) { print substr($0, RSTART + 1, RLENGTH - 2), name }
  /detail::controller/ { print "pkg/controller/daemon/daemon_controller.go", name }
  /^};/ { exit }' ../lib/model/release.h)
# Files of Kubernetes that other comments in lib name are compared as well.
mapfile -t files < <({ cut -d ' ' -f 1 <<<"$rules"
  grep -rhoE '\b(pkg|plugin/pkg|staging/src/k8s\.io)/[A-Za-z0-9_/.-]+\.go\b' ../lib; } | sort -u)
for file in "${files[@]}"; do
  before=$(source_of "$known" "$file") after=$(source_of "$version" "$file")
  [[ -f $before || -f $after ]] || continue
  names=$(awk -v file="$file" '$1 == file { printf "%s %s", separator, $2; separator = "," }' <<<"$rules")
  if [[ ! -f $before || ! -f $after ]]; then
    differs "  $file: only in $([[ -f $before ]] && echo "$known" || echo "$version")${names:+ (${names# })}"
    continue
  fi
  changed=$(diff "$before" "$after" | grep -c '^[<>]' || true)
  ((changed == 0)) || differs "  $file: $changed lines${names:+ (${names# })}"
done

say "feature gates that the program names"
"$work/known" gates >"$work/gates.known"
"$work/oracle" gates >"$work/gates"
while IFS= read -r line; do
  name=${line:2}
  grep -rqw "${name%%:*}" ../lib ../cmd --include='*.cpp' --include='*.h' --include='*.yaml' || continue
  differs "  $line"
done < <(diff "$work/gates.known" "$work/gates" | grep '^[<>]' | sort -k 2)
printf '  (%s lines of all gates differ)\n' "$(diff "$work/gates.known" "$work/gates" | grep -c '^[<>]' || true)"

say "texts with which the scheduler and kubelets reject pods"
go build -o "$work/messages-of" ./cmd/messages || die "cmd/messages cannot be built"
minor_of() { cut -d . -f 1,2 <<<"$1"; }
# As if the table had no rows of the version: then the tool prints all of its texts.
awk -F '\t' -v OFS='\t' -v new="$(minor_of "$version")" '/^#/ { print; next }
  { gsub("(^| )" new "( |$)", " ", $1); gsub(/^ +| +$/, "", $1) } $1 != "" { print }' ../testdata/messages.tsv >"$work/messages.tsv"
"$work/messages-of" -table "$work/messages.tsv" "$version" >"$work/messages" || (($? == 1)) || die "the texts of $version cannot be read"
awk -F '\t' -v known="$(minor_of "$known")" '
  NR == FNR { if ((" " $1 " ") ~ (" " known " ")) before[$4] = $2; next }
  { after[$3] = $2 }
  END {
    for (text in after) if (!(text in before)) print "  + " after[text] ": " text
    for (text in before) if (!(text in after)) print "  - " before[text] ": " text
  }' "$work/messages.tsv" "$work/messages" | sort -k 3 >"$work/texts"
if [[ -s $work/texts ]]; then differs "$(<"$work/texts")"; fi
exit "$different"
