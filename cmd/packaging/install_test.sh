#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install_test.sh PROGRAM: runs install.sh in every installed shell, with every downloader, against
# a local server with valid and damaged releases.
set -euo pipefail

program=$(realpath "$1")
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
readonly program tree work
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
failed=0
complain() { echo "$*"; failed=1; }
cd "$work"
version=$("$program" version --client | sed -n 's/^Client Version: //p')
readonly version

# release FOLDER [PROGRAM]: makes a release for the machines of the test, with its checksums.
release() {
  local folder=$work/served/$1 archive platform
  mkdir -p "$folder/download/$version" "$folder/latest" content
  install -m 755 "${2:-$program}" content/kubectl-dsdoctor
  install -m 755 "$tree/completions/kubectl_complete-dsdoctor" content
  cp "$tree/LICENSE" content
  for platform in linux_amd64 linux_arm64; do
    archive=$folder/download/$version/kubectl-dsdoctor_${version}_$platform.tar.gz
    [[ -e $archive ]] || (cd content && tar -cf - -- *) | gzip -1 >"$archive"
  done
  (cd "$folder/download/$version" && sha256sum -- *.tar.gz >checksums.txt)
  ln -sfn "../download/$version" "$folder/latest/download"
}
# altered KIND: prints the folder of a copy of the good release.
altered() { cp -r served/good "served/$1" && echo "served/$1/download/$version"; }
release good
for archive in "$(altered damaged)"/*.tar.gz; do printf 'x' >>"$archive"; done
for archive in "$(altered truncated)"/*.tar.gz; do truncate -s -1000 "$archive"; done
release truncated
altered slow >/dev/null
printf '#!/nowhere/interpreter\n' >not-for-this-machine
rm "$(altered other)"/* && release other not-for-this-machine
printf '#!/bin/sh\necho "Client Version: v0.0.1"\n' >older
rm "$(altered older)"/* && release older older
sed -i '/linux_/d' "$(altered partial)/checksums.txt"
# Half uploaded.
rm "$(altered half)"/*.tar.gz
truncate -s 20 "$(altered torn)/checksums.txt"
sed -i 's/^...../nohex/' "$(altered no-hash)/checksums.txt"
# The checksums of another version, and of two.
folder=$(altered moved)
mv "$folder" "${folder%/*}/v9.9.9"
folder=$(altered two)
sed -E 's/^.{8}/00000000/; s/_v[0-9.]+_/_v0.0.1_/' "$folder/checksums.txt" >additional
cat additional >>"$folder/checksums.txt"
# Links in the place of files: to a file of the user, and to one within the archive.
echo private >victim
chmod 600 victim
for target in "$work/victim" LICENSE; do
  kind=link-${target##*/}
  rm "$(altered "$kind")"/*
  mkdir -p "served/$kind/content"
  ln -s "$target" "served/$kind/content/kubectl-dsdoctor"
  cp content/{LICENSE,kubectl_complete-dsdoctor} "served/$kind/content"
  for platform in linux_amd64 linux_arm64; do
    tar -czf "served/$kind/download/$version/kubectl-dsdoctor_${version}_$platform.tar.gz" -C "served/$kind/content" \
      LICENSE kubectl-dsdoctor kubectl_complete-dsdoctor
  done
  release "$kind"
done

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
  -keyout key.pem -out certificate.pem 2>/dev/null
python3 "$tree/cmd/packaging/install_server.py" served certificate.pem key.pem >ports &
server=$!
for _ in {1..600}; do [[ -s ports ]] && break; sleep 0.1; done
read -r port secure_port <ports
address=http://127.0.0.1:$port secure=https://127.0.0.1:$secure_port
readonly address secure
printf 'ca_certificate = %s\n' "$work/certificate.pem" >wgetrc

# A folder of tools for each machine: the named ones, and those that every machine has.
machine() { # NAME TOOL...
  local name=$1 tool
  shift
  mkdir -p "tools/$name"
  for tool in sh uname mkdir rm rmdir mv chmod grep tar gzip cat pwd "$@"; do
    ln -s "$(command -v "$tool")" "tools/$name/$tool"
  done
}
machine curl curl sha256sum
machine openssl curl openssl
machine none sha256sum
machine nohash curl
machine sun curl sha256sum
rm tools/sun/uname
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = -m ] && echo sparc || echo "${SYSTEM:-SunOS}"\n' >tools/sun/uname
chmod +x tools/sun/uname
! command -v wget >/dev/null || machine wget wget sha256sum
if command -v busybox >/dev/null; then # the tools of Alpine
  mkdir -p tools/busybox
  for applet in $(busybox --list); do ln -s "$(command -v busybox)" "tools/busybox/$applet"; done
fi

# run MACHINE RELEASE [ARGUMENT...]: stores the output of install.sh in $said, its exit status in
# $status.
shell=(sh)
run() {
  local tools=$1 release=$2
  shift 2
  status=0
  said=$(env -i HOME="${home-$work/home}" PATH="$work/tools/$tools" DSDOCTOR_RELEASES="${base-$address}/$release" ${SYSTEM:+SYSTEM="$SYSTEM"} \
    CURL_CA_BUNDLE="$work/certificate.pem" WGETRC="$work/wgetrc" SHELL="${login_shell-/bin/bash}" \
    "${shell[@]}" "$tree/install.sh" "$@" 2>&1) || status=$?
}
# shellcheck disable=SC2012
content() { [[ ! -d $1 ]] || (cd "$1" && ls -A | LC_ALL=C sort | paste -sd ' '); }
readonly whole='kubectl-dsdoctor kubectl_complete-dsdoctor'

# installed FOLDER WHAT: FOLDER has all files, and the program runs.
installed() {
  ((status == 0)) || complain "$2: exit $status: $said"
  [[ $(content "$1") == "$whole" ]] || complain "$2: $1 has: $(content "$1")"
  "$1/kubectl-dsdoctor" version --client | grep -q '^Client Version: v' || complain "$2: the program does not run"
  [[ -x $1/kubectl_complete-dsdoctor ]] || complain "$2: the helper cannot be executed"
}
# refused FOLDER MESSAGE: install.sh failed with this error and left no files.
refused() {
  ((status == 1)) || complain "exit $status instead of 1: $said"
  [[ $said == *"error: $2"* ]] || complain "no \"$2\" in: $said"
  [[ ! -e $1 ]] || complain "left behind after \"$2\": $1 $(content "$1")"
}

tried=''
for machine in curl openssl wget busybox; do
  [[ -d tools/$machine ]] || continue
  for shell in dash 'bash --posix' 'busybox ash'; do
    command -v "${shell%% *}" >/dev/null || continue
    read -ra shell <<<"$shell"
    shell[0]=$(command -v "${shell[0]}")
    rm -rf home && mkdir home
    run "$machine" good
    installed home/.local/bin "$machine, ${shell[*]}"
    tried+="${shell[0]##*/}/$machine "
  done
done
shell=(sh)
echo "tried: $tried"
[[ $said == *"installed kubectl-dsdoctor $version in $work/home/.local/bin"*"not on your PATH"*'export PATH='* ]] || complain "it says: $said"

# By https, to which redirects are allowed and from which they are not.
for machine in curl wget; do
  [[ -d tools/$machine ]] || continue
  base=$secure run "$machine" good --to "by-https/$machine"
  installed "by-https/$machine" "$machine, https"
  base=$secure run "$machine" to-https --to "redirected/$machine"
  installed "redirected/$machine" "$machine, redirected to https"
  base=$address run "$machine" to-https --to "upgraded/$machine"
  installed "upgraded/$machine" "$machine, redirected from http to https"
  base=$secure run "$machine" to-http --to x
  ((status == 1)) || complain "$machine follows a redirect from https to http: $said"
  [[ $said == *'nothing was installed' ]] || complain "$machine, a redirect to http: $said"
  [[ ! -e x ]] || complain "left behind after a redirect to http: x $(content x)"
done
if [[ -d tools/busybox ]]; then # Debian's does not check certificates; others use a program that does
  base=$secure run busybox good --to x && refused x 'this wget does not check the certificate of the server'
fi

# The line for PATH is correct for every folder, in the user's shell.
hint() { tail -n 1 <<<"$said"; }
# shellcheck disable=SC1003,SC2016
for name in "it's" 'with "quotes"' 'a $HOME `date`' 'back\slash\' "\\'mixed'"; do
  run curl good --to "$work/odd/$name"
  installed "odd/$name" "the folder $name"
  for posix in dash bash; do
    # shellcheck disable=SC2016
    [[ $(env -i PATH=/usr/bin:/bin "$posix" -c "$(hint)"'; printf %s "$PATH"') == "$work/odd/$name:/usr/bin:/bin" ]] ||
      complain "PATH in $posix: $(hint)"
  done
  ! command -v fish >/dev/null || {
    login_shell=/usr/bin/fish run curl good --to "$work/odd/$name"
    # shellcheck disable=SC2016
    [[ $(HOME=$work/fish-home XDG_CONFIG_HOME='' fish -c "$(hint); string join : \$PATH") == "$work/odd/$name:"* ]] ||
      complain "PATH in fish: $(hint)"
  }
done
run curl good --to "$work/odd/a:b"
installed odd/a:b 'a folder with a colon'
[[ $said == *"cannot be on PATH, since its name has a colon"* ]] || complain "a colon: $said"

# Over an older version; into a folder with special characters; with a version; into a relative
# folder.
echo old >home/.local/bin/kubectl-dsdoctor
run curl good
installed home/.local/bin 'an update'
run curl good --to "$work/Büro und 'mehr' \$x/bin" --version "${version#v}"
installed "Büro und 'mehr' \$x/bin" 'an odd folder'
run curl good --to relative/bin
installed relative/bin 'a relative folder'
home='' run curl good --to no-home
installed no-home 'no HOME'
ln -s "$work/tools/curl"/* "$work/no-home/"
env -i PATH="$work/no-home" DSDOCTOR_RELEASES="$address/good" sh "$tree/install.sh" --to "$work/no-home" 2>&1 |
  grep -q PATH && complain "advice about a PATH that is right"

# Failures leave no files behind.
run curl damaged --to x && refused x "kubectl-dsdoctor_${version}_linux_"
[[ $said == *'but checksums.txt has'*'nothing was installed'* ]] || complain "a wrong hash: $said"
run curl truncated --to x && refused x 'could not unpack'
run curl other --to x && refused x 'the program does not run on this machine'
run curl older --to x && refused x 'the program in kubectl-dsdoctor_'
[[ $said == *"is not $version: Client Version: v0.0.1; nothing was installed" ]] || complain "an older program: $said"
run curl half --to x && refused x "could not download $address/half/download/$version/kubectl-dsdoctor_"
run curl torn --to x && refused x 'the release has no program for linux_'
run curl no-hash --to x && refused x 'checksums.txt has no SHA-256 for kubectl-dsdoctor_'
run curl two --to x && refused x 'checksums.txt names more than one program for linux_'
run curl two --to x --version "$version" && refused x 'checksums.txt names more than one program for linux_'
run curl moved --to x --version v9.9.9 && refused x "v9.9.9 was requested, but the checksums are those of $version; nothing was installed"
for kind in link-victim link-LICENSE; do
  for machine in curl busybox; do
    [[ -d tools/$machine ]] || continue
    run "$machine" $kind --to x && refused x "kubectl-dsdoctor_${version}_linux_"
    [[ $said == *'has no file kubectl-dsdoctor; nothing was installed' ]] || complain "$kind: $said"
  done
done
[[ $(stat -c %a victim) == 600 ]] || complain 'the target of a link in the archive is changed'
run curl partial --to x && refused x 'the release has no program for linux_'
run curl good --to x --version v7.0.0 && refused x "could not download $address/good/download/v7.0.0/checksums.txt"
run curl nothing --to x && refused x 'could not download'
run none good --to x && refused x 'this script downloads with curl or wget, and neither is installed'
run nohash good --to x && refused x 'sha256sum, shasum or openssl is needed'
run sun good --to x && refused x 'there is no program for SunOS'
SYSTEM=Linux run sun good --to x && refused x 'there is no program for sparc'
SYSTEM=MINGW64_NT run sun good --to x && refused x 'on Windows, install with Krew or Scoop'
home='' run curl good && refused "$work/.local" 'HOME is not set'
run curl good --to "$tree/LICENSE/bin" && refused x 'could not create'
base=ftp://127.0.0.1 run curl good --to x && refused x 'DSDOCTOR_RELEASES is no URL with https: ftp://127.0.0.1/good'
run curl good --to x --version ../latest && refused x '--version takes vX.Y.Z, not v../latest'
run curl good --where x && refused x 'unknown argument: --where'
run curl good --to && refused x '--to takes a value'
mkdir -p taken/kubectl-dsdoctor
run curl good --to taken && refused x "$work/taken/kubectl-dsdoctor is a folder"
mkdir -m 555 readonly
if ((EUID == 0)); then # root can write everywhere
  chmod 711 "$work"
  shell=(setpriv --reuid 65534 --regid 65534 --clear-groups sh)
fi
run_tools=$(command -v setpriv || true)
[[ -z $run_tools ]] || ln -sf "$run_tools" tools/curl/setpriv
shell[0]=$(command -v "${shell[0]}")
run curl good --to "$work/readonly" && refused x "cannot write to $work/readonly"
shell=(sh)

# A failed update keeps the installed version.
run curl damaged --to relative/bin
status=0 installed relative/bin 'after a refused update'

# Interrupted during a download.
shell=(timeout -s TERM 2 sh)
ln -sf "$(command -v timeout)" tools/curl/timeout
run curl slow --to x
((status != 0)) || complain 'interrupted, and content'
[[ ! -e x ]] || complain "left behind after a signal: $(content x)"
exit "$failed"
