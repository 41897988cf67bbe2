#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# release.sh vX.Y.Z --dry-run [PLATFORM...]: runs all steps of a release except tagging and
# publishing, in a clone below build/ with the version set: tests, packages of all platforms, their
# checks, the image, the section of CHANGELOG.md. With PLATFORMs (as for ./dev package, including
# this machine's) builds only these.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 2; }

version='' dry=no platforms=()
for word in "$@"; do
  case $word in
    --dry-run) dry=yes ;;
    -*) die "./dev release takes a version, --dry-run and platforms, not $word" ;;
    *) if [[ -z $version ]]; then version=$word; else platforms+=("$word"); fi ;;
  esac
done
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "./dev release takes a version vX.Y.Z, not '$version'"
[[ $dry == yes ]] ||
  die "releases are made by .github/workflows/release.yml when a tag is pushed; ./dev release $version --dry-run rehearses one"

changed=$(git status --porcelain)
[[ -z $changed ]] || die "the tree has changes that are not committed:"$'\n'"$changed"
# The newest tag and the tree's version; the tree's version can be released if it was never tagged.
newest=$(git tag --list 'v[0-9]*' | grep -E '^v[0-9]+\.[0-9]+\.[0-9]+$' | sort -V | tail -n 1 || :)
in_order() { [[ $(printf '%s\n' "$1" "$2" | sort -V | tail -n 1) == "$2" ]]; }
if [[ -n $newest ]]; then
  if [[ $version == "$newest" ]] || ! in_order "$newest" "$version"; then die "$version is not newer than the release $newest"; fi
fi
tree=$(cmd/packaging/version.sh)
in_order "$tree" "$version" || die "$version is not newer than the tree's version, $tree"

readonly rehearsal=build/rehearsal
rm -rf "$rehearsal"
git clone -q --no-tags . "$rehearsal"
(
  cd "$rehearsal"
  cmd/packaging/set_version.sh "$version"
  cmd/packaging/changelog.sh "$version" >/dev/null
  git diff --quiet ||
    git -c user.name=rehearsal -c user.email=rehearsal@localhost commit -qam "release: $version"
  say "rehearsing $version in $rehearsal"
  ./dev test
  ./dev package "${platforms[@]:-all}" --distro --image --newest --check
  ((${#platforms[@]})) || cmd/packaging/finish.sh "$version" dist --all
  ./dev workflows
) >&2
for archive in "$rehearsal"/dist/*.{tar.gz,zip}; do
  [[ ! -e $archive || ${archive##*/} == kubectl-dsdoctor_"$version"_* ]] || die "${archive##*/} is not of $version"
done
rm -rf dist
mv "$rehearsal/dist" dist
"$rehearsal"/cmd/packaging/changelog.sh "$version" | tee dist/notes.md
say "$version could be released: dist/ has what would be published, dist/notes.md what is new. Nothing was tagged."
say "To release it:"
say "  cmd/packaging/set_version.sh $version && git commit -am 'release: $version'"
say "  git tag $version && git push --atomic origin HEAD $version"
