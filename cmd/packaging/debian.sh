# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Sourced by libraries.sh and zig_libraries.sh: fetches Debian's packages into $folder with separate
# lists and folders, so it changes neither the machine's packages nor its architectures, and needs
# no root.

# The libraries in the program, by Debian's package (gcc-12-base contains the licence of libstdc++).
readonly -A contained=([libc6-dev]=glibc [openssl]=openssl [libnghttp2-dev]=nghttp2 [nghttp2]=nghttp2
  [libc-ares-dev]=c-ares [zlib1g-dev]=zlib [zlib]=zlib [nlohmann-json3-dev]=nlohmann-json [libcli11-dev]=cli11
  [libkainjow-mustache-dev]=kainjow-mustache [libboost1.74-dev]=boost
  [libprotozero-dev]=protozero [curl]=curl [fmtlib]=fmt [simdjson]=simdjson [yaml-cpp]=yaml-cpp [libyaml-dev]=libyaml [libyaml]=libyaml
  [libarchive]=libarchive [liblzma-dev]=xz [xz-utils]=xz [libzstd]=zstd [bzip2]=bzip2 [lz4]=lz4)

# Enables what client-go offers and accepts: TLS 1.2 and 1.3, RSA, ECDSA, Ed25519, AES, ChaCha20,
# key agreement only by curves (no-dh). The linker cannot remove the rest of OpenSSL, because tables
# refer to it. multiblock writes several records together, which our short requests never need.
# shellcheck disable=SC2034
readonly openssl_options=(no-shared no-tests no-dso no-module no-engine no-legacy no-autoload-config
  no-{ssl3,tls1,tls1_1,dtls,sctp,comp,psk,srp,srtp,ct,ocsp,weak-ssl-ciphers,ssl-trace,ui-console}
  no-{idea,camellia,seed,aria,bf,cast,des,md4,mdc2,rc2,rc4,rmd160,sm2,sm3,sm4,whirlpool,dsa,gost}
  no-{blake2,siphash,siv,ocb,scrypt,ec2m,cms,cmp,ts,rfc3779,afalgeng}
  no-{dh,multiblock,nextprotoneg,filenames})

# For libarchive: tar and zip, without file access. Encrypted entries are refused, so no library for
# encryption is linked, which Debian's library needs.
# shellcheck disable=SC2034
readonly archive_options=(-DENABLE_{TEST,TAR,CPIO,CAT,ACL,XATTR,ICONV,LIBXML2,EXPAT,PCREPOSIX,WERROR}"=OFF"
  -DENABLE_{OPENSSL,NETTLE,MBEDTLS,CNG,LIBB2,LZ4,LZO}"=OFF" -DENABLE_{ZLIB,BZip2,LZMA,ZSTD}"=ON")

own_apt() { # apt-get|apt-cache ARGUMENT...
  "$1" -qq -o Dir::State="$folder/apt" -o Dir::Cache="$folder/apt/cache" \
    -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o APT::Sandbox::User= \
    -o Acquire::Retries=3 "${@:2}"
}

# Updates lists of binary and source packages of both architectures, from the machine's own mirrors.
update_lists() {
  local key=signed-by=/usr/share/keyrings/debian-archive-keyring.gpg origins uri release
  # shellcheck disable=SC2016
  origins=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
    'Identifier: Packages' 'Origin: Debian' 'Component: main' | sort -u)
  [[ -n $origins ]] || origins='http://deb.debian.org/debian bookworm
http://deb.debian.org/debian-security bookworm-security'
  mkdir -p "$folder"/apt/{lists,cache/archives}/partial
  while read -r uri release; do
    echo "deb [arch=amd64,arm64 $key] $uri $release main"
    echo "deb-src [$key] $uri $release main"
  done <<<"$origins" >"$folder/apt/sources.list"
  own_apt apt-get update
}

# Turns lines "PACKAGE [EPOCH:]VERSION" into lines "LIBRARY=VERSION".
name_libraries() {
  local package version
  while read -r package version; do
    [[ -z ${contained[$package]:-} ]] || echo "${contained[$package]}=${version#*:}"
  done | LC_ALL=C sort
}

# name_fetched DEB...: the same for the packages in the current folder.
name_fetched() {
  local deb described=(./*.dsc)
  [[ ! -f openssl.upstream ]] || described+=(openssl.upstream)
  cat "${described[@]}" <(for deb in "$@"; do dpkg-deb -f "$deb" Package Version; done) |
    sed -nE 's/^(Package|Source|Version): //p' | paste -d ' ' - - | name_libraries
}

# fetch_sources PACKAGE...: unpacks sources into the current folder. A mirror of security updates
# may lack the original source; Debian's release has it as well.
fetch_sources() {
  local package
  for package in "$@"; do
    own_apt apt-get source "$package" && continue
    own_apt apt-get source --download-only "$package/$(. /etc/os-release && echo "$VERSION_CODENAME")" &&
      own_apt apt-get source "$package" && continue
    fetch_older_source "$package"
  done
}

# A mirror may list a security update hours before it has the update's source: then unpacks the
# newest older version that it has, and adds a line "PACKAGE LISTED FETCHED" to ./outdated.
fetch_older_source() { # PACKAGE
  local package=$1 versions version
  versions=$(own_apt apt-cache showsrc --only-source "$package" | sed -n 's/^Version: //p' | sort -ruV)
  while read -r version; do
    rm -rf "$package"_*.dsc "$package"-*/
    own_apt apt-get source "$package=$version" || continue
    echo "$package ${versions%%$'\n'*} $version" >>outdated
    return
  done < <(tail -n +2 <<<"$versions")
  echo "error: the mirror has no source of $package: it lists ${versions//$'\n'/, }" >&2
  return 1
}

# A mirror may have a security update's original source before Debian's part of it: then uses
# upstream's release, which apt has verified as well.
fetch_openssl() {
  local archive version
  own_apt apt-get source openssl && return
  archive=$(compgen -G 'openssl_*.orig.tar.gz') || { fetch_older_source openssl; return; }
  tar -xzf "$archive"
  version=${archive#openssl_}
  echo "Source: openssl
Version: ${version%.orig.tar.gz}-upstream" >openssl.upstream
  install -D -m 644 openssl-*/LICENSE.txt openssl-"${version%.orig.tar.gz}"/debian/copyright
}

# A table of P-256's points takes 150 KB, and saves less than a millisecond per handshake with such
# a certificate. X25519 keeps its code.
trim_openssl() { # SOURCE
  sed -i -E 's/ecp_nistz256\.c ecp_nistz256-[a-z0-9_]+\.[sS] ?//; s/ECP_NISTZ256_ASM ?//' "$1/crypto/ec/build.info"
}
