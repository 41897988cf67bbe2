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

# release FOLDER [PROGRAM]: makes a release for the machines of the test, with its checksums.
release() {
  local folder=$work/served/$1 archive platform
  mkdir -p "$folder/download/v0.9.0" "$folder/latest" content
  install -m 755 "${2:-$program}" content/kubectl-dsdoctor
  install -m 755 "$tree/completions/kubectl_complete-dsdoctor" content
  cp "$tree/LICENSE" content
  for platform in linux_amd64 linux_arm64; do
    archive=$folder/download/v0.9.0/kubectl-dsdoctor_v0.9.0_$platform.tar.gz
    [[ -e $archive ]] || (cd content && tar -cf - -- *) | gzip -1 >"$archive"
  done
  (cd "$folder/download/v0.9.0" && sha256sum -- *.tar.gz >checksums.txt)
  ln -sfn ../download/v0.9.0 "$folder/latest/download"
}
release good
for kind in damaged truncated slow other partial; do cp -r served/good "served/$kind"; done
for archive in served/damaged/download/v0.9.0/*.tar.gz; do printf 'x' >>"$archive"; done
for archive in served/truncated/download/v0.9.0/*.tar.gz; do truncate -s -1000 "$archive"; done
release truncated
rm served/other/download/v0.9.0/*
printf '#!/nowhere/interpreter\n' >not-for-this-machine
release other not-for-this-machine
sed -i '/linux_/d' served/partial/download/v0.9.0/checksums.txt

python3 "$tree/cmd/packaging/install_server.py" served >port &
server=$!
for _ in {1..600}; do [[ -s port ]] && break; sleep 0.1; done
address=http://127.0.0.1:$(<port)
readonly address

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
  said=$(env -i HOME="${home-$work/home}" PATH="$work/tools/$tools" DSDOCTOR_RELEASES="$address/$release" ${SYSTEM:+SYSTEM="$SYSTEM"} \
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
[[ $said == *"installed kubectl-dsdoctor v0.9.0 in $work/home/.local/bin"*"not on your PATH"*'export PATH='* ]] || complain "it says: $said"

# Over an older version; into a folder with special characters; with a version; into a relative
# folder.
echo old >home/.local/bin/kubectl-dsdoctor
run curl good
installed home/.local/bin 'an update'
run curl good --to "$work/Büro und 'mehr' \$x/bin" --version 0.9.0
installed "Büro und 'mehr' \$x/bin" 'an odd folder'
run curl good --to relative/bin
installed relative/bin 'a relative folder'
home='' run curl good --to no-home
installed no-home 'no HOME'
ln -s "$work/tools/curl"/* "$work/no-home/"
env -i PATH="$work/no-home" DSDOCTOR_RELEASES="$address/good" sh "$tree/install.sh" --to "$work/no-home" 2>&1 |
  grep -q PATH && complain "advice about a PATH that is right"

# Failures leave no files behind.
run curl damaged --to x && refused x 'kubectl-dsdoctor_v0.9.0_linux_'
[[ $said == *'but the release says'*'nothing was installed'* ]] || complain "a wrong hash: $said"
run curl truncated --to x && refused x 'could not unpack'
run curl other --to x && refused x 'the program does not run on this machine'
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
