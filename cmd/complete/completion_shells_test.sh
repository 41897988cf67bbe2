#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# completion_shells_test.sh SHELL PROGRAM: loads the completion script that PROGRAM prints into the
# real SHELL, and compares its candidates for a few lines. The helper for kubectl is called as
# kubectl calls it.
set -euo pipefail

readonly shell=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$program" "$folder/kubectl-dsdoctor"
export PATH="$folder:$PATH" HOME=$folder
script="$folder/script"
kubectl-dsdoctor completion "$shell" >"$script"

# offered WORD...: the shell's candidates for the last word, one per line.
offered_bash() { # splits a line like readline: at blanks, and around "=", ":", "@"
  # shellcheck disable=SC2016
  bash --norc -c 'source "$0"; compopt() { :; }; COMP_LINE=$1 COMP_POINT=${#1}
    broken=${1//=/ = } broken=${broken//:/ : }; read -ra COMP_WORDS <<<"${broken//@/ @ }"
    [[ $1 != *" " ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _kubectl_dsdoctor; printf "%s\n" "${COMPREPLY[@]}"' "$script" "$*"
}
offered_zsh() {
  zsh -fc 'compdef() { :; }; _describe() { print -rl -- "${(@P)3}"; }; source "$0"
    words=("$@") CURRENT=$#; _kubectl_dsdoctor' "$script" "$@"
}
offered_fish() { # takes a line, not words
  local line="$*"
  # shellcheck disable=SC2016
  fish --no-config -c 'source $argv[1]; complete -C"$argv[2]"' "$script" "$line" | sed '/^$/d'
}
offered_kubectl() {
  shift
  sh "$script" "$@" | sed '/^:[0-9]*$/d'
}

expect() {
  local wanted=$1 got
  shift
  got=$("offered_$shell" "$@" 2>&1) || { echo "$shell: $*: failed: $got" >&2; exit 1; }
  [[ $got == "$wanted" ]] || { echo "$shell: $*: offered '$got', not '$wanted'" >&2; exit 1; }
}

expect datadog-agent kubectl-dsdoctor explain --demo dat
expect ds/datadog-agent kubectl-dsdoctor explain --demo ds/d
expect gpu-2 kubectl-dsdoctor explain --demo --node gpu-2
case $shell in
  bash)
    expect always kubectl-dsdoctor explain --demo --color=al
    expect datadog-agent kubectl-dsdoctor explain --demo --namespace=datadog dat
    cat >"$folder/config" <<'EOF'
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
contexts:
- {name: "arn:aws:eks:eu-west-1:1:cluster/prod", context: {cluster: c, user: u}}
- {name: "arn:aws:eks:eu-west-1:1:cluster/test", context: {cluster: c, user: u}}
- {name: kubernetes-admin@kubernetes, context: {cluster: c, user: u}}
EOF
    chmod 600 "$folder/config"
    export KUBECONFIG=$folder/config
    expect cluster/prod kubectl-dsdoctor explain --context arn:aws:eks:eu-west-1:1:cluster/pr
    expect kubernetes kubectl-dsdoctor explain --context kubernetes-admin@kub
    expect cluster/prod kubectl-dsdoctor explain --context=arn:aws:eks:eu-west-1:1:cluster/pr
    expect $'cluster/prod\ncluster/test' kubectl-dsdoctor explain --context arn:aws:eks:eu-west-1:1:
    expect datadog-agent kubectl-dsdoctor explain --context arn:aws:eks:eu-west-1:1:cluster/prod \
      --demo dat
    ;;
  kubectl) expect always kubectl-dsdoctor explain --demo --color=al ;;
  *) expect --color=always kubectl-dsdoctor explain --demo --color=al ;;
esac
