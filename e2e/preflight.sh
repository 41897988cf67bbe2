#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints in one line why the rig cannot be built: no Go, an old one, or modules that cannot be
# fetched. Run it before anything else here; no output means that the rig can be built. Arguments:
# the folders of the required modules or releases/X.mod, if not those of the rig.
set -u
cd "$(dirname "$0")" || exit 2

complain() {
  echo "e2e: $1" >&2
  exit 2
}

command -v go >/dev/null || complain "Go is missing: install Go $(awk '$1 == "go" { print $2 }' go.mod) or newer (https://go.dev/dl)"

# An older Go fetches the toolchain of go.mod, unless that is disabled.
toolchain=$(go env GOVERSION 2>&1) || complain "this Go cannot build the rig: $(echo "$toolchain" | tail -n 1)"

[ $# -gt 0 ] || set -- . older
for module in "$@"; do
  case $module in
    releases/*.mod) # of another release, with the Go that it needs; some have only the oracle
      packages=./...
      if grep -q '^// Only ./cmd/oracle' "$module"; then packages=./cmd/oracle; fi
      chosen=$(awk '$1 == "toolchain" { print $2 }' "$module")
      missing=$(GOTOOLCHAIN="${chosen:-$(go env GOTOOLCHAIN)}" go list -modfile="$module" -deps -test $packages 2>&1 >/dev/null)
      ;;
    *) missing=$(cd "$module" && go list -deps -test ./... 2>&1 >/dev/null) ;;
  esac || complain "the Go modules of $module cannot be fetched (module proxy: $(go env GOPROXY)): $(echo "$missing" | tail -n 1)"
done
