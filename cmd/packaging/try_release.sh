#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# try_release.sh DIST KREW: runs the install lines of README and docs/install.md as they are written, with the packages
# of DIST behind a server that plays GitHub's release page, and the program after each. KREW: a folder with kubectl and
# krew. It prints which lines it cannot run.
set -euo pipefail

dist=$(realpath "$1") krew=$(realpath "$2")
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$("$tree/cmd/packaging/version.sh")
work=$(mktemp -d)
readonly dist krew tree version work
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
say() { printf '%s\n' "$*" >&2; }
cd "$work"

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=github.com -keyout key.pem -out certificate.pem \
  -addext subjectAltName=DNS:github.com,DNS:release-assets.githubusercontent.com 2>/dev/null
python3 "$tree/cmd/packaging/release_page.py" "$dist" "$version" certificate.pem key.pem >port &
server=$!
for _ in {1..600}; do [[ -s port ]] && break; sleep 0.1; done

# sudo installs into a folder instead of the system.
mkdir -p bin root/var/lib/dpkg/{info,updates} root/var/lib/rpm
touch root/var/lib/dpkg/status
cat >bin/sudo <<END
#!/bin/sh
tool=\$1 && shift
exec "\$tool" --root="$work/root" "\$@"
END
chmod +x bin/sudo
ln -s "$krew/kubectl" bin/kubectl
ln -s "$krew/krew" bin/kubectl-krew

# run FOLDER [NAME=VALUE...] COMMANDS: in a home of its own, where only the release page can be reached.
run() {
  local home=$work/$1
  shift
  mkdir -p "$home/.local/bin"
  (cd "$home" && env -i HOME="$home" PATH="$work/bin:/usr/sbin:/usr/bin:/sbin:/bin" HTTPS_PROXY="http://127.0.0.1:$(<"$work/port")" \
    https_proxy="http://127.0.0.1:$(<"$work/port")" CURL_CA_BUNDLE="$work/certificate.pem" \
    SSL_CERT_FILE="$work/certificate.pem" "${@:1:$#-1}" bash -euo pipefail -c "${@: -1}") >"$work/said" 2>&1 </dev/null ||
    { cat "$work/said" >&2; die "fails: ${*: -1}"; }
}
works() { # PROGRAM HOW
  [[ $("$1" version --client) == "Client Version: $version"$'\n'* ]] || die "$2: $1 is not $version"
  "$1" explain -A --demo | grep -q MISSCHEDULED || die "$2: $1 has no answer"
  [[ -x ${1%/*}/kubectl_complete-dsdoctor || $2 == Krew ]] || die "$2: no helper for completion"
  say "works: $2"
}

# blocks FILE: the fenced blocks of a document, each ended by a zero byte.
blocks() { awk '/^```/ { if (on) printf "%c", 0; on = !on; next } on' "$1"; }

try_block() { # NUMBER DOCUMENT BLOCK
  local home=home-$1 name=$2 block=$3
  case $block in
    *'krew install --manifest-url='*)
      # krew updates its index first, though it installs by URL
      git init -q index
      git -C index -c user.name=a -c user.email=a@b commit -q --allow-empty -m index
      git clone -q index "$work/$home/.krew/index/default"
      run "$home" "$block"
      works "$work/$home/.krew/bin/kubectl-dsdoctor" Krew
      ;;
    *install.sh*--to*)
      run "$home" "${block##*$'\n'}" # the first line is README's
      works "$work/$home/bin/kubectl-dsdoctor" "$name: install.sh with a folder and a version"
      ;;
    *install.sh*)
      run "$home" "$block"
      works "$work/$home/.local/bin/kubectl-dsdoctor" "$name: install.sh"
      run "$home" "$block" # an upgrade
      works "$work/$home/.local/bin/kubectl-dsdoctor" "$name: install.sh again"
      ;;
    *dpkg* | *rpm*)
      [[ -e $dist/${block##* } ]] || { say "not run here (made with --distro only): ${block##*sudo }"; return; }
      rm -f "$work/root/usr/bin/kubectl-dsdoctor"
      run "$home" "$block"
      works "$work/root/usr/bin/kubectl-dsdoctor" "$name: ${block##*sudo }"
      ;;
    *tar\ -xzf*)
      run "$home" "$block"
      works "$work/$home/.local/bin/kubectl-dsdoctor" "$name: an archive"
      ;;
    *'scoop install'*) try_scoop "$home" "$block" ;;
    *releases* | *attestation*) say "not run here (${block%% *} is missing or needs an account): ${block%%$'\n'*}" ;;
  esac
}

# Scoop's manifest, by hand: the archive that it names, with its hash, starts under wine.
try_scoop() { # HOME BLOCK
  local url wine
  [[ -e $dist/kubectl-dsdoctor.json ]] || { say "not run here (no archive for Windows): $2"; return; }
  wine=$(command -v wine || :)
  url=$(grep -o 'https://.*json' <<<"$2")
  # shellcheck disable=SC2016
  run "$1" URL="$url" 'curl -fsSLo manifest.json "$URL"
    read -r url hash < <(python3 -c "import json; a = json.load(open(\"manifest.json\"))[\"architecture\"][\"64bit\"]; print(a[\"url\"], a[\"hash\"])")
    curl -fsSLo program.zip "$url"
    echo "$hash  program.zip" | sha256sum --check --strict
    python3 -m zipfile -e program.zip .'
  [[ -n $wine ]] || { say "not run here (wine is missing): $2"; return; }
  [[ $(cd "$work/$1" && HOME="$work/$1" WINEDEBUG=-all "$wine" kubectl-dsdoctor.exe version --client | tr -d '\r') == "Client Version: $version"* ]] ||
    die 'Scoop: the program is not that of the release'
  say "works: Scoop's manifest, under wine"
}

try_documents() {
  local document block number=0
  for document in README.md docs/install.md; do
    local file=$tree/$document
    # Until the first release README has no line that installs one.
    [[ $document != README.md ]] || ! grep -q 'Not released yet' "$file" || file=$tree/cmd/packaging/readme_install.md
    while IFS= read -r -d '' block; do
      number=$((number + 1))
      [[ $block == *_amd64* || $block == *x86_64* ]] && [[ $(dpkg --print-architecture) != amd64 ]] && continue
      try_block "$number" "$document" "${block%$'\n'}"
    done < <(blocks "$file")
  done
  ((number > 5)) || die 'the documents have too few lines that install'
}

# A small system: busybox's shell and tools, as on Alpine, with curl; as root.
try_busybox() {
  local applet
  mkdir -p tools
  for applet in $(busybox --list); do ln -sf "$(command -v busybox)" "tools/$applet"; done
  ln -sf "$(command -v curl)" tools/curl
  mkdir -p alpine
  (cd alpine && env -i HOME="$work/alpine" PATH="$work/tools" https_proxy="http://127.0.0.1:$(<"$work/port")" \
    CURL_CA_BUNDLE="$work/certificate.pem" "$work/tools/sh" -c "$(grep -m 1 'install.sh | sh$' "$tree/cmd/packaging/readme_install.md")") \
    >said 2>&1 || { cat said >&2; die 'install.sh with busybox'; }
  works "$work/alpine/.local/bin/kubectl-dsdoctor" 'install.sh with the tools of busybox'
}

try_documents
try_busybox
