#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sbom_test.sh: the lists of bundled libraries are JSON, reproducible, and have a licence for every
# library. (./dev package --check validates them against the specifications.)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT
complain() { echo "$*"; exit 1; }
write() { SOURCE_DATE_EPOCH=1700000000 bash sbom.sh sbom.sh "$work" "$work/$1/kubectl-dsdoctor_v1.2.3_linux_amd64.tar.gz"; }
mkdir "$work"/{one,two}
printf 'curl=7.88.1-10+deb12u15\nopenssl=3.0.22-upstream\nzlib=1.2.13.dfsg-1\n' >"$work/libraries"
write one
write two
diff -r "$work/one" "$work/two" || complain 'not the same bytes'
expected='2023-11-14T22:13:20Z
curl pkg:deb/debian/curl@7.88.1-10%2Bdeb12u15?arch=source&distro=debian-12 curl
openssl pkg:generic/openssl@3.0.22 Apache-2.0
zlib pkg:deb/debian/zlib@1%3A1.2.13.dfsg-1?arch=source&distro=debian-12 Zlib'
said=$(python3 -c '
import json, sys
c = json.load(open(sys.argv[1]))
print(c["metadata"]["timestamp"])
for p in c["components"]: print(p["name"], p["purl"], p["licenses"][0]["expression"])' "$work/one/kubectl-dsdoctor_v1.2.3_linux_amd64.cdx.json")
[[ $said == "$expected" ]] || complain "CycloneDX: $said"
said=$(python3 -c '
import json, sys
s = json.load(open(sys.argv[1]))
print(s["creationInfo"]["created"])
for p in s["packages"][1:]: print(p["name"], p["externalRefs"][0]["referenceLocator"], p["licenseDeclared"])' "$work/one/kubectl-dsdoctor_v1.2.3_linux_amd64.spdx.json")
[[ $said == "$expected" ]] || complain "SPDX: $said"

# Every library in the packages' recipe has a licence here.
mapfile -t named < <(sed -nE '/^readonly -A contained/,/\)$/s/\[[^]]*\]=/\n/gp' ./*.sh |
  sed -nE '/^readonly/d; s/^([a-z][a-z0-9+-]*).*/\1/p')
((${#named[@]})) || complain 'no recipe names libraries'
for library in "${named[@]}"; do
  grep -q "^$library"$'\t' components.tsv || complain "components.tsv lacks $library"
done

echo 'left-pad=1.0' >>"$work/libraries"
if said=$(write two 2>&1); then complain 'a library without a licence'; fi
[[ $said == *'has no licence of left-pad'* ]] || complain "$said"
rm "$work/libraries"
if said=$(write two 2>&1); then complain 'a program of nothing'; fi
[[ $said == *'does not say what was linked'* ]] || complain "$said"
