#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the lines and branches of the product that the tests of build/coverage have run, for each
# folder; for given folders (lib/placement), each line that was not run and each line with a branch
# that was not taken. Ignores branches that only an exception takes, and code that only an exception
# reaches: destructors at the end of a scope, in lines that did run, that follow such a line, or
# that only have the bracket. Each object has its own counts for a header; the best ones are used. A
# program that a signal ends reports nothing that it has run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

find build/coverage -name '*.gcda' -print0 | xargs -0 -r gcov -b -c -t -r -s "$PWD" 2>/dev/null |
  awk -v wanted="$*" '
    function ours(file) { return file ~ /^(lib|cmd)\// && file !~ /_(test|bench|fuzz)\.cpp$|\/(test|embed)_|^lib\/testing\// }
    /^ +-: +0:Source:/ {
      file = $0; sub(/^.*0:Source:/, "", file); counted = ours(file); next
    }
    !counted { next }
    /^branch/ {
      if (/\(throw\)/) next
      branch++
      key = file SUBSEP line SUBSEP branch
      if (/taken/) reached[key] = 1
      if (/taken/ && $4 > taken[key]) taken[key] = $4; else taken[key] += 0
      next
    }
    match($0, /^ *[^:]+: *[0-9]+:/) {
      split($0, part, ":"); count = part[1]; gsub(/[ *]/, "", count); line = part[2] + 0; branch = 0
      if (count == "-" || line == 0) next
      key = file SUBSEP line
      text[key] = substr($0, RLENGTH + 1)
      cleanup = count ~ /^=/ && (after_run || text[key] ~ /^[ })\];,]*$/)
      after_run = count ~ /^[0-9]/
      if (cleanup) next
      runs[key] = (count ~ /^[0-9]/ && count > runs[key]) ? count : runs[key] + 0
    }
    END {
      for (key in runs) { split(key, part, SUBSEP); name = folder(part[1]); lines[name]++; run[name] += runs[key] > 0 }
      for (key in taken) {
        split(key, part, SUBSEP)
        if (!reached[key] && runs[part[1], part[2]]) continue
        name = folder(part[1]); branches[name]++; took[name] += taken[key] > 0
        if (!taken[key]) half[part[1] SUBSEP part[2]] = 1
      }
      for (name in lines)
        printf "%-24s %6d lines  %5.1f %%   %6d branches  %5.1f %%\n", name, lines[name], 100 * run[name] / lines[name],
          branches[name], branches[name] ? 100 * took[name] / branches[name] : 100 | "sort"
      close("sort")
      count = split(wanted, asked, " ")
      for (key in runs) {
        split(key, part, SUBSEP)
        for (i = 1; i <= count; i++)
          if (index(part[1], asked[i] "/") == 1 && (!runs[key] || half[key]))
            printf "%s:%05d: %s: %s\n", part[1], part[2], runs[key] ? "branch not taken" : "not run", text[key] | "sort"
      }
    }
    function folder(file,  part) { split(file, part, "/"); return part[1] "/" part[2] }'
