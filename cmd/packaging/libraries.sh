#!/usr/bin/env bash
# libraries.sh FOLDER ARCH: makes FOLDER/ARCH, the root that the packaged program is linked from:
# Debian's static libraries of that architecture, and those of which Debian has no suitable static
# one, built from Debian's source packages. apt is asked with lists and folders of its own, so neither
# the machine's packages nor its architectures change, and root's rights are not needed.
# A root is kept for a day (security updates), or until one of these files changes.
set -euo pipefail

readonly folder=$1 arch=$2
readonly root="$folder/$arch" sources="$folder/$arch-sources" builds="$folder/$arch-build"
readonly jobs="${JOBS:-$(nproc)}"
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly packaging
case $arch in
  amd64) readonly triplet=x86_64-linux-gnu ;;
  arm64) readonly triplet=aarch64-linux-gnu ;;
  *) echo "error: no such architecture: $arch (amd64 or arm64)" >&2; exit 2 ;;
esac

# What the program contains, by Debian's package (gcc-12-base holds the licence of libstdc++).
readonly -A contained=([libc6-dev]=glibc [openssl]=openssl [libnghttp2-dev]=nghttp2
  [libc-ares-dev]=c-ares [zlib1g-dev]=zlib [nlohmann-json3-dev]=nlohmann-json [libcli11-dev]=cli11
  [libprotozero-dev]=protozero [curl]=curl [fmtlib]=fmt [simdjson]=simdjson [yaml-cpp]=yaml-cpp
  [libarchive-dev]=libarchive [liblzma-dev]=xz [libzstd]=zstd)
readonly binary_packages=(libc6-dev linux-libc-dev libnghttp2-dev libc-ares-dev
  zlib1g-dev libarchive-dev liblzma-dev libprotozero-dev gcc-12-base)
readonly header_packages=(nlohmann-json3-dev libcli11-dev)
readonly source_packages=(curl fmtlib libzstd simdjson yaml-cpp) # and openssl

# Nothing but http and https; name resolution by c-ares, since glibc's own loads modules of the
# machine's, probably different, glibc; no configuration of OpenSSL and no certificates but those
# that the program asks for.
readonly curl_options=(--disable-shared --enable-static --with-openssl --with-zlib --with-nghttp2
  --enable-ares --without-ca-bundle --without-ca-path --disable-openssl-auto-load-config
  --disable-{ldap,ldaps,rtsp,dict,telnet,tftp,pop3,imap,smb,smtp,gopher,mqtt,ftp,file,manual,ntlm}
  --disable-{alt-svc,hsts,unix-sockets,netrc,cookies,doh}
  --without-{brotli,zstd,libpsl,libidn2,librtmp,libssh2,libssh,gssapi})

# What client-go offers and accepts: TLS 1.2 and 1.3, RSA, ECDSA, Ed25519, AES, ChaCha20. The rest of
# OpenSSL cannot be left to the linker: tables name it.
readonly openssl_options=(no-shared no-tests no-dso no-module no-engine no-legacy no-autoload-config
  no-{ssl3,tls1,tls1_1,dtls,sctp,comp,psk,srp,srtp,ct,ocsp,weak-ssl-ciphers,ssl-trace,ui-console}
  no-{idea,camellia,seed,aria,bf,cast,des,md4,mdc2,rc2,rc4,rmd160,sm2,sm3,sm4,whirlpool,dsa,gost}
  no-{blake2,siphash,siv,ocb,scrypt,ec2m,cms,cmp,ts,rfc3779,afalgeng})

own_apt() {
  apt-get -qq -o Dir::State="$folder/apt" -o Dir::Cache="$folder/apt/cache" \
    -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o APT::Sandbox::User= "$@"
}

# Lists of binary and source packages of both architectures, from where the machine gets its own.
update_lists() {
  local key=signed-by=/usr/share/keyrings/debian-archive-keyring.gpg origins uri release
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

# The newest packages: binary ones unpacked into the root, where nothing of them is run; sources
# with Debian's patches. $root/libraries gets name and version of what the program contains.
fetch() {
  local wanted=("${header_packages[@]}") package deb
  for package in "${binary_packages[@]}"; do wanted+=("$package:$arch"); done
  cd "$sources"
  own_apt download "${wanted[@]}"
  own_apt source "${source_packages[@]}"
  fetch_openssl
  for deb in *.deb; do
    dpkg-deb -x "$deb" "$root"
  done
  rm "$root/usr/lib/$triplet"/*.so # some of these links lead to the machine's libraries
  cat ./*.{dsc,upstream} <(for deb in *.deb; do dpkg-deb -f "$deb" Package Version; done) |
    sed -nE 's/^(Package|Source|Version): //p' | paste -d ' ' - - | name_libraries >"$root/libraries"
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

# build_with_cmake NAME BUILD_TYPE [OPTION...]
build_with_cmake() {
  local name=$1 type=$2 source
  shift 2
  source=$(echo "$sources/$name"-*/)
  DSDOCTOR_PACKAGE_ROOT=$root cmake -S "$source" -B "$builds/$name" -G Ninja \
    -DCMAKE_TOOLCHAIN_FILE="$packaging/$arch.cmake" -DCMAKE_BUILD_TYPE="$type" \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/usr/local "$@"
  cmake --build "$builds/$name" -j "$jobs"
  DESTDIR=$root cmake --install "$builds/$name"
}

# For what is written in C: nothing unwinds through it.
read -ra hardening < <(cmake "-DCMAKE_SYSTEM_PROCESSOR=${triplet%%-*}" -P "$packaging/hardening.cmake")
c_flags=(-Os -ffunction-sections -fdata-sections "-ffile-prefix-map=$folder=/"
  -fno-unwind-tables -fno-asynchronous-unwind-tables "${hardening[@]}")
readonly c_flags

build_openssl() {
  local source
  source=$(echo "$sources"/openssl-*/)
  # A table of P-256's points has 150 KB, and spares a handshake with such a certificate less than a
  # millisecond. X25519 keeps its code.
  sed -i -E 's/ecp_nistz256\.c ecp_nistz256-[a-z0-9_]+\.[sS] ?//; s/ECP_NISTZ256_ASM ?//' \
    "$source/crypto/ec/build.info"
  mkdir -p "$builds/openssl"
  cd "$builds/openssl"
  perl "$source/Configure" "linux-${triplet%%-*}" "${openssl_options[@]}" --prefix=/usr/local --libdir=lib \
    --openssldir=/etc/ssl CC="$triplet-gcc" AR="$triplet-ar" RANLIB="$triplet-ranlib" \
    "--sysroot=$root" "${c_flags[@]}"
  make -s -j "$jobs" build_generated
  make -s -j "$jobs" libcrypto.a libssl.a
  install -D -m 644 -t "$root/usr/local/lib" libcrypto.a libssl.a
  install -D -m 644 -t "$root/usr/local/include/openssl" "$source"/include/openssl/*.h include/openssl/*.h
}

# Debian's is built for speed and for every format that zstd ever had: twice the size.
build_zstd() {
  cp -r "$sources"/libzstd-*/lib "$builds/zstd"
  make -s -C "$builds/zstd" -j "$jobs" libzstd.a ZSTD_LIB_DICTBUILDER=0 ZSTD_LIB_DEPRECATED=0 \
    ZSTD_LEGACY_SUPPORT=0 CC="$triplet-gcc --sysroot=$root" AR="$triplet-ar" \
    CFLAGS="${c_flags[*]}"
  install -D -m 644 -t "$root/usr/local/lib" "$builds/zstd/libzstd.a"
  install -D -m 644 -t "$root/usr/local/include" "$builds"/zstd/{zstd,zstd_errors}.h
}

build_curl() {
  local source own_folder=$root/usr/lib/$triplet
  source=$(echo "$sources"/curl-*/)
  mkdir -p "$builds/curl"
  cd "$builds/curl"
  "$source/configure" -q --host="$triplet" --prefix=/usr/local "${curl_options[@]}" PKG_CONFIG=no \
    CC="$triplet-gcc --sysroot=$root -B$own_folder/" CPPFLAGS="-I$root/usr/local/include" \
    LDFLAGS="-static -L$root/usr/local/lib -L$own_folder" \
    CFLAGS="${c_flags[*]}"
  make -s -C lib -j "$jobs"
  make -s -C lib install DESTDIR="$root"
  make -s -C include install DESTDIR="$root"
  install -D -m 644 -t "$root/usr/local/lib/cmake/CURL" "$packaging"/CURLConfig{,Version}.cmake
}

mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9 # another tree may be filling the same folder

recipe=$(cat "$packaging"/{libraries.sh,toolchain.cmake,hardening.cmake,"$arch".cmake,CURLConfig{,Version}.cmake} | sha256sum)
readonly recipe
if [[ -f $root/recipe && $(<"$root/recipe") == "$recipe" && -n $(find "$root/recipe" -mmin -1440) ]]; then
  exit 0
fi

rm -rf "$root" "$sources" "$builds"
mkdir -p "$root" "$sources" "$builds"
update_lists
fetch
build_with_cmake fmtlib MinSizeRel -DFMT_TEST=OFF -DFMT_DOC=OFF
# The bulk of the input goes through it. Machines have AVX2 (haswell), are arm64, or do with the
# portable one: what few have is not worth its 75 KB.
build_with_cmake simdjson Release "-DSIMDJSON_EXCLUDE_IMPLEMENTATION=icelake;westmere"
build_with_cmake yaml-cpp MinSizeRel -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_CPP_BUILD_CONTRIB=OFF
build_zstd
build_openssl
build_curl
rm -rf "$builds"
echo "$recipe" >"$root/recipe"
