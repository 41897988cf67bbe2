#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs kubectl-dsdoctor from a release, without root: what it downloads is compared with the release's
# checksums, and nothing is changed before that, so that an installation is there whole or not at all.
#
#   curl -fsSL https://github.com/kubectl-dsdoctor/kubectl-dsdoctor/releases/latest/download/install.sh | sh
#   sh install.sh [--to FOLDER] [--version vX.Y.Z]
#
# DSDOCTOR_RELEASES: where releases are, for a mirror that has the paths of GitHub's.
set -eu

say() { printf '%s\n' "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

usage() {
  cat <<'END'
Usage: sh install.sh [--to FOLDER] [--version vX.Y.Z]

Installs kubectl-dsdoctor, and its helper for completion behind kubectl, into FOLDER (~/.local/bin) from
the newest release or the one that is named.
END
}

have() { command -v "$1" >/dev/null 2>&1; }

# download URL FILE
download() {
  if have curl; then
    curl -fsSL --retry 2 -o "$2" "$1" || die "could not download $1"
  elif have wget; then
    wget -q -O "$2" "$1" || die "could not download $1"
  else
    die "this script downloads with curl or wget, and neither is installed"
  fi
}

sha256_of() {
  if have sha256sum; then
    sha256sum <"$1"
  elif have shasum; then
    shasum -a 256 <"$1"
  elif have openssl; then
    openssl dgst -sha256 -r <"$1"
  else
    die "sha256sum, shasum or openssl is needed to check what was downloaded, and none is installed"
  fi
}

# Sets $platform as archives are named.
detect_platform() {
  system=$(uname -s) machine=$(uname -m)
  case $system in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    MINGW* | MSYS* | CYGWIN* | Windows_NT) die "on Windows, install with Krew or Scoop" ;;
    *) die "there is no program for $system; releases are for Linux, macOS and Windows" ;;
  esac
  case $machine in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) die "there is no program for $machine; releases are for x86_64 and arm64" ;;
  esac
  # A shell under Rosetta says x86_64 on an arm64.
  if [ "$os/$arch" = darwin/amd64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then
    arch=arm64
  fi
  platform=${os}_$arch
}

# Leaves no trace of an installation that did not come to its end.
clean_up() {
  [ -z "${stage:-}" ] || rm -rf "$stage"
  [ -z "${made:-}" ] || rmdir "$folder" 2>/dev/null || :
}

# Makes the folder and, in it, one for what is not checked yet: in the same file system, files are
# renamed into place.
prepare_folder() {
  if [ -z "$folder" ]; then
    [ -n "${HOME:-}" ] || die "HOME is not set: name a folder with --to FOLDER"
    folder=$HOME/.local/bin
  fi
  case $folder in
    /*) ;;
    *) folder=$(pwd)/$folder ;;
  esac
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  if [ ! -d "$folder" ]; then
    mkdir -p "$folder" || die "could not create $folder; name another folder with --to FOLDER"
    made=yes
  fi
  for name in kubectl-dsdoctor kubectl_complete-dsdoctor; do
    [ ! -d "$folder/$name" ] || die "$folder/$name is a folder"
  done
  mkdir "$folder/.dsdoctor-install.$$" || die "cannot write to $folder; name another folder with --to FOLDER"
  stage=$folder/.dsdoctor-install.$$
}

# The checksums say which version is the newest and which archives it has.
find_archive() {
  if [ -z "$version" ]; then
    download "$releases/latest/download/checksums.txt" "$stage/checksums.txt"
  else
    download "$releases/download/$version/checksums.txt" "$stage/checksums.txt"
  fi
  line=$(grep "  kubectl-dsdoctor_v[0-9][^/ ]*_$platform\.tar\.gz\$" "$stage/checksums.txt") ||
    die "the release has no program for $platform"
  expected=${line%% *} archive=${line##* }
  version=${archive#kubectl-dsdoctor_}
  version=${version%"_$platform.tar.gz"}
}

unpack_archive() {
  say "downloading $archive"
  download "$releases/download/$version/$archive" "$stage/$archive"
  actual=$(sha256_of "$stage/$archive")
  actual=${actual%% *}
  [ "$actual" = "$expected" ] ||
    die "$archive has the SHA-256 $actual, but the release says $expected; nothing was installed"
  (cd "$stage" && tar -xzf "$archive" kubectl-dsdoctor kubectl_complete-dsdoctor) ||
    die "could not unpack $archive; nothing was installed"
  chmod 755 "$stage/kubectl-dsdoctor" "$stage/kubectl_complete-dsdoctor"
  "$stage/kubectl-dsdoctor" version --client >"$stage/version" ||
    die "the program does not run on this machine; nothing was installed"
}

say_path() {
  case :${PATH:-}: in
    *":$folder:"*) return ;;
  esac
  say "$folder is not on your PATH. Add this line to your shell's start-up file:"
  case ${SHELL:-} in
    */fish) say "  fish_add_path '$folder'" ;;
    *) say "  export PATH=\"$folder:\$PATH\"" ;;
  esac
}

main() {
  folder='' version='' releases=${DSDOCTOR_RELEASES:-https://github.com/kubectl-dsdoctor/kubectl-dsdoctor/releases}
  while [ $# -gt 0 ]; do
    case $1 in
      --to | --version) [ -n "${2:-}" ] || die "$1 takes a value" ;;
    esac
    case $1 in
      --to) folder=$2 && shift ;;
      --version) version=v${2#v} && shift ;;
      -h | --help) usage && exit ;;
      *) usage >&2 && die "unknown argument: $1" ;;
    esac
    shift
  done
  detect_platform
  have curl || have wget || die "this script downloads with curl or wget, and neither is installed"
  prepare_folder
  find_archive
  unpack_archive
  mv -f "$stage/kubectl_complete-dsdoctor" "$stage/kubectl-dsdoctor" "$folder/" ||
    die "could not move the program to $folder"
  made=''
  say "installed kubectl-dsdoctor $version in $folder"
  say_path
}

main "$@"
