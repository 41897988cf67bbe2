#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# man_page_test.sh PROGRAM: docs/kubectl-dsdoctor.1 equals PROGRAM's help (DSDOCTOR_REWRITE=1 writes
# it), has every command with all its flags in its section, and is valid roff.
set -euo pipefail

program=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly program page=docs/kubectl-dsdoctor.1
failed=0
complain() { echo "$page: $*"; failed=1; }

if [[ -n ${DSDOCTOR_REWRITE:-} ]]; then
  cmd/packaging/man_page.sh "$program" >"$page"
fi
diff -u "$page" <(cmd/packaging/man_page.sh "$program") ||
  complain "not what --help says; DSDOCTOR_REWRITE=1 writes it"

# Reads the page, not its source.
section() { # the flags of a command in the page, sorted
  sed 's/\\-/-/g' "$page" | awk -v title=".SH $1" '/^\.SH /{ on = $0 == title } on' |
    sed -nE 's/^\\fB(-., )?(--[a-z-]+)\\fR=.*/\2/p' | LC_ALL=C sort
}
commands=$("$program" --help | sed -nE '/^Available Commands:/,/^$/s/^  ([a-z-]+)  .*/\1/p')
(($(wc -w <<<"$commands") > 8)) || complain "help names only these commands: $commands"
for command in $commands; do
  help=(--help)
  [[ $command != options ]] || help=()
  flags=$("$program" "$command" "${help[@]}" | sed -nE 's/^    (-., )?(--[a-z-]+)=.*/\2/p' | LC_ALL=C sort)
  [[ $command == completion || -n $flags ]] || complain "$command --help names no flag"
  diff <(printf '%s' "${flags:+$flags$'\n'}") <(section "${command^^}") || complain "not the flags of $command"
  grep -qxF "\\fB${command//-/\\-}\\fR" "$page" || complain "$command is not listed"
done

if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning <(sed 's/^\(\.TH .* 1 \)""/\1"2026-01-01"/' "$page") || complain "mandoc complains"
fi
if command -v man >/dev/null; then
  said=$(MANROFFSEQ='' man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null) || complain "man cannot show it"
  [[ -z $said ]] || complain "$said"
fi
exit "$failed"
