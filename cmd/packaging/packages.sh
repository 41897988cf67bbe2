# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2164
# Sourced by ./dev: builds the archives, one per platform.

# Static libraries and their sources.
readonly package_cache="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/dsdoctor-package"

# The packages needed to link for a platform.
package_tools() {
  echo make cmake ninja-build dpkg-dev perl ca-certificates
  case $1 in # zig comes from PyPI; build tools are compiled with this machine's compiler
    linux-*) ;;
    *) echo python3-pip zip "${build_packages[@]}" ;;
  esac
  case $1 in
    "linux-$(dpkg --print-architecture)") echo g++ ;;
    linux-amd64) echo g++ g++-x86-64-linux-gnu qemu-user-static ;; # the build runs a tool that it has built
    linux-arm64) echo g++ g++-aarch64-linux-gnu qemu-user-static ;;
  esac
}

# Prints the end of a log, and exits.
package_failed() { # LOG MESSAGE
  tail -n 60 "$1" >&2
  die "$2"
}

# Names the libraries whose newest version the mirror listed without having its source; a release
# must not contain these.
report_outdated() { # ROOT
  local package listed fetched
  [[ -f $1/outdated ]] || return 0
  while read -r package listed fetched; do
    say "warning: Debian's mirror lacks the source of $package $listed: the program contains $fetched"
  done <"$1/outdated"
  [[ $newest == no ]] || die "--newest: run it again when the mirror has these sources"
}

# Builds the program for a platform: build/package-*/cmd. $built: the platforms built before.
build_program() { # PLATFORM
  local platform=$1 log preset=package-${1#linux-} root="$package_cache/${1#linux-}" how=zig_libraries.sh
  log=$(mktemp)
  say "preparing the static libraries ($platform)"
  [[ $platform != linux-* ]] || how=libraries.sh
  JOBS=$jobs cmd/packaging/$how "$package_cache" "${root##*/}" >"$log" 2>&1 ||
    package_failed "$log" "the static libraries could not be built ($platform)"
  report_outdated "$root"
  local here tools options=()
  here=$(dpkg --print-architecture)
  if [[ $platform != linux-* ]]; then
    tools=package-$here # this machine's package has just been built there
    if [[ " ${built[*]} " != *" linux-$here "* ]]; then
      tools=release
      say "building tools that this machine runs (preset release)"
      { cmake --preset release && cmake --build --preset release -j "$jobs" \
        --target dsdoctor_embed_known_taints dsdoctor_embed_findings dsdoctor_embed_demo_cluster; } >"$log" 2>&1 ||
        package_failed "$log" "the build failed (preset release)"
    fi
    options=("-DDSDOCTOR_HOST_TOOLS=$PWD/build/$tools/lib/decode")
  fi
  say "building (preset $preset)"
  export DSDOCTOR_PACKAGE_ROOT="$root"
  { cmake --preset "$preset" "${options[@]}" -DDSDOCTOR_BUNDLED_LIBRARIES="$(paste -sd ';' "$root/libraries")" &&
    cmake --build --preset "$preset" -j "$jobs" --target kubectl-dsdoctor; } >"$log" 2>&1 ||
    package_failed "$log" "the build failed (preset $preset)"
  rm -f "$log"
}

# Builds the program for a platform and packs it into dist/.
build_package() { # PLATFORM VERSION
  local platform=$1 version=$2 root="$package_cache/${1#linux-}" program=kubectl-dsdoctor archive=tar.gz
  build_program "$platform"
  [[ $platform != windows-* ]] || program=kubectl-dsdoctor.exe archive=zip
  cmd/packaging/archive.sh "build/package-${platform#linux-}/cmd/$program" "$root" "$root-sources" \
    "dist/kubectl-dsdoctor_${version}_${platform/-/_}.$archive"
}

# Builds the unit tests for macOS or Windows and packs them into build/tests-PLATFORM.tar.gz, which
# is unpacked at the root of a tree on such a system; cmd/packaging/run_tests.sh runs them there.
build_tests() { # PLATFORM
  local log preset=package-$1 catch2="$PWD/build/catch2" file
  need catch2
  rm -rf "$catch2" # in a separate folder: its own folder also has this machine's headers
  while read -r file; do
    [[ ! -f $file ]] || install -D -m 644 "$file" "$catch2$file"
  done < <(dpkg -L catch2 | grep -E '^/usr/(include|lib)/')
  say "building the tests (preset $preset)"
  log=$(mktemp)
  { cmake --preset "$preset" -DDSDOCTOR_TESTS=ON -DCatch2_DIR="$catch2/usr/lib/cmake/Catch2" &&
    cmake --build --preset "$preset" -j "$jobs" --target dsdoctor_tests kubectl-dsdoctor; } >"$log" 2>&1 ||
    package_failed "$log" "the tests could not be built (preset $preset)"
  rm -f "$log"
  find "build/$preset" -type f -regextype posix-extended \
    -regex '.*/(dsdoctor_([a-z]+_test|replay|fuzz_replay)|kubectl-dsdoctor)(\.exe)?' -print0 |
    tar -czf "build/tests-$1.tar.gz" --null -T -
}

verb_package() { # [all|linux-amd64|linux-arm64|darwin-amd64|darwin-arm64|windows-amd64]... [--distro] [--image] [--tests] [--newest] [--check]: archives in dist/, of Linux unless named; .deb and .rpm; a container image; unit tests for macOS and Windows; --newest: no library may be older than Debian's newest (flags need Go; wine checks Windows)
  local check=no image=no distro=no tests=no newest=no platform version here
  local platforms=() built=()
  for platform in "$@"; do
    case $platform in
      all) platforms+=(linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64) ;;
      amd64 | arm64) platforms+=("linux-$platform") ;;
      linux-amd64 | linux-arm64 | darwin-amd64 | darwin-arm64 | windows-amd64) platforms+=("$platform") ;;
      --check) check=yes ;;
      --newest) newest=yes ;;
      --image) image=yes ;;
      --distro) distro=yes ;;
      --tests) tests=yes ;;
      *) die "./dev package takes all, linux-amd64, linux-arm64, darwin-amd64, darwin-arm64, windows-amd64, --distro, --image, --tests, --newest and --check, not $platform" ;;
    esac
  done
  ((${#platforms[@]})) || platforms=(linux-amd64 linux-arm64)
  need dpkg-dev
  here=linux-$(dpkg --print-architecture)
  if [[ $check == yes && " ${platforms[*]}" == *" linux-"* && " ${platforms[*]} " != *" $here "* ]]; then
    say "making $here as well: Krew and kubectl try it on this machine"
    platforms=("$here" "${platforms[@]}")
  fi
  version=v$(sed -nE 's/^project\(.* VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
  export SOURCE_DATE_EPOCH
  rm -rf dist
  mkdir dist
  for platform in "${platforms[@]}"; do
    # shellcheck disable=SC2046
    need $(package_tools "$platform")
    build_package "$platform" "$version"
    built+=("$platform")
    [[ $tests == no || $platform == linux-* ]] || build_tests "$platform"
  done
  [[ $distro == no ]] || { need rpm cpio && e2e/distro/build.sh dist "$version" "$rig"; }
  cmd/packaging/finish.sh "$version" dist
  [[ $image == no ]] || e2e/image/build.sh dist "$version" "$rig"
  [[ $check == no ]] || check_packages "${platforms[@]}"
}

# Limits: 12 MB per program, 5.5 MB per archive.
check_sizes() {
  local archive packed program
  for archive in dist/*.tar.gz dist/*.zip; do
    [[ -e $archive ]] || continue
    packed=$(stat -c %s "$archive")
    if [[ $archive == *.zip ]]; then
      program=$(python3 -c 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).getinfo("kubectl-dsdoctor.exe").file_size)' "$archive")
    else
      program=$(tar -xzOf "$archive" kubectl-dsdoctor | wc -c)
    fi
    say "${archive##*/}: $packed bytes, its program $program"
    ((packed <= 5500000 && program <= 12000000)) || die "${archive##*/} is too large: 5500000 bytes, and 12000000 for its program, are the most"
  done
}

# Tests each platform as far as this machine can: Linux like a user, Windows under wine; macOS
# programs are only inspected.
check_packages() { # PLATFORM...
  local platform linux=no
  need python3-venv
  check_sizes
  e2e/sbom/check.sh dist "$rig"
  for platform in "$@"; do
    case $platform in
      linux-*) linux=yes ;;
      darwin-*)
        need python3
        say "inspecting the package ($platform)"
        cmd/packaging/check_darwin.py dist/*_"${platform/-/_}".tar.gz
        ;;
      windows-*)
        need wine wine64 python3 python3-h2 openssl
        build release # for comparison
        say "trying the package under wine ($platform)"
        # only Debian's Python has Debian's libraries
        /usr/bin/python3 cmd/packaging/check_windows.py dist/*_"${platform/-/_}".zip build/release/cmd/kubectl-dsdoctor \
          "$package_cache/$platform/bin/cc"
        [[ $tests == no ]] || WINEDEBUG=-all cmd/packaging/run_tests.sh "build/package-$platform" wine
        ;;
    esac
  done
  [[ $linux == no ]] || check_linux_packages
}

# Runs Krew's own validation and installation, the programs in roots without any other file, and the
# lines of the documents that install a release.
check_linux_packages() {
  need git strace curl openssl busybox rpm python3
  [[ $(compgen -G 'dist/*_linux_*.tar.gz' | wc -l) == 1 ]] || need qemu-user-static
  sh e2e/preflight.sh krew
  say "building krew, its validation and kubectl"
  mkdir -p "$rig/krew"
  local dist="$PWD/dist" root=()
  ((EUID == 0)) || root=(sudo)
  cd e2e/krew
  go build -p "$jobs" -o "$rig/krew/" ./cmd/kubectl sigs.k8s.io/krew/cmd/{krew,validate-krew-manifest}
  go vet ./...
  go test -c -o "$rig/krew/check" .
  say "checking the packages"
  "${root[@]}" env DSDOCTOR_DIST="$dist" DSDOCTOR_TOOLS="$rig/krew" "$rig/krew/check"
  (cd .. && go build -p "$jobs" -o "$rig/cluster" ./cmd/cluster)
  ../../cmd/packaging/try_release.sh "$dist" "$rig/krew"
  "${root[@]}" ../deploy.sh "$dist"/*_linux_"$(dpkg --print-architecture)".tar.gz "$rig/krew/kubectl" "$rig/cluster"
}
