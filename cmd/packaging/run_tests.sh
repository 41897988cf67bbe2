#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_tests.sh FOLDER [LAUNCHER...]: runs the tests that ./dev package PLATFORM --tests has built
# for this system into FOLDER (build/package-PLATFORM): unit tests, transcripts, documents, and
# inputs found by fuzzers. LAUNCHER runs programs of another system (wine).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly folder=$1
shift
suffix=''
[[ ! -e $folder/cmd/dsdoctor_replay.exe ]] || suffix=.exe

runs=0 failed=''
run() { # PROGRAM ARGUMENT...
  runs=$((runs + 1))
  if ! "${launcher[@]}" "$@" >build/tests.log 2>&1; then
    failed+="  $*"$'\n'
    tail -n 40 build/tests.log
  fi
}
launcher=(env "$@") # never empty: old versions of bash reject an empty array

for program in "$folder"/{lib,lib/*,cmd}/dsdoctor_*_test"$suffix"; do
  [[ -f $program ]] || continue
  run "$program"
  printf '%s: %s\n' "${program##*/}" "$(tail -n 2 build/tests.log | tr -d '\r\n')"
done
((runs > 0)) || { echo "error: $folder has no unit tests; ./dev package PLATFORM --tests builds them"; exit 2; }
while IFS= read -r -d '' file; do
  run "$folder/cmd/dsdoctor_replay$suffix" "$file"
done < <(find testdata/scenarios docs README.md \( -name '*.transcript' -o -name '*.md' ! -path 'testdata/*' \) -print0)
for seeds in testdata/fuzz/*/; do run "$folder/cmd/dsdoctor_fuzz_replay$suffix" "${seeds%/}"; done

rm -f build/tests.log
[[ -z $failed ]] || { printf 'failed:\n%s' "$failed"; exit 1; }
echo "$runs programs, transcripts, documents and folders of seeds: all pass"
