#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs kubectl-dsdoctor from a release, without root. The archive is compared with the release's checksums before
# anything is changed: an installation is complete or there is none.
#
#   curl -fsSL https://github.com/kubectl-dsdoctor/kubectl-dsdoctor/releases/latest/download/install.sh | sh
#   sh install.sh [--to FOLDER] [--version vX.Y.Z]
#
# DSDOCTOR_RELEASES: URL of the releases, for a mirror that has GitHub's paths. Below an https URL, redirects to
# anything else are refused.
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

nothing='nothing was installed'
newline='
'

# download URL FILE
download() {
  if have curl; then
    curl -fsSL --proto "$protocols" --proto-redir "$protocols" --retry 2 --connect-timeout 30 \
      --speed-limit 1 --speed-time 60 -o "$2" "$1" || die "could not download $1; $nothing"
  else
    download_with_wget "$1" "$2"
  fi
}

# No option of wget forbids a redirect to http, and that of busybox does not check certificates on some systems. Both
# are found in its log before the file is used.
download_with_wget() {
  failed=''
  if wget --version >/dev/null 2>&1; then
    wget -nv -S --timeout=60 --tries=3 -O "$2" "$1" 2>"$stage/log" || failed=yes
  else # busybox
    wget -q -S -O "$2" "$1" 2>"$stage/log" || failed=yes
  fi
  if [ "$protocols" = '=https' ]; then
    ! grep -q 'certificate validation not implemented' "$stage/log" ||
      die "this wget does not check the certificate of the server: install curl or wget; $nothing"
    ! grep -i '^ *location: *[a-z][a-z0-9+.-]*:' "$stage/log" | grep -iqv '^ *location: *https:' ||
      die "$1 is redirected to a URL that is not https; $nothing"
  fi
  [ -z "$failed" ] || {
    grep -v '^ ' "$stage/log" >&2 || :
    die "could not download $1; $nothing"
  }
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

# checksums.txt names the newest version and the archives that it has.
find_archive() {
  if [ -z "$version" ]; then
    download "$releases/latest/download/checksums.txt" "$stage/checksums.txt"
  else
    download "$releases/download/$version/checksums.txt" "$stage/checksums.txt"
  fi
  line=$(grep "  kubectl-dsdoctor_v[0-9][0-9A-Za-z.-]*_$platform\.tar\.gz\$" "$stage/checksums.txt") ||
    die "the release has no program for $platform; $nothing"
  case $line in
    *"$newline"*) die "checksums.txt names more than one program for $platform; $nothing" ;;
  esac
  expected=${line%% *} archive=${line##* }
  case $expected in
    *[!0-9a-f]*) expected='' ;;
  esac
  [ ${#expected} = 64 ] || die "checksums.txt has no SHA-256 for $archive; $nothing"
  found=${archive#kubectl-dsdoctor_}
  found=${found%"_$platform.tar.gz"}
  [ -z "$version" ] || [ "$version" = "$found" ] ||
    die "$version was requested, but the checksums are those of $found; $nothing"
  version=$found
}

# Writes one file of the archive: unpacked to standard output, an archive cannot name the file that is written.
unpack() {
  tar -xzOf "$stage/$archive" "$1" >"$stage/$1" || die "could not unpack $archive; $nothing"
  [ -s "$stage/$1" ] || die "$archive has no file $1; $nothing"
  chmod 755 "$stage/$1"
}

unpack_archive() {
  say "downloading $archive"
  download "$releases/download/$version/$archive" "$stage/$archive"
  actual=$(sha256_of "$stage/$archive")
  actual=${actual%% *}
  [ "$actual" = "$expected" ] ||
    die "$archive has SHA-256 $actual, but checksums.txt has $expected; $nothing"
  unpack kubectl-dsdoctor
  unpack kubectl_complete-dsdoctor
  "$stage/kubectl-dsdoctor" version --client >"$stage/version" ||
    die "the program does not run on this machine; $nothing"
  grep -Fqx "Client Version: $version" "$stage/version" ||
    die "the program in $archive is not $version: $(grep '^Client Version' "$stage/version"); $nothing"
}

# replace TEXT CHARACTER REPLACEMENT
replace() {
  left=$1 replaced=''
  while :; do
    case $left in
      *"$2"*) replaced=$replaced${left%%"$2"*}$3 left=${left#*"$2"} ;;
      *) break ;;
    esac
  done
  printf '%s' "$replaced$left"
}

# Prints the line for the start-up file of the user's shell; a folder's name can have any character.
say_path() {
  case :${PATH:-}: in
    *":$folder:"*) return ;;
  esac
  case $folder in
    *:*)
      say "$folder cannot be on PATH, since its name has a colon; kubectl does not find the plugin there."
      return
      ;;
  esac
  say "$folder is not on your PATH. Add this line to your shell's start-up file:"
  # shellcheck disable=SC1003 # a backslash is meant
  case ${SHELL:-} in
    */fish) say "  fish_add_path '$(replace "$(replace "$folder" '\' '\\')" "'" "\\'")'" ;;
    *) say "  export PATH='$(replace "$folder" "'" "'\\''")':\"\$PATH\"" ;;
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
  case $version in
    '' | v[0-9]*.[0-9]*.[0-9]*) ;;
    *) die "--version takes vX.Y.Z, not $version" ;;
  esac
  case $releases in
    https://*) protocols='=https' ;;
    http://*) protocols='=http,https' ;;
    *) die "DSDOCTOR_RELEASES is no URL with https: $releases" ;;
  esac
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
