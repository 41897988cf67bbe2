#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# release_test.sh: which releases a rehearsal rejects, and which steps it runs in which order, in a
# small tree whose ./dev records its calls.
set -euo pipefail

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
readonly tree work
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
failed=0
complain() { echo "$*"; failed=1; }

cd "$work"
git init -q .
mkdir -p cmd docs
cp -r "$tree"/{CMakeLists.txt,deploy,krew-manifest.yaml,install.sh} .
cp -r "$tree/cmd/packaging" cmd
cp "$tree/README.md" .
cp "$tree"/docs/{install,in-cluster,security-updates}.md "$tree/docs/kubectl-dsdoctor.1" docs
old=$(cmd/packaging/version.sh)
printf '# Changes\n\n## [Unreleased]: 9.9.9\n\n### Added\n\n- Something.\n\n## [0.0.1] - 2020-01-01\n\n- Old.\n' >CHANGELOG.md
printf '/build*/\n/dist/\n' >.gitignore
cat >dev <<'END'
#!/usr/bin/env bash
set -eu
cd "$(dirname "$0")"
echo "dev $*: $(cmd/packaging/version.sh)" >>"$CALLS"
[[ $1 == package ]] || exit 0
mkdir -p dist
for name in ${PLATFORMS:-linux_amd64.tar.gz linux_arm64.tar.gz darwin_amd64.tar.gz darwin_arm64.tar.gz windows_amd64.zip}; do
  echo "$name" >"dist/kubectl-dsdoctor_$(cmd/packaging/version.sh)_$name"
done
END
chmod +x dev
git add -A
git commit -qm one
export CALLS=$work/build/calls
mkdir build

refused() { # MESSAGE ARGUMENT...
  local message=$1 said status=0
  shift
  : >"$CALLS"
  said=$(bash cmd/packaging/release.sh "$@" 2>&1) || status=$?
  [[ $status == 2 && $said == "error: "*"$message"* ]] || complain "release $*: exit $status: $said"
  [[ ! -s $CALLS ]] || complain "release $*: not refused before: $(<"$CALLS")"
}
refused 'takes a version vX.Y.Z' --dry-run
refused "not '0.2.0'" 0.2.0 --dry-run
refused "not 'v0.2'" v0.2 --dry-run
refused 'when a tag is pushed' v9.9.9
refused 'not --force' v9.9.9 --force
refused "v0.0.9 is not newer than the tree's version, $old" v0.0.9 --dry-run
touch new-file
refused 'new-file' v9.9.9 --dry-run
rm new-file
git tag v9.9.9
git tag v9.9.10
git tag not-a-version
refused 'v9.9.9 is not newer than the release v9.9.10' v9.9.9 --dry-run
refused 'v9.9.10 is not newer than the release v9.9.10' v9.9.10 --dry-run
git tag -d v9.9.9 v9.9.10 >/dev/null
sed -i 's/^- Something\.//; s/^### Added//' CHANGELOG.md
git commit -qam two
refused 'has no section of version 9.9.9' v9.9.9 --dry-run
git revert --no-edit HEAD >/dev/null

: >"$CALLS"
before=$(git rev-parse HEAD)
notes=$(bash cmd/packaging/release.sh v9.9.9 --dry-run 2>build/said) || complain "a rehearsal fails: $(<build/said)"
expected='dev test: v9.9.9
dev package all --distro --image --newest --check: v9.9.9
dev workflows: v9.9.9'
[[ $(<"$CALLS") == "$expected" ]] || complain "called: $(<"$CALLS")"
[[ $notes == *$'### Added\n\n- Something.' && $notes == "$(<dist/notes.md)" && $notes != *Old* ]] || complain "notes: $notes"
[[ $(git rev-parse HEAD) == "$before" && -z $(git tag --list 'v*') ]] || complain 'something was committed or tagged'

[[ -z $(git status --porcelain) ]] || complain "the tree was changed: $(git status --porcelain)"
for name in dsdoctor.yaml kubectl-dsdoctor.rb kubectl-dsdoctor.json install.sh checksums.txt; do
  [[ -s dist/$name ]] || complain "dist/ has no $name"
done
if grep -rlF "${old#v}" build/rehearsal/{CMakeLists.txt,deploy,docs,CHANGELOG.md}; then complain "still $old"; fi
if grep -i 'unreleased\|not released\|no release yet' build/rehearsal/{README.md,docs/*.md}; then complain 'still says that nothing is released'; fi
[[ $(grep -c '/install.sh | sh$' build/rehearsal/README.md) == 1 ]] || complain 'README does not install the release'
for file in README.md docs/install.md docs/in-cluster.md; do
  # Everything else of the document is left.
  missing=$(diff <(sed -e '/^<!-- unreleased -->$/,/^<!-- .unreleased -->$/d' -e '/^<!-- install -->$/,/^<!-- .install -->$/d' \
    -e "s/${old#v}/9.9.9/g" "$file") "build/rehearsal/$file" | grep '^<' | grep -v '^< *$') || :
  [[ -z $missing ]] || complain "$file lost: $missing"
done
grep -q '^## \[9\.9\.9\] - 20' build/rehearsal/CHANGELOG.md || complain 'CHANGELOG.md has no date'

# A missing archive is an error unless it is omitted on purpose.
if PLATFORMS=linux_amd64.tar.gz bash cmd/packaging/release.sh v9.9.9 --dry-run >build/said 2>&1; then complain 'a release with missing archives'; fi
grep -q 'has no kubectl-dsdoctor_v9.9.9_linux_arm64.tar.gz' build/said || complain "said: $(<build/said)"

PLATFORMS=linux_amd64.tar.gz bash cmd/packaging/release.sh v9.9.9 --dry-run amd64 >/dev/null 2>&1 || complain 'one platform'
grep -q '^dev package amd64 --distro --image --newest --check: v9.9.9$' "$CALLS" || complain "called: $(<"$CALLS")"
exit "$failed"
