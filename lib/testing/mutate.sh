#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Changes one operator of the sources at a time, and prints the changes that no test detects:
#   lib/testing/mutate.sh MINUTES SEED SOURCE... -- TARGET[:TESTS] ...
# Each SOURCE is changed in a copy of the tree (build/mutants), where each TARGET is built with the
# preset dev and run until one fails; TESTS are names or tags for Catch2. The same seed gives the
# same order.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly minutes=$1 seed=$2
shift 2
sources=()
while [[ $1 != -- ]]; do sources+=("$1"); shift; done
shift
readonly tree="${DSDOCTOR_MUTANTS:-$PWD/build/mutants}"

# Prints "FILE LINE COLUMN LENGTH REPLACEMENT" lines for code outside of comments, strings, includes
# and templates.
mutations() {
  awk '
    function put(column, old, new) { printf "%s\t%d\t%d\t%d\t%s\n", FILENAME, FNR, column, length(old), new }
    function all(old, new,  at, from) {
      for (from = 1; (at = index(substr(code, from), old)) > 0; from += at + length(old) - 1)
        put(from + at - 1, old, new)
    }
    /^ *(#|\/\/|static_assert|namespace|using|template)/ { next }
    {
      code = $0
      while (match(code, /"([^"\\]|\\.)*"|'\''([^'\''\\]|\\.)'\''|\/\/.*$/)) {  # blanked, so that columns stay
        blank = sprintf("%*s", RLENGTH, ""); code = substr(code, 1, RSTART - 1) blank substr(code, RSTART + RLENGTH)
      }
      all(" == ", " != "); all(" != ", " == "); all(" && ", " || "); all(" || ", " \\&\\& ")
      all(" < ", " <= "); all(" > ", " >= "); all(" <= ", " < "); all(" >= ", " > ")
      all(" + ", " - "); all(" - ", " + "); all(" += ", " -= "); all(" + 1", " + 0"); all(" - 1", " - 0")
      all("return true;", "return false;"); all("return false;", "return true;")
      all("continue;", "break;"); all("return std::nullopt;", "return {{}};"); all("++", "--")
      all("any_of(", "all_of("); all("all_of(", "any_of("); all("none_of(", "any_of(")
      for (from = 1; match(substr(code, from), /[(&|! ]![a-z_(*]/); from += RSTART + 1)
        put(from + RSTART, "!", "")
      if (match(code, /if \(/) && code ~ /\) *({|return|continue|[a-z_.]+ *=|\+\+)/)
        put(RSTART, "if (", "if (true || ")
    }' "${sources[@]}" | grep -vP '\treturn \{\{\}\};$' |
    shuf --random-source=<(openssl enc -aes-256-ctr -pass "pass:$seed" -nosalt </dev/zero 2>/dev/null)
}

# Returns 0 if all targets are built and pass, 1 if a test fails, 2 if a target does not compile.
passes() {
  local target tests
  for target in "$@"; do
    tests=''
    [[ $target == *:* ]] && tests=${target#*:}
    target=${target%%:*}
    cmake --build "$tree/build/dev" -j 1 --target "$target" >"$tree/build/log" 2>&1 || return 2
    # shellcheck disable=SC2086
    { (cd "$tree" && timeout 120 build/dev/lib/*/"$target" ${tests:+"$tests"} -a >build/log 2>&1) || return 1; } 2>/dev/null
  done
}

file=''
trap '[[ -z $file ]] || cp "$file" "$tree/$file"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$tree"
# files that the last run restored stay newer than the objects that were built from its change
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$tree" --keep-newer-files --warning=no-ignore-newer
(cd "$tree" && cmake --preset dev >/dev/null)
passes "$@" || { tail -n 30 "$tree/build/log" >&2; echo 'error: the tests fail without any change' >&2; exit 2; }
end=$((SECONDS + 60 * minutes)) killed=0 survived=0 invalid=0
mapfile -t list < <(mutations)
for mutation in "${list[@]}"; do
  ((SECONDS < end)) || break
  IFS=$'\t' read -r file line column length text <<<"$mutation"
  sed -E "${line}s/^(.{$((column - 1))}).{$length}/\1${text}/" "$file" >"$tree/$file"
  code=0
  passes "$@" || code=$?
  case $code in
    0) survived=$((survived + 1)); printf '%s:%s: %s\n' "$file" "$line" "$(sed -n "${line}{s/^ *//;p}" "$tree/$file")" ;;
    1) killed=$((killed + 1)) ;;
    2) invalid=$((invalid + 1)) ;;
  esac
  cp "$file" "$tree/$file"
done
printf '%d of %d changes tried: %d noticed, %d not, %d did not compile\n' $((killed + survived + invalid)) "${#list[@]}" \
  "$killed" "$survived" "$invalid"
