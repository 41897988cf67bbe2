#!/usr/bin/env bash
# What the tests of build/coverage have run of the product, in lines and branches, for each folder; given
# folders (lib/placement), each of their lines that was not run, and those with a branch that was not taken.
# Branches that only an exception takes are not counted; of a header each object has its own, the best counts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

find build/coverage -name '*.gcda' -print0 | xargs -0 -r gcov -b -c -t -r -s "$PWD" 2>/dev/null |
  awk -v wanted="$*" '
    function ours(file) { return file ~ /^(lib|cmd)\// && file !~ /_(test|bench|fuzz)\.cpp$|\/test_|^lib\/testing\// }
    $2 == "0:Source" || $0 ~ /^ +-: +0:Source:/ {
      file = $0; sub(/^.*0:Source:/, "", file); counted = ours(file); next
    }
    !counted { next }
    /^branch/ {
      if (/\(throw\)/) next
      branch++
      key = file SUBSEP line SUBSEP branch
      if ($0 ~ /taken/ && $4 > taken[key]) taken[key] = $4; else taken[key] += 0
      next
    }
    match($0, /^ *[^:]+: *[0-9]+:/) {
      split($0, part, ":"); count = part[1]; gsub(/[ *]/, "", count); line = part[2] + 0; branch = 0
      if (count == "-" || line == 0) next
      key = file SUBSEP line
      text[key] = substr($0, RLENGTH + 1)
      runs[key] = (count ~ /^[0-9]/ && count > runs[key]) ? count : runs[key] + 0
    }
    END {
      for (key in runs) { split(key, part, SUBSEP); name = folder(part[1]); lines[name]++; run[name] += runs[key] > 0 }
      for (key in taken) {
        split(key, part, SUBSEP); name = folder(part[1]); branches[name]++; took[name] += taken[key] > 0
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
