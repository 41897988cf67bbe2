#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# deploy.sh ARCHIVE KUBECTL CLUSTER: tests deploy/ against a real control plane. The API server
# accepts the manifests, the permissions are those of docs/rbac.md and sufficient, and the program
# of the ARCHIVE answers with the service account's token in a root without other files, as in its
# image.
set -euo pipefail

archive=$(realpath "$1") kubectl=$(realpath "$2") cluster=$(realpath "$3")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
readonly archive kubectl cluster work
trap '"$cluster" down --dir "$work/state" >/dev/null 2>&1 || :; rm -rf "$work"' EXIT
die() { printf 'deploy: %s\n' "$*" >&2; exit 1; }
k() { "$kubectl" --kubeconfig="$work/state/kubeconfig" "$@"; }

version=v$(sed -nE 's/^project\(.* VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
for kind in base files serve; do
  "$kubectl" kustomize "deploy/$kind" >"$work/$kind.yaml"
  images=$(grep -oE 'ghcr\.io/[^ ]+' "$work/$kind.yaml" | sort -u)
  [[ $images == "ghcr.io/kubectl-dsdoctor/kubectl-dsdoctor:$version" ]] || die "$kind is not of $version: $images"
done
# The other image is named by digest as well.
others=$(grep -E '^ +image: ' "$work/files.yaml" | grep -v 'ghcr\.io/kubectl-dsdoctor/' || :)
[[ $others =~ @sha256:[0-9a-f]{64}$ ]] || die "an image without its digest: $others"
# The ClusterRoles are exactly those of the document, without that for -w.
awk '/^```yaml$/ { on = 1; role = ""; next } on { role = role $0 "\n" }
     /^```$/ { if (on && role !~ /name: dsdoctor-watch/) printf "%s", substr(role, 1, length(role) - 4); on = 0 }' \
  docs/rbac.md >"$work/documented"
awk '/^---$/ { on = 0; text = "" } { text = text (/^(---|#.*)$/ ? "" : $0 "\n") } /^kind: ClusterRole$/ { on = 1 }
     on && /^  verbs:/ { printf "%s", text; text = "" }' deploy/base/rbac.yaml >"$work/deployed"
diff "$work/documented" "$work/deployed" || die 'deploy/base/rbac.yaml is not what docs/rbac.md says'
awk '/name: dsdoctor-watch$/ { on = 1 } on && /^(---|```)$/ { exit } on' deploy/serve/rbac.yaml >"$work/deployed"
awk '/name: dsdoctor-watch$/ { on = 1 } on && /^```$/ { exit } on' docs/rbac.md >"$work/documented"
[[ -s $work/documented ]] || die 'docs/rbac.md has no role for watches'
diff "$work/documented" "$work/deployed" || die 'deploy/serve/rbac.yaml is not what docs/rbac.md says'

mkdir "$work/state"
"$cluster" up --dir "$work/state" --detach >"$work/log" 2>&1 || { cat "$work/log"; die 'the control plane did not start'; }
k apply -f deploy/base/namespace.yaml >/dev/null # the dry run below needs it
for kind in base files serve; do
  k apply -f "$work/$kind.yaml" --dry-run=server --validate=strict >"$work/said" 2>&1 || { cat "$work/said"; die "$kind is refused"; }
  ! grep -i 'warning' "$work/said" || die "$kind has warnings"
done
k apply -f "$work/base.yaml" >/dev/null 2>"$work/said"
# Test data: a DaemonSet that a taint keeps away from its node, so that check exits with 1.
k apply -f - >/dev/null <<'END'
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {taints: [{key: example.com/own, effect: NoSchedule}]}}
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: agent, namespace: default}
  spec:
    selector: {matchLabels: {app: agent}}
    template:
      metadata: {labels: {app: agent}}
      spec: {containers: [{name: agent, image: example.com/agent}]}
END

# The pod security of the namespace admits the pod of the Job (the rig runs no controller of Jobs);
# the pod is simulated below.
k -n dsdoctor create job --from=cronjob/dsdoctor now --dry-run=server -o json >"$work/job.json"
python3 -c '
import json, sys
template = json.load(open(sys.argv[1]))["spec"]["template"]
json.dump({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "now"}, "spec": template["spec"]}, sys.stdout)
' "$work/job.json" >"$work/pod.json"
pod=$(k -n dsdoctor create -f "$work/pod.json" -o name 2>"$work/said") || { cat "$work/said"; die 'the pod is refused'; }
[[ ! -s $work/said ]] || { cat "$work/said"; die 'the pod has warnings'; }
# The same pod without its security context is rejected, so the check above can fail.
if sed 's/"runAsNonRoot": true/"runAsNonRoot": false/; s/"name": "now"/"name": "other"/' "$work/pod.json" |
  k -n dsdoctor create -f - >/dev/null 2>&1; then
  die 'a pod that may run as root is admitted'
fi
read -ra arguments < <(k -n dsdoctor get "$pod" -o jsonpath='{.spec.containers[0].args[*]}{"\n"}')
user=$(k -n dsdoctor get "$pod" -o jsonpath='{.spec.securityContext.runAsUser}:{.spec.securityContext.runAsGroup}')
[[ ${arguments[*]} == 'check -A' && $user == 65532:65532 ]] || die "the pod runs ${arguments[*]} as $user"

secrets=$work/root/var/run/secrets/kubernetes.io/serviceaccount
mkdir -p "$secrets"
tar -xzf "$archive" -C "$work/root" kubectl-dsdoctor
k -n dsdoctor create token dsdoctor >"$secrets/token"
k config view --raw --minify --flatten -o jsonpath='{.clusters[0].cluster.certificate-authority-data}' |
  base64 -d >"$secrets/ca.crt"
echo -n dsdoctor >"$secrets/namespace"
server=$(k config view --minify -o jsonpath='{.clusters[0].cluster.server}')
server=${server#https://}
chmod 755 "$work"
in_pod() {
  env -i KUBERNETES_SERVICE_HOST="${server%:*}" KUBERNETES_SERVICE_PORT="${server##*:}" \
    "$(command -v chroot)" --userspec=65532:65532 "$work/root" /kubectl-dsdoctor "$@"
}
status=0
in_pod "${arguments[@]}" -v=6 >"$work/out" 2>"$work/err" || status=$?
[[ $status == 1 ]] || { cat "$work/out" "$work/err"; die "exit $status"; }
grep -q '1 node ' "$work/out" || { cat "$work/out"; die 'no answer about the node'; }
! grep -iE 'forbidden|cannot|could not' "$work/out" "$work/err" || die 'not all permissions'
in_pod explain agent -n default | grep -q 'example.com/own:NoSchedule is not tolerated' || die 'no explanation'
for form in prometheus junit; do
  in_pod check -A -o "$form" >"$work/$form" || [[ $? == 1 ]] || die "-o $form"
done
grep -q '^dsdoctor_' "$work/prometheus" || die 'no metrics'
grep -q '<testsuite' "$work/junit" || die 'no JUnit'

# Only get and list, and no Secrets, beside what every service account may do (Kubernetes 1.37 lets
# all of them watch ClusterTrustBundles).
permissions() { k auth can-i --list --as="system:serviceaccount:$1" | awk 'NR > 1 && $1 ~ /^[a-z]/'; }
permissions default:default >"$work/everyone"
grep -q '^selfsubject' "$work/everyone" || die 'no permissions of a service account'
permissions dsdoctor:dsdoctor | grep -vxFf "$work/everyone" >"$work/can"
grep -q '^daemonsets.apps .*\[get list\]' "$work/can" || { cat "$work/can"; die 'the list of permissions is not read'; }
for kind in podgroups.scheduling.k8s.io devicetaintrules.resource.k8s.io resourceclaims.resource.k8s.io \
  resourceslices.resource.k8s.io deviceclasses.resource.k8s.io; do
  grep -q "^$kind .*\[get list\]" "$work/can" || die "$kind cannot be read"
done
! grep -vE '\[get list\]$' "$work/can" || die 'permissions beyond get and list'
! grep -E '^(secrets|configmaps|pods/|nodes/|\*)' "$work/can" || die 'permissions that are not needed'
# The pod of deploy/serve is admitted, and answers with what its roles grant.
k apply -f "$work/serve.yaml" >/dev/null
k -n dsdoctor get deployment dsdoctor -o json >"$work/deployment.json"
python3 -c '
import json, sys
template = json.load(open(sys.argv[1]))["spec"]["template"]
json.dump({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "serve"}, "spec": template["spec"]}, sys.stdout)
' "$work/deployment.json" >"$work/pod.json"
k -n dsdoctor create -f "$work/pod.json" -o name >/dev/null 2>"$work/said" || { cat "$work/said"; die 'the pod of serve is refused'; }
[[ ! -s $work/said ]] || { cat "$work/said"; die 'the pod of serve has warnings'; }
read -ra arguments < <(k -n dsdoctor get pod serve -o jsonpath='{.spec.containers[0].args[*]}{"\n"}')
[[ ${arguments[*]} == 'serve --listen=:8080' ]] || die "the pod runs ${arguments[*]}"
answer_of() { python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())' "$1" 2>/dev/null; }
in_pod serve --listen=127.0.0.1:0 -v=6 >"$work/out" 2>"$work/err" &
serving=$!
url='' metrics=''
for _ in {1..100}; do
  url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$work/err" | head -n 1 || :)
  metrics=$(answer_of "$url/metrics" || :)
  [[ $metrics != *'dsdoctor_live 1'* ]] || break
  sleep 0.2
done
[[ $metrics == *'dsdoctor_live 1'* ]] || { cat "$work/out" "$work/err"; die 'no metrics of serve'; }
[[ $(answer_of "$url/report") == *'</html>'* ]] || die 'no page of serve'
! grep -iE 'forbidden|cannot|could not' "$work/out" "$work/err" || die 'serve has not all permissions'
! grep -E ' (POST|PUT|PATCH|DELETE) ' "$work/err" || die 'serve sends more than GET'
kill "$serving"
for _ in {1..50}; do kill -0 "$serving" 2>/dev/null || break; sleep 0.1; done
! kill -0 "$serving" 2>/dev/null || die 'serve does not end on SIGTERM'

# Without the second role, the answer reports that.
k delete clusterrolebinding dsdoctor >/dev/null
for _ in {1..50}; do
  in_pod check -A >"$work/out" 2>"$work/err" && status=0 || status=$?
  [[ $status != 2 ]] || break
  sleep 0.2
done
[[ $status == 2 ]] || die 'an answer without permissions'
grep -q 'system:serviceaccount:dsdoctor:dsdoctor' "$work/err" || { cat "$work/err"; die 'no word of who is forbidden'; }
echo "deploy/: taken by the API server; the program answers in a pod with what docs/rbac.md grants"
