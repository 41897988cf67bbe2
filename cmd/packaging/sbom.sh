#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sbom.sh PROGRAM ROOT ARCHIVE: writes the linked libraries of PROGRAM as SPDX 2.3 and CycloneDX
# 1.5, next to the ARCHIVE: NAME.spdx.json and NAME.cdx.json. ROOT/libraries has the names and
# versions, components.tsv the licences and package URLs. Reproducible: SOURCE_DATE_EPOCH dates the
# files.
set -euo pipefail

readonly program=$1 root=$2 archive=$3
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly packaging
readonly home=https://github.com/kubectl-dsdoctor/kubectl-dsdoctor

[[ -s $root/libraries ]] || { echo "error: $root/libraries does not say what was linked" >&2; exit 2; }
name=${archive##*/}
name=${name%.tar.gz}
name=${name%.zip}
readonly name out="${archive%/*}/$name"
version=${name#kubectl-dsdoctor_}
version=${version%%_*}
sha=$(sha256sum <"$program")
sha=${sha%% *}
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)
# From the program's hash, in the form of a UUID of version 8.
serial="${sha:0:8}-${sha:8:4}-8${sha:13:3}-8${sha:17:3}-${sha:20:12}"
readonly version sha created serial

# Lines "NAME=VERSION". The licence of libstdc++ is in a package of GCC, whose changelog has its
# version.
libraries() {
  local changelog=$root/usr/share/doc/gcc-12-base/changelog.Debian.gz
  cat "$root/libraries"
  grep -q '^libstdc++=\|^llvm-libcxx=' "$root/libraries" || [[ ! -f $changelog ]] ||
    gzip -dc "$changelog" | sed -nE '1s/^gcc-12 \(([^)]+)\).*/libstdc++=\1/p'
}

encoded() { sed 's/:/%3A/g; s/+/%2B/g' <<<"$1"; }

# Lines "NAME VERSION PURL LICENCE HOMEPAGE", separated by tabs.
components() {
  local library number row kind epoch licence page purl
  while IFS='=' read -r library number; do
    row=$(grep -m 1 "^$library"$'\t' "$packaging/components.tsv") || {
      echo "error: cmd/packaging/components.tsv has no licence of $library" >&2
      return 2
    }
    IFS=$'\t' read -r library kind epoch licence page <<<"$row"
    if [[ $kind == generic/* || $number == *-upstream ]]; then
      number=${number%-upstream}
      purl=pkg:generic/$(encoded "${kind##*/}")@$(encoded "$number")
    else
      [[ $epoch == - ]] || number=$epoch:$number
      purl="pkg:$(encoded "$kind")@$(encoded "$number")?arch=source&distro=debian-12"
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$library" "$number" "$purl" "$licence" "$page"
  done < <(libraries | LC_ALL=C sort)
}

spdx_id() { sed 's/[^a-zA-Z0-9.-]/-/g; s/^/SPDXRef-/' <<<"$1"; }

spdx() {
  local library number purl licence page supplier packages='' relations='' id
  while IFS=$'\t' read -r library number purl licence page; do
    id=$(spdx_id "${library/++/pp}")
    supplier=NOASSERTION
    [[ $purl != pkg:deb/* ]] || supplier='Organization: Debian'
    packages+=$(
      cat <<END
,
    {
      "SPDXID": "$id", "name": "$library", "versionInfo": "$number", "supplier": "$supplier",
      "homepage": "$page", "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
      "licenseConcluded": "NOASSERTION", "licenseDeclared": "$licence", "copyrightText": "NOASSERTION",
      "primaryPackagePurpose": "LIBRARY",
      "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "$purl"}]
    }
END
    )
    relations+=$(
      cat <<END
,
    {"spdxElementId": "SPDXRef-program", "relationshipType": "CONTAINS", "relatedSpdxElement": "$id"}
END
    )
  done
  cat <<END
{
  "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "$name",
  "documentNamespace": "$home/spdx/$name-$serial",
  "creationInfo": {"created": "$created", "creators": ["Tool: sbom.sh", "Organization: kubectl-dsdoctor"]},
  "hasExtractedLicensingInfos": [
    {"licenseId": "LicenseRef-public-domain", "name": "public domain",
      "extractedText": "The authors have put this software into the public domain."}
  ],
  "packages": [
    {
      "SPDXID": "SPDXRef-program", "name": "kubectl-dsdoctor", "versionInfo": "$version",
      "supplier": "Organization: kubectl-dsdoctor", "homepage": "$home",
      "downloadLocation": "$home/releases/download/$version/${archive##*/}", "filesAnalyzed": false,
      "checksums": [{"algorithm": "SHA256", "checksumValue": "$sha"}],
      "licenseConcluded": "NOASSERTION", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
      "primaryPackagePurpose": "APPLICATION",
      "comment": "The checksum is the program's, not the archive's."
    }$packages
  ],
  "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-program"}$relations
  ]
}
END
}

cyclonedx() {
  local library number purl licence page parts='' references=''
  while IFS=$'\t' read -r library number purl licence page; do
    parts+=${parts:+,}$(
      cat <<END

    {
      "type": "library", "bom-ref": "$purl", "name": "$library", "version": "$number", "purl": "$purl",
      "licenses": [{"expression": "$licence"}],
      "externalReferences": [{"type": "website", "url": "$page"}]
    }
END
    )
    references+="${references:+, }\"$purl\""
  done
  cat <<END
{
  "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
  "serialNumber": "urn:uuid:$serial",
  "metadata": {
    "timestamp": "$created",
    "component": {
      "type": "application", "bom-ref": "program", "name": "kubectl-dsdoctor", "version": "$version",
      "hashes": [{"alg": "SHA-256", "content": "$sha"}], "licenses": [{"expression": "Apache-2.0"}],
      "externalReferences": [{"type": "website", "url": "$home"}]
    }
  },
  "components": [$parts
  ],
  "dependencies": [{"ref": "program", "dependsOn": [$references]}]
}
END
}

list=$(components)
readonly list
spdx <<<"$list" >"$out.spdx.json"
cyclonedx <<<"$list" >"$out.cdx.json"
