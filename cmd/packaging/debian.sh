# shellcheck shell=bash disable=SC2154
# Sourced by libraries.sh and zig_libraries.sh: Debian's packages below $folder in lists and folders of
# their own, so neither the machine's packages nor its architectures change, and root's rights are not needed.

# What the program contains, by Debian's package (gcc-12-base holds the licence of libstdc++).
readonly -A contained=([libc6-dev]=glibc [openssl]=openssl [libnghttp2-dev]=nghttp2 [nghttp2]=nghttp2
  [libc-ares-dev]=c-ares [zlib1g-dev]=zlib [zlib]=zlib [nlohmann-json3-dev]=nlohmann-json [libcli11-dev]=cli11
  [libprotozero-dev]=protozero [curl]=curl [fmtlib]=fmt [simdjson]=simdjson [yaml-cpp]=yaml-cpp
  [libarchive-dev]=libarchive [libarchive]=libarchive [liblzma-dev]=xz [xz-utils]=xz [libzstd]=zstd)

# What client-go offers and accepts: TLS 1.2 and 1.3, RSA, ECDSA, Ed25519, AES, ChaCha20, keys agreed on by
# curves alone (no-dh). The rest of OpenSSL cannot be left to the linker: tables name it. multiblock writes
# several records at once, which requests of a few lines never are.
# shellcheck disable=SC2034
readonly openssl_options=(no-shared no-tests no-dso no-module no-engine no-legacy no-autoload-config
  no-{ssl3,tls1,tls1_1,dtls,sctp,comp,psk,srp,srtp,ct,ocsp,weak-ssl-ciphers,ssl-trace,ui-console}
  no-{idea,camellia,seed,aria,bf,cast,des,md4,mdc2,rc2,rc4,rmd160,sm2,sm3,sm4,whirlpool,dsa,gost}
  no-{blake2,siphash,siv,ocb,scrypt,ec2m,cms,cmp,ts,rfc3779,afalgeng}
  no-{dh,multiblock,nextprotoneg,filenames})

own_apt() {
  apt-get -qq -o Dir::State="$folder/apt" -o Dir::Cache="$folder/apt/cache" \
    -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o APT::Sandbox::User= "$@"
}

# Lists of binary and source packages of both architectures, from where the machine gets its own.
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
  own_apt update
}

# Lines "PACKAGE [EPOCH:]VERSION" to lines "LIBRARY=VERSION".
name_libraries() {
  local package version
  while read -r package version; do
    [[ -z ${contained[$package]:-} ]] || echo "${contained[$package]}=${version#*:}"
  done | LC_ALL=C sort
}

# name_fetched DEB...: the same of what is in the current folder.
name_fetched() {
  local deb described=(./*.dsc)
  [[ ! -f openssl.upstream ]] || described+=(openssl.upstream)
  cat "${described[@]}" <(for deb in "$@"; do dpkg-deb -f "$deb" Package Version; done) |
    sed -nE 's/^(Package|Source|Version): //p' | paste -d ' ' - - | name_libraries
}

# fetch_sources PACKAGE...: unpacked into the current folder. A mirror of security updates may lack the original
# source that Debian's release has as well.
fetch_sources() {
  local package
  for package in "$@"; do
    own_apt source "$package" && continue
    own_apt source --download-only "$package/$(. /etc/os-release && echo "$VERSION_CODENAME")"
    own_apt source "$package"
  done
}

# A mirror may have a security update's original source before it has Debian's part of it: then the
# library is what upstream released, which apt has verified as well.
fetch_openssl() {
  local archive version
  own_apt source openssl && return
  archive=$(echo openssl_*.orig.tar.gz)
  tar -xzf "$archive"
  version=${archive#openssl_}
  echo "Source: openssl
Version: ${version%.orig.tar.gz}-upstream" >openssl.upstream
  install -D -m 644 openssl-*/LICENSE.txt openssl-"${version%.orig.tar.gz}"/debian/copyright
}

# A table of P-256's points has 150 KB, and spares a handshake with such a certificate less than a
# millisecond. X25519 keeps its code.
trim_openssl() { # SOURCE
  sed -i -E 's/ecp_nistz256\.c ecp_nistz256-[a-z0-9_]+\.[sS] ?//; s/ECP_NISTZ256_ASM ?//' "$1/crypto/ec/build.info"
}
