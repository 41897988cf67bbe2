#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# zig_libraries.sh FOLDER PLATFORM: makes FOLDER/PLATFORM, the root that the packaged program for
# macOS or Windows is linked from: the same libraries as for Linux, built with zig from Debian's
# source packages, and compiler wrappers in bin/. The system's own libraries are part of zig.
# A root with the newest sources is reused for a day (security updates), or until one of these
# files changes.
set -euo pipefail

readonly folder=$1 platform=$2
readonly root="$folder/$platform" sources="$folder/$platform-sources" builds="$folder/$platform-build"
readonly jobs="${JOBS:-$(nproc)}"
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly packaging
# shellcheck source-path=SCRIPTDIR source=debian.sh
source "$packaging/debian.sh"

case $platform in # macOS 11 and Windows 10 are the oldest supported versions
  darwin-arm64) readonly target=aarch64-macos.11.0 openssl_target=darwin64-arm64-cc ;;
  darwin-amd64) readonly target=x86_64-macos.11.0 openssl_target=darwin64-x86_64-cc ;;
  windows-amd64) readonly target=x86_64-windows-gnu openssl_target=mingw64 ;;
  *) echo "error: no such platform: $platform (darwin-arm64, darwin-amd64 or windows-amd64)" >&2; exit 2 ;;
esac

header_packages=(nlohmann-json3-dev libcli11-dev libkainjow-mustache-dev libprotozero-dev)
[[ $platform == windows-* ]] || header_packages+=(libboost1.74-dev) # serve
readonly header_packages
readonly source_packages=(bzip2 curl fmtlib libarchive libyaml libzstd lz4 nghttp2 simdjson xz-utils yaml-cpp zlib) # and openssl

readonly cc="$root/bin/cc"
c_flags=(-Os -w -ffunction-sections -fdata-sections -fvisibility=hidden -fstack-protector-strong
  "-ffile-prefix-map=$folder=/" -fno-unwind-tables -fno-asynchronous-unwind-tables)
# On Windows every exception and process end needs unwind tables.
[[ $platform != windows-* ]] || c_flags=("${c_flags[@]:0:7}")
readonly c_flags

# The compiler under the names that builds expect. All wrappers share one cache.
make_wrappers() {
  local tool
  mkdir -p "$root/bin"
  for tool in cc c++ ar ranlib rc; do
    {
      echo '#!/bin/sh'
      echo "export ZIG_GLOBAL_CACHE_DIR='$folder/zig-cache' ZIG_LOCAL_CACHE_DIR='$folder/zig-cache'"
      case $tool in
        cc | c++) echo "exec '$folder/zig/ziglang/zig' $tool -target $target \"\$@\"" ;;
        *) echo "exec '$folder/zig/ziglang/zig' $tool \"\$@\"" ;;
      esac
    } >"$root/bin/$tool"
    chmod +x "$root/bin/$tool"
  done
}

# $root/libraries gets name and version of the program's libraries.
fetch() {
  local deb
  cd "$sources"
  own_apt apt-get download "${header_packages[@]}"
  fetch_sources "${source_packages[@]}"
  fetch_openssl
  for deb in *.deb; do dpkg-deb -x "$deb" "$root"; done
  name_fetched ./*.deb >"$root/libraries"
  [[ ! -f outdated ]] || cp outdated "$root"
}

# Adds the libraries that zig itself provides and the program contains.
name_runtime() {
  local zig="$folder/zig/ziglang/lib" part version
  version=$("$folder/zig/ziglang/zig" version)
  for part in libcxx libcxxabi libunwind; do
    install -D -m 644 "$zig/$part/LICENSE.TXT" "$root/usr/share/doc/$part/copyright"
  done
  install -D -m 644 "$folder/zig/ziglang/LICENSE" "$root/usr/share/doc/zig-compiler-rt/copyright"
  echo "llvm-libcxx=zig-$version" >>"$root/libraries"
  if [[ $platform == windows-* ]]; then
    install -D -m 644 "$zig/libc/mingw/COPYING" "$root/usr/share/doc/mingw-w64/copyright"
    echo "mingw-w64=zig-$version" >>"$root/libraries"
  fi
  LC_ALL=C sort -o "$root/libraries" "$root/libraries"
}

# build_with_cmake NAME BUILD_TYPE TARGET [OPTION...]; installs if TARGET is "all"
build_with_cmake() {
  local name=$1 type=$2 what=$3 source
  shift 3
  source=$(echo "$sources/$name"-*/)
  DSDOCTOR_PACKAGE_ROOT=$root cmake -S "$source" -B "$builds/$name" -G Ninja \
    -DCMAKE_TOOLCHAIN_FILE="$packaging/$platform.cmake" -DCMAKE_BUILD_TYPE="$type" \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/usr/local "$@"
  cmake --build "$builds/$name" -j "$jobs" --target "$what"
  if [[ $what == all ]]; then
    DESTDIR=$root cmake --install "$builds/$name"
  else
    find "$builds/$name" -name 'lib*.a' -exec install -D -m 644 -t "$root/usr/local/lib" {} +
  fi
}

# build_directly NAME "COMPILER FLAG..." FILE...: compiles a list of files without configuration
# tests
build_directly() {
  local name=$1 flags=$2 objects="$builds/$1" file
  shift 2
  mkdir -p "$objects"
  for file in "$@"; do
    # names occur in several folders
    printf '%s\0%s\0' "$file" "$objects/$(basename "$(dirname "$file")")-$(basename "${file%.*}").o"
  done >"$objects/files"
  # shellcheck disable=SC2016,SC2086
  xargs -0 -n 2 -P "$jobs" bash -c 'exec "${@:1:$#-2}" -c "${@: -2:1}" -o "${@: -1}"' bash \
    $flags <"$objects/files"
  mkdir -p "$root/usr/local/lib"
  rm -f "$root/usr/local/lib/lib$name.a"
  "$root/bin/ar" rcs "$root/usr/local/lib/lib$name.a" "$objects"/*.o
}

build_zlib() {
  local source
  source=$(echo "$sources"/zlib-*/)
  build_directly z "$cc ${c_flags[*]} -DHAVE_UNISTD_H -Dfdopen=fdopen" \
    "$source"/{adler32,compress,crc32,deflate,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c
  install -D -m 644 -t "$root/usr/local/include" "$source"/{zlib,zconf}.h
}

build_zstd() {
  local source
  source=$(echo "$sources"/libzstd-*/lib)
  build_directly zstd "$cc ${c_flags[*]} -DZSTD_DISABLE_ASM -DZSTD_NO_INLINE -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ -I$source -I$source/common" \
    "$source"/{common,compress,decompress}/*.c
  install -D -m 644 -t "$root/usr/local/include" "$source"/{zstd,zstd_errors}.h
}

build_bzip2() {
  local source
  source=$(echo "$sources"/bzip2-*/)
  build_directly bz2 "$cc ${c_flags[*]}" \
    "$source"/{blocksort,bzlib,compress,crctable,decompress,huffman,randtable}.c
  install -D -m 644 -t "$root/usr/local/include" "$source/bzlib.h"
}

build_lz4() {
  local source
  source=$(echo "$sources"/lz4-*/lib)
  build_directly lz4 "$cc ${c_flags[*]} -DXXH_NAMESPACE=LZ4_" "$source"/{lz4,lz4frame,lz4hc,xxhash}.c
  install -D -m 644 -t "$root/usr/local/include" "$source"/{lz4,lz4frame}.h
}

# Like Debian's library, it is optimized for speed: large dumps are YAML.
build_yaml() {
  local source version
  source=$(echo "$sources"/libyaml-*/)
  version=${source%/}
  version=${version##*-}
  IFS=. read -r major minor patch <<<"$version"
  build_directly yaml "$cc ${c_flags[*]} -O2 -DYAML_VERSION_MAJOR=$major -DYAML_VERSION_MINOR=$minor -DYAML_VERSION_PATCH=$patch -DYAML_VERSION_STRING=\"$version\" -I$source/include" \
    "$source"/src/{api,loader,parser,reader,scanner}.c
  install -D -m 644 -t "$root/usr/local/include" "$source/include/yaml.h"
}

build_nghttp2() {
  local source version flags=-DHAVE_TIME_H include="$root/usr/local/include"
  source=$(echo "$sources"/nghttp2-*/)
  version=${source%/}
  version=${version##*-}
  mkdir -p "$include/nghttp2"
  cp "$source/lib/includes/nghttp2/nghttp2.h" "$include/nghttp2"
  IFS=. read -r major minor patch <<<"$version"
  sed "s/@PACKAGE_VERSION@/$version/; s/@PACKAGE_VERSION_NUM@/$(printf '0x%02x%02x%02x' "$major" "$minor" "$patch")/" \
    "$source/lib/includes/nghttp2/nghttp2ver.h.in" >"$include/nghttp2/nghttp2ver.h"
  [[ $platform == windows-* ]] || flags+=' -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H'
  build_directly nghttp2 "$cc ${c_flags[*]} -DNGHTTP2_STATICLIB $flags -I$include -I$source/lib" "$source"/lib/*.c
}

build_openssl() {
  local source
  source=$(echo "$sources"/openssl-*/)
  trim_openssl "$source"
  mkdir -p "$builds/openssl"
  cd "$builds/openssl"
  perl "$source/Configure" "$openssl_target" "${openssl_options[@]}" no-capieng --prefix=/usr/local --libdir=lib \
    --openssldir=/etc/ssl CC="$cc" AR="$root/bin/ar" RANLIB="$root/bin/ranlib" RC="$root/bin/rc" "${c_flags[@]}"
  make -s -j "$jobs" build_generated
  # without the machine's paths and the date
  SOURCE_DATE_EPOCH=1 perl "$source/util/mkbuildinf.pl" 'zig cc' "$openssl_target" >crypto/buildinf.h
  make -s -j "$jobs" libcrypto.a libssl.a
  install -D -m 644 -t "$root/usr/local/lib" libcrypto.a libssl.a
  install -D -m 644 -t "$root/usr/local/include/openssl" "$source"/include/openssl/*.h include/openssl/*.h
}

# Like for Linux, but the system resolves names, in a thread. On Windows uses curl's own
# configuration. On macOS curl would use SystemConfiguration for proxies, which kubectl does not
# read either.
build_curl() {
  local source flags
  source=$(echo "$sources"/curl-*/)
  flags="-DBUILDING_LIBCURL -DCURL_STATICLIB -DNGHTTP2_STATICLIB -I$root/usr/local/include -I$source/include -I$source/lib"
  if [[ $platform == windows-* ]]; then
    flags+=" -DUSE_OPENSSL -DUSE_NGHTTP2 -DHAVE_LIBZ -DHTTP_ONLY -DENABLE_IPV6 -DCURL_DISABLE_COOKIES"
    flags+=" -DCURL_DISABLE_NETRC -DCURL_DISABLE_DOH -DCURL_DISABLE_HSTS -DCURL_DISABLE_ALTSVC -DCURL_DISABLE_NTLM"
    flags+=" -DCURL_DISABLE_OPENSSL_AUTO_LOAD_CONFIG -DCURL_DISABLE_MQTT -DCURL_DISABLE_LDAP"
  else
    sed -i 's/CURL_OSX_CALL_COPYPROXIES 1/DSDOCTOR_NO_PROXIES_OF_THE_SYSTEM 1/' "$source/lib/curl_setup.h"
    install -D -m 644 "$packaging/darwin_curl_config.h.in" "$builds/curl-configuration/curl_config.h"
    flags+=" -DHAVE_CONFIG_H -I$builds/curl-configuration"
  fi
  build_directly curl "$cc ${c_flags[*]} $flags" "$source"/lib/*.c "$source"/lib/*/*.c
  install -D -m 644 -t "$root/usr/local/include/curl" "$source"/include/curl/*.h
  install -D -m 644 -t "$root/usr/local/lib/cmake/CURL" "$packaging"/CURLConfig{,Version}.cmake
}

build_archive() {
  build_with_cmake libarchive MinSizeRel archive_static "${archive_options[@]}"
  find "$root/usr/local/lib" -name 'libarchive_static.a' -execdir mv {} libarchive.a \;
  install -D -m 644 -t "$root/usr/local/include" "$sources"/libarchive-*/libarchive/archive{,_entry}.h
}

mkdir -p "$folder"
"$packaging/zig.sh" "$folder"
exec 9>"$folder/lock"
flock 9 # another tree may be filling the same folder

recipe=$(cat "$packaging"/{zig_libraries.sh,zig.sh,debian.sh,zig.cmake,"$platform".cmake,darwin_curl_config.h.in,CURLConfig{,Version}.cmake} | sha256sum)
readonly recipe
if [[ -f $root/recipe && $(<"$root/recipe") == "$recipe" && ! -f $root/outdated &&
  -n $(find "$root/recipe" -mmin -1440) ]]; then
  exit 0
fi

rm -rf "$root" "$sources" "$builds"
mkdir -p "$root" "$sources" "$builds"
make_wrappers
update_lists
fetch
name_runtime
build_with_cmake fmtlib MinSizeRel all -DFMT_TEST=OFF -DFMT_DOC=OFF
build_with_cmake simdjson Release all "-DSIMDJSON_EXCLUDE_IMPLEMENTATION=icelake;westmere" -DSIMDJSON_DEVELOPER_MODE=OFF
build_with_cmake yaml-cpp MinSizeRel all -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_CPP_BUILD_CONTRIB=OFF
build_with_cmake xz-utils MinSizeRel liblzma -DENABLE_NLS=OFF -DCREATE_XZ_SYMLINKS=OFF -DCREATE_LZMA_SYMLINKS=OFF
cp -r "$sources"/xz-utils-*/src/liblzma/api/lzma* "$root/usr/local/include"
build_zlib
build_zstd
build_bzip2
build_lz4
build_archive
build_yaml
build_nghttp2
build_openssl
build_curl
rm -rf "$builds"
echo "$recipe" >"$root/recipe"
