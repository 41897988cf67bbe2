# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Sourced by ./dev: what compares the program with Kubernetes itself.

# Requires Go and a module proxy. Built programs are stored outside the tree.
readonly rig="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/dsdoctor-rig"

# The preset of the program that is compared with Kubernetes; another existing build saves time.
readonly tried="${DSDOCTOR_PRESET:-release}"

# The releases of Kubernetes with which the program is compared, that of e2e/go.mod first.
releases() {
  sed -nE 's/^\tk8s\.io\/kubernetes v(1\.[0-9]+)\..*/\1/p' e2e/go.mod
  (cd e2e/releases && printf '%s\n' *.mod | sed 's/\.mod$//')
}

# The name of what follows --release, checked.
release_named() {
  local known
  known=$(releases | paste -sd ' ')
  [[ -n ${1:-} && " $known " == *" $1 "* ]] || die "--release takes one of: $known${1:+, not $1}"
  printf '%s\n' "$1"
}

# For go commands in e2e: the arguments that select the modules of a release, and the Go that they
# need.
use_release() {
  modules=()
  [[ -f e2e/releases/$1.mod ]] || return 0
  modules=(-modfile="releases/$1.mod")
  local toolchain
  toolchain=$(awk '$1 == "toolchain" { print $2 }' "e2e/releases/$1.mod")
  [[ -z $toolchain ]] || export GOTOOLCHAIN=$toolchain
}

verb_workflows() { # GitHub's workflows, by actionlint and zizmor (needs Go and an index of Python packages)
  need python3-venv
  e2e/workflows/check.sh "$rig"
}

# Can the control plane of this release be built?
has_control_plane() { ! grep -qs '^// Only ./cmd/oracle' "e2e/releases/$1.mod"; }

# Builds the program and the named Go programs of the rig; oracle-RELEASE is the oracle of a release.
build_rig() {
  need "${build_packages[@]}"
  [[ $tried == release ]] || need "${test_packages[@]}"
  local part needed=(. older)
  for part in "$@"; do
    case $part in oracle-*) needed+=("releases/${part#oracle-}.mod") ;; esac
  done
  sh e2e/preflight.sh "${needed[@]}"
  # Without DWARF: most programs of the rig hold a control plane, and link in half the time.
  export GOFLAGS="${GOFLAGS:+$GOFLAGS }-ldflags=-w"
  build "$tried"
  mkdir -p "$rig"
  for part in "$@"; do
    say "building the rig: $part"
    case $part in
      older) (cd e2e/older && go build -p "$jobs" -o "$rig/oracle-older" ./cmd/oracle) ;;
      oracle-*) (use_release "${part#oracle-}" && cd e2e && go build "${modules[@]}" -p "$jobs" -o "$rig/$part" ./cmd/oracle) ;;
      kubectl) (cd e2e && go build -p "$jobs" -o "$rig/kubectl" k8s.io/kubernetes/cmd/kubectl) ;;
      *) (cd e2e && go build -p "$jobs" -o "$rig/$part" "./cmd/$part") ;;
    esac
  done
}

bench_cluster() {
  local arguments=() argument
  for argument in "$@"; do
    if [[ $argument == --record ]]; then
      arguments+=(--record lib/testing/scale_history.md --title "$(lib/testing/bench_title.sh)")
    else
      arguments+=("$argument")
    fi
  done
  need curl
  build_rig cluster kubectl cost list
  "$rig/cost" --cluster "$rig/cluster" --kubectl "$rig/kubectl" --list "$rig/list" --like testdata/wire/nodes-page1.json \
    --binary "build/$tried/cmd/kubectl-dsdoctor" "${arguments[@]}"
}

bench_watch() {
  build_rig cluster kubectl watchcost
  "$rig/watchcost" --cluster "$rig/cluster" --kubectl "$rig/kubectl" --binary "build/$tried/cmd/kubectl-dsdoctor" "$@"
}

# Runs the client's suites and a real control plane with the program for Windows.
e2e_windows() {
  local built=()
  build_rig kubectl
  # shellcheck disable=SC2046
  need wine wine64 $(package_tools windows-amd64)
  build_program windows-amd64
  export DSDOCTOR_WINDOWS="$PWD/build/package-windows-amd64/cmd/kubectl-dsdoctor.exe" DSDOCTOR_KUBECTL="$rig/kubectl"
  say "running with the program for Windows: ./client, ./windows"
  (cd e2e && go vet ./... && DSDOCTOR_BINARY=$DSDOCTOR_WINDOWS go test -vet=off -count=1 -timeout 20m ./client -hostile=1000 "$@")
  export DSDOCTOR_BINARY="$PWD/build/$tried/cmd/kubectl-dsdoctor"
  (cd e2e && go test -vet=off -count=1 -timeout 10m -v ./windows)
}

# Opens pages in Chromium and checks them with axe. --pictures: also makes those of the documentation.
e2e_browser() {
  local axe="$rig/axe-core-4.14.1" arguments=() pictures=
  if [[ ${1:-} == --pictures ]]; then
    pictures=$(mktemp -d)
    arguments=(-screenshots "$pictures") && shift
  fi
  need "${build_packages[@]}" chromium fonts-dejavu-core
  command -v npm >/dev/null || need npm
  sh e2e/preflight.sh browser
  build "$tried"
  if [[ ! -f $axe/package/axe.min.js ]]; then
    mkdir -p "$axe"
    (cd "$axe" && npm pack --silent "axe-core@${axe##*-}" >/dev/null) ||
      die "axe-core could not be fetched with npm"
    tar -xzf "$axe"/axe-core-*.tgz -C "$axe"
  fi
  export DSDOCTOR_BINARY="$PWD/build/$tried/cmd/kubectl-dsdoctor" DSDOCTOR_AXE="$axe/package/axe.min.js"
  say "running: ./browser"
  (cd e2e/browser && go vet ./... && go test -vet=off -count=1 -timeout 20m -v . "${arguments[@]}" "$@")
  [[ -n $pictures ]] || return 0
  mkdir -p docs/images
  cp "$pictures/mixed-light-1280.png" docs/images/page-light.png
  cp "$pictures/mixed-dark-1280.png" docs/images/page-dark.png
  cp "$pictures/mixed-light-390.png" docs/images/page-phone.png
  rm -r "$pictures"
  say "made: docs/images"
}
# Compares forecasts with Karpenter's own code, reports with their schemas, the chart with the
# kustomizations, and runs alerts and dashboard with Prometheus' own code.
e2e_fleet() {
  need "${build_packages[@]}"
  export DSDOCTOR_BINARY="$PWD/build/$tried/cmd/kubectl-dsdoctor" GOTOOLCHAIN
  GOTOOLCHAIN=go$(awk '$1 == "go" { print $2 }' e2e/fleet/go.mod) # Karpenter's
  sh e2e/preflight.sh fleet
  build "$tried"
  say "running: ./fleet ./monitoring ./chart"
  (cd e2e/fleet && go vet . && go test -vet=off -count=1 -timeout 20m -v . "$@")
  (cd e2e/monitoring && go vet . && go test -vet=off -count=1 -timeout 20m -v . "$@")
  (cd e2e/chart && go vet . && go test -vet=off -count=1 -timeout 20m -v . "$@")
}

verb_e2e() { # a real control plane and a faulty one (needs Go and a module proxy); scenarios|fixes|client|watch: only that, with go test's flags; scenarios --release X: of that release; browser: HTML pages in Chromium (needs npm); fleet: forecasts, with Karpenter, alerts, with Prometheus, and the chart, with Helm; windows: the Windows program (needs wine)
  local suites=(./scenarios ./client) fixes=yes watch=yes release
  case ${1:-} in
    scenarios)
      if [[ ${2:-} == --release ]]; then
        release=$(release_named "${3:-}")
        e2e_release "$release" "${@:4}"
        return
      fi
      suites=(./scenarios) fixes=no watch=no && shift
      ;;
    client) suites=(./client) fixes=no watch=no && shift ;;
    watch) suites=(./watch) fixes=no watch=no && shift ;;
    fixes) suites=() watch=no && shift ;;
    browser)
      shift
      e2e_browser "$@"
      return
      ;;
    fleet)
      shift
      e2e_fleet "$@"
      return
      ;;
    windows)
      shift
      e2e_windows "$@"
      return
      ;;
  esac
  build_rig kubectl
  say "running the rig's own tests, then: ${suites[*]:-./fixes}"
  (cd e2e/oracle && go vet ./... && go test -vet=off -p "$jobs" -count=1 ./...)
  (cd e2e && go vet ./... && go test -vet=off -p "$jobs" -count=1 ./fit ./cmd/fields ./cmd/messages)
  export DSDOCTOR_BINARY="$PWD/build/$tried/cmd/kubectl-dsdoctor" DSDOCTOR_KUBECTL="$rig/kubectl"
  (cd e2e && go test -vet=off -count=1 ./strict)
  ((${#suites[@]} == 0)) || (cd e2e && go test -vet=off -p "$jobs" -count=1 -timeout 30m "${suites[@]}" "$@")
  [[ $fixes == no ]] && return
  say "running: ./fixes" # separately, and with its figures
  (cd e2e && go test -vet=off -count=1 -timeout 30m -v ./fixes "$@")
  [[ $watch == no ]] && return
  say "running: ./watch" # separately, because it measures delays
  (cd e2e && go test -vet=off -count=1 -timeout 15m ./watch "$@")
}

# Runs the scenarios on the control plane of a release.
e2e_release() {
  local release=$1
  shift
  has_control_plane "$release" ||
    die "the control plane of $release cannot be built: $(sed -n 's|^// Only ./cmd/oracle: ||p' "e2e/releases/$release.mod")"
  if [[ -f e2e/releases/$release.mod ]]; then build_rig "oracle-$release"; else build_rig; fi
  say "running: ./scenarios, Kubernetes $release"
  export DSDOCTOR_BINARY="$PWD/build/$tried/cmd/kubectl-dsdoctor"
  (use_release "$release" && cd e2e && go test -vet=off "${modules[@]}" -p "$jobs" -count=1 -timeout 30m ./scenarios "$@")
}

# Runs e2e/client's servers against the program under the thread sanitizer. Each race is a file.
tsan_live() {
  local races="$PWD/build/tsan/race" status=0
  rm -f "$races".*
  TSAN_OPTIONS="halt_on_error=1:exitcode=66:log_path=$races" DSDOCTOR_PRESET=tsan ./dev e2e client "$@" || status=$?
  if compgen -G "$races.*" >/dev/null; then
    cat "$races".* >&2
    die "the thread sanitizer found something: see $races.*"
  fi
  return "$status"
}

verb_oracle() { # compare with Kubernetes' own code: --pairs N --seed S; --older: a release two years back; fit: with its scheduler, --cases N --seed S; --release X: that release (an unknown one lists them)
  local how=compare which=oracle release arguments=()
  [[ ${1:-} != fit ]] || { how=fit && shift; }
  while (($#)); do
    case $1 in
      --older) which=older ;;
      --release)
        release=$(release_named "${2:-}")
        which=oracle-$release
        [[ -f e2e/releases/$release.mod ]] || which=oracle
        shift
        ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  build_rig "$which"
  "$rig/${which/#older/oracle-older}" "$how" --binary "$PWD/build/$tried/cmd/kubectl-dsdoctor" "${arguments[@]}"
}

# Runs one kind of random test with a seed: $1 is oracle, fit, fixes or hostile; $3 is the oracle.
roam_part() {
  case $1 in
    oracle) "$rig/$3" compare --binary "$DSDOCTOR_BINARY" --pairs 200000 --seed "$2" ;;
    fit) [[ $3 == oracle-older ]] || "$rig/$3" fit --binary "$DSDOCTOR_BINARY" --cases 100000 --seed "$2" ;;
    fixes) (cd e2e && go test -vet=off -count=1 -timeout 30m -v ./fixes -seed="$2" -cases=250) ;;
    redaction) DSDOCTOR_SEED="$2" DSDOCTOR_CLUSTERS=20000 build/ci/lib/redaction/dsdoctor_redaction_test "[generated]" ;;
    hostile) (cd e2e && go test -vet=off -count=1 -timeout 30m -v ./client -run TestHostileAnswers -seed="$2" -hostile=20000) ;;
  esac
}

verb_roam() { # [minutes]: the scenarios of other releases that .ci/run omits, the pages in a browser and forecasts, then oracle, fit, fixes, hostile answers and redaction with fresh seeds, which are printed (30 minutes; needs Go)
  local minutes=${1:-30} seed part end seeds=() oracles=(oracle) release round=0
  [[ $minutes =~ ^[1-9][0-9]*$ ]] || die "./dev roam takes a number of minutes, not $minutes"
  for release in $(cd e2e/releases && printf '%s\n' *.mod); do oracles+=("oracle-${release%.mod}"); done
  build_rig "${oracles[@]}" older kubectl
  oracles+=(oracle-older)
  need "${test_packages[@]}"
  { cmake --preset ci && cmake --build --preset ci -j "$jobs" --target dsdoctor_redaction_test; } >/dev/null ||
    die "building the test of redaction failed"
  roam_releases
  e2e_browser
  (e2e_fleet)
  export DSDOCTOR_BINARY="$PWD/build/$tried/cmd/kubectl-dsdoctor" DSDOCTOR_KUBECTL="$rig/kubectl"
  end=$((SECONDS + 60 * minutes))
  while ((SECONDS < end)); do
    seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    for part in oracle fit fixes hostile redaction; do
      ((SECONDS < end)) || break
      say "roam: $part, seed $seed, ${oracles[round % ${#oracles[@]}]}"
      seeds+=("$part:$seed")
      roam_part "$part" "$seed" "${oracles[round % ${#oracles[@]}]}" || { say "roam: $part found something with seed $seed"; return 1; }
    done
    round=$((round + 1))
  done
  say "roam: nothing found; tried ${seeds[*]}"
}

# The two thirds of the scenarios that .ci/run does not run on releases beside the main one.
roam_releases() {
  local release share
  while read -r release; do
    has_control_plane "$release" || continue
    for share in 2/3 3/3; do e2e_release "$release" -share="$share"; done
  done < <(releases | tail -n +2)
}

verb_cluster() { # up|down: a control plane with simulated kubelets to play with
  local action=${1:-} dir="$rig/state"
  [[ $action == up || $action == down ]] || die "./dev cluster takes up or down"
  shift
  [[ $action == down && -x $rig/cluster ]] || build_rig cluster
  if [[ $action == up ]]; then
    "$rig/cluster" up --dir "$dir" --detach "$@"
    say "export KUBECONFIG=$dir/kubeconfig"
  else
    "$rig/cluster" down --dir "$dir"
  fi
}
