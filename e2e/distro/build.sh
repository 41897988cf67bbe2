#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh FOLDER VERSION CACHE: builds a .deb and an .rpm of each Linux archive in FOLDER with
# nfpm, and checks their content. Builds are reproducible: the date is that of the archive.
set -euo pipefail

dist=$(realpath "$1")
readonly dist version=${2#v} cache=$3/distro
cd "$(dirname "${BASH_SOURCE[0]}")"
sh ../preflight.sh distro
mkdir -p "$cache"
go build -o "$cache/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT
die() { echo "error: $*" >&2; exit 1; }

config() { # ARCH DATE
  cat <<END
name: kubectl-dsdoctor
arch: $1
platform: linux
version: $version
release: "1"
section: admin
priority: optional
maintainer: The kubectl-dsdoctor maintainers <noreply@github.com>
homepage: https://github.com/kubectl-dsdoctor/kubectl-dsdoctor
license: Apache-2.0
mtime: $2
description: |
  Explain why a DaemonSet has or does not have a pod on each node
  A kubectl plugin that evaluates taints, tolerations, selectors and affinity as the DaemonSet
  controller does, compares the result with the pods, and prints fixes with their effect.
  It only reads.
recommends: [kubectl]
rpm:
  buildhost: localhost
contents:
END
  local source place mode packager
  while read -r source place mode packager; do
    printf -- '- {src: %s, dst: /usr/%s, file_info: {mode: 0%s, mtime: %s}%s}\n' "$source" "$place" "$mode" "$2" "${packager:+, packager: $packager}"
  done <<'END'
kubectl-dsdoctor bin/kubectl-dsdoctor 755
kubectl_complete-dsdoctor bin/kubectl_complete-dsdoctor 755
kubectl-dsdoctor.1.gz share/man/man1/kubectl-dsdoctor.1.gz 644
dsdoctor.bash share/bash-completion/completions/kubectl-dsdoctor 644
dsdoctor.fish share/fish/vendor_completions.d/kubectl-dsdoctor.fish 644
dsdoctor.zsh share/zsh/vendor-completions/_kubectl-dsdoctor 644 deb
dsdoctor.zsh share/zsh/site-functions/_kubectl-dsdoctor 644 rpm
LICENSE share/doc/kubectl-dsdoctor/copyright 644 deb
LICENSE share/licenses/kubectl-dsdoctor/LICENSE 644 rpm
THIRD_PARTY_LICENSES share/doc/kubectl-dsdoctor/THIRD_PARTY_LICENSES 644
END
}

# package FOLDER ARCH DATE: builds both packages into FOLDER.
package() {
  local kind
  mkdir -p "$1"
  for kind in deb rpm; do
    (cd "$work/content" && SOURCE_DATE_EPOCH=$(date -d "$3" +%s) "$cache/nfpm" package --config "$work/nfpm.yaml" \
      --packager "$kind" --target "$1" >/dev/null)
  done
}

expected() { # KIND: the files
  local zsh=share/zsh/site-functions licence=share/licenses/kubectl-dsdoctor/LICENSE
  [[ $1 == rpm ]] || { zsh=share/zsh/vendor-completions licence=share/doc/kubectl-dsdoctor/copyright; }
  printf '/usr/%s\n' bin/kubectl{-,_complete-}dsdoctor share/man/man1/kubectl-dsdoctor.1.gz "$licence" \
    share/bash-completion/completions/kubectl-dsdoctor share/fish/vendor_completions.d/kubectl-dsdoctor.fish \
    "$zsh/_kubectl-dsdoctor" share/doc/kubectl-dsdoctor/THIRD_PARTY_LICENSES | LC_ALL=C sort
}

check_deb() { # FILE ARCH
  [[ $(dpkg-deb -f "$1" Package Version Architecture Depends | paste -sd ' ') == "Package: kubectl-dsdoctor Version: $version-1 Architecture: $2" ]] ||
    die "$1: $(dpkg-deb -f "$1")"
  rm -rf "$work/root"
  dpkg-deb -x "$1" "$work/root"
  diff <(expected deb) <(cd "$work/root" && find . -type f -printf '/%P\n' | LC_ALL=C sort) || die "$1: not these files"
  cmp "$work/root/usr/bin/kubectl-dsdoctor" "$work/content/kubectl-dsdoctor"
  [[ $(stat -c %a "$work/root/usr/bin/kubectl-dsdoctor" "$work/root/usr/share/doc/kubectl-dsdoctor/copyright" | paste -sd ' ') == '755 644' ]] ||
    die "$1: modes"
  gzip -dc "$work/root/usr/share/man/man1/kubectl-dsdoctor.1.gz" | cmp - "$work/content/page"
}

check_rpm() { # FILE ARCH
  local arch
  [[ $2 == amd64 ]] && arch=x86_64 || arch=aarch64
  [[ $(rpm -qp --qf '%{NAME} %{VERSION} %{RELEASE} %{ARCH} %{LICENSE}' "$1" 2>/dev/null) == "kubectl-dsdoctor $version 1 $arch Apache-2.0" ]] || die "$1: $(rpm -qpi "$1")"
  rpm -K --nosignature "$1" >/dev/null || die "$1: digests"
  diff <(expected rpm) <(rpm -qpl "$1" 2>/dev/null | LC_ALL=C sort) || die "$1: not these files"
  rm -rf "$work/root"
  mkdir "$work/root"
  rpm2cpio "$1" >"$work/payload" || : # Debian's rpm2cpio always exits with 1; the files are compared below
  (cd "$work/root" && cpio -id --quiet --no-absolute-filenames <"$work/payload")
  cmp "$work/root/usr/bin/kubectl-dsdoctor" "$work/content/kubectl-dsdoctor"
}

made=0
for arch in amd64 arm64; do
  archive=$dist/kubectl-dsdoctor_v${version}_linux_$arch.tar.gz
  [[ -f $archive ]] || continue
  rm -rf "$work/content"
  mkdir "$work/content"
  tar -xzf "$archive" -C "$work/content"
  mv "$work/content/kubectl-dsdoctor.1" "$work/content/page"
  gzip -9n <"$work/content/page" >"$work/content/kubectl-dsdoctor.1.gz"
  date=$(date -u -d "@$(stat -c %Y "$work/content/LICENSE")" +%FT%TZ)
  config "$arch" "$date" >"$work/nfpm.yaml"
  for folder in one two; do package "$work/$folder" "$arch" "$date"; done
  diff -r "$work/one" "$work/two" || die 'two builds differ'
  check_deb "$work"/one/*_"$arch".deb "$arch"
  if command -v rpm >/dev/null && command -v cpio >/dev/null; then check_rpm "$work"/one/*.rpm "$arch"; fi
  mv "$work"/one/*.{deb,rpm} "$dist"
  rm -r "$work/two"
  made=$((made + 1))
done
((made)) || die "$dist has no archive for Linux of version $version"
echo "packages of $made archives: .deb and .rpm"
