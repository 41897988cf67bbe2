#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# libraries.sh FOLDER ARCH: makes FOLDER/ARCH, the root that the packaged program is linked from:
# Debian's static libraries of that architecture, and those without a suitable static library, built
# from Debian's source packages.
# A root with the newest sources is reused for a day (security updates), or until one of these
# files changes.
set -euo pipefail

readonly folder=$1 arch=$2
readonly root="$folder/$arch" sources="$folder/$arch-sources" builds="$folder/$arch-build"
readonly jobs="${JOBS:-$(nproc)}"
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly packaging
# shellcheck source-path=SCRIPTDIR source=debian.sh
source "$packaging/debian.sh"
case $arch in
  amd64) readonly triplet=x86_64-linux-gnu ;;
  arm64) readonly triplet=aarch64-linux-gnu ;;
  *) echo "error: no such architecture: $arch (amd64 or arm64)" >&2; exit 2 ;;
esac

readonly binary_packages=(libc6-dev linux-libc-dev libnghttp2-dev libc-ares-dev
  zlib1g-dev liblzma-dev libyaml-dev libprotozero-dev gcc-12-base)
readonly header_packages=(nlohmann-json3-dev libcli11-dev libkainjow-mustache-dev libboost1.74-dev)
readonly source_packages=(bzip2 curl fmtlib libarchive libzstd lz4 simdjson yaml-cpp) # and openssl

# Only http and https; name resolution by c-ares, because glibc's resolver loads modules of the
# machine's glibc, which probably differs; no OpenSSL configuration and no certificates except those
# that the program loads.
readonly curl_options=(--disable-shared --enable-static --with-openssl --with-zlib --with-nghttp2
  --enable-ares --without-ca-bundle --without-ca-path --disable-openssl-auto-load-config
  --disable-{ldap,ldaps,rtsp,dict,telnet,tftp,pop3,imap,smb,smtp,gopher,mqtt,ftp,file,manual,ntlm}
  --disable-{alt-svc,hsts,unix-sockets,netrc,cookies,doh,mime,dateparse,progress-meter}
  --disable-{get-easy-options,headers-api}
  --without-{brotli,zstd,libpsl,libidn2,librtmp,libssh2,libssh,gssapi})

# Fetches the newest packages: binary ones are unpacked into the root, and none of their programs is
# run; sources have Debian's patches. $root/libraries gets name and version of the program's
# libraries.
fetch() {
  local wanted=("${header_packages[@]}") package deb
  for package in "${binary_packages[@]}"; do wanted+=("$package:$arch"); done
  cd "$sources"
  own_apt apt-get download "${wanted[@]}"
  fetch_sources "${source_packages[@]}"
  fetch_openssl
  for deb in *.deb; do
    dpkg-deb -x "$deb" "$root"
  done
  rm "$root/usr/lib/$triplet"/*.so # some of these links point to the machine's libraries
  name_fetched ./*.deb >"$root/libraries"
  [[ ! -f outdated ]] || cp outdated "$root"
}

# build_with_cmake NAME BUILD_TYPE TARGET [OPTION...]; installs if TARGET is "all"
build_with_cmake() {
  local name=$1 type=$2 what=$3 source
  shift 3
  source=$(echo "$sources/$name"-*/)
  DSDOCTOR_PACKAGE_ROOT=$root cmake -S "$source" -B "$builds/$name" -G Ninja \
    -DCMAKE_TOOLCHAIN_FILE="$packaging/$arch.cmake" -DCMAKE_BUILD_TYPE="$type" \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/usr/local "$@"
  cmake --build "$builds/$name" -j "$jobs" --target "$what"
  [[ $what != all ]] || DESTDIR=$root cmake --install "$builds/$name"
}

# For libraries in C: no exception passes through them.
read -ra hardening < <(cmake "-DCMAKE_SYSTEM_PROCESSOR=${triplet%%-*}" -P "$packaging/hardening.cmake")
c_flags=(-Os -ffunction-sections -fdata-sections "-ffile-prefix-map=$folder=/"
  -fno-unwind-tables -fno-asynchronous-unwind-tables "${hardening[@]}")
readonly c_flags

build_openssl() {
  local source
  source=$(echo "$sources"/openssl-*/)
  trim_openssl "$source"
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

# Debian's library is built for speed and for every format that zstd ever had: twice the size.
# ZSTD_NO_INLINE: one function per strategy instead of one per way to call it.
build_zstd() {
  cp -r "$sources"/libzstd-*/lib "$builds/zstd"
  make -s -C "$builds/zstd" -j "$jobs" libzstd.a ZSTD_LIB_DICTBUILDER=0 ZSTD_LIB_DEPRECATED=0 \
    ZSTD_LEGACY_SUPPORT=0 CC="$triplet-gcc --sysroot=$root" AR="$triplet-ar" \
    CFLAGS="${c_flags[*]} -DZSTD_NO_INLINE"
  install -D -m 644 -t "$root/usr/local/lib" "$builds/zstd/libzstd.a"
  install -D -m 644 -t "$root/usr/local/include" "$builds"/zstd/{zstd,zstd_errors}.h
}

# Debian's libraries have compression as well, which the linker cannot remove from them.
build_bzip2() {
  cp -r "$sources"/bzip2-*/ "$builds/bzip2"
  make -s -C "$builds/bzip2" -j "$jobs" libbz2.a CC="$triplet-gcc --sysroot=$root" AR="$triplet-ar" \
    RANLIB="$triplet-ranlib" CFLAGS="${c_flags[*]}"
  install -D -m 644 -t "$root/usr/local/lib" "$builds/bzip2/libbz2.a"
  install -D -m 644 -t "$root/usr/local/include" "$builds/bzip2/bzlib.h"
}

build_lz4() {
  cp -r "$sources"/lz4-*/ "$builds/lz4"
  make -s -C "$builds/lz4/lib" -j "$jobs" liblz4.a CC="$triplet-gcc --sysroot=$root" AR="$triplet-ar" \
    CFLAGS="${c_flags[*]}"
  install -D -m 644 -t "$root/usr/local/lib" "$builds/lz4/lib/liblz4.a"
  install -D -m 644 -t "$root/usr/local/include" "$builds"/lz4/lib/{lz4,lz4frame}.h
}

build_archive() {
  build_with_cmake libarchive MinSizeRel archive_static "${archive_options[@]}"
  install -D -m 644 "$builds/libarchive/libarchive/libarchive.a" "$root/usr/local/lib/libarchive.a"
  install -D -m 644 -t "$root/usr/local/include" "$sources"/libarchive-*/libarchive/archive{,_entry}.h
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

recipe=$(cat "$packaging"/{libraries.sh,debian.sh,toolchain.cmake,hardening.cmake,"$arch".cmake,CURLConfig{,Version}.cmake} | sha256sum)
readonly recipe
if [[ -f $root/recipe && $(<"$root/recipe") == "$recipe" && ! -f $root/outdated &&
  -n $(find "$root/recipe" -mmin -1440) ]]; then
  exit 0
fi

rm -rf "$root" "$sources" "$builds"
mkdir -p "$root" "$sources" "$builds"
update_lists
fetch
build_with_cmake fmtlib MinSizeRel all -DFMT_TEST=OFF -DFMT_DOC=OFF
# Most of the input is parsed by it. Machines have AVX2 (haswell), are arm64, or use the portable
# version: the rarer ones are not worth their 75 KB.
build_with_cmake simdjson Release all "-DSIMDJSON_EXCLUDE_IMPLEMENTATION=icelake;westmere"
build_with_cmake yaml-cpp MinSizeRel all -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_CPP_BUILD_CONTRIB=OFF
build_zstd
build_bzip2
build_lz4
build_archive
build_openssl
build_curl
rm -rf "$builds"
echo "$recipe" >"$root/recipe"
