#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# kubectl drain --ignore-daemonsets treats a DaemonSet of another API group differently since 1.34.
#
# Good guess:  --ignore-daemonsets leaves pods of every DaemonSet alone, or of none but apps/v1, and that
#              does not depend on the release of kubectl.
# Seen:        k8s.io/kubectl v0.33.0 compares only the kind of the controller and then looks for a
#              DaemonSet of apps/v1 with its name: for a pod of apps.kruise.io it finds none, and the whole
#              drain is refused. v0.34.0 compares the API version as well, and evicts the pod.
# Matters for: OpenKruise's DaemonSets (apps.kruise.io): after an update of kubectl, a drain that was
#              refused evicts their pods, agents and plugins among them.
#
# Needs Go 1.26 or later and a module proxy.
set -euo pipefail

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

cat >"$work/main.go" <<'GO'
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubectl/pkg/drain"
)

func main() {
	yes := true
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "agent-1", Namespace: "default",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps.kruise.io/v1alpha1", Kind: "DaemonSet", Name: "agent", Controller: &yes}}}}
	pod.Spec.NodeName = "n1"
	pod.Status.Phase = corev1.PodRunning
	helper := &drain.Helper{Ctx: context.Background(), Client: fake.NewClientset(pod), IgnoreAllDaemonSets: true, Out: os.Stdout, ErrOut: os.Stderr}
	list, faults := helper.GetPodsForDeletion("n1")
	if len(faults) != 0 {
		fmt.Println("refused:", faults[0])
		return
	}
	fmt.Println("evicted:", len(list.Pods()))
}
GO

cat >"$work/expected" <<'EXPECTED'
v0.33.0: refused: cannot delete daemonsets.apps "agent" not found: default/agent-1
v0.34.0: evicted: 1
EXPECTED

cd "$work"
for version in v0.33.0 v0.34.0; do
  rm -f go.mod go.sum
  {
    go mod init example.com/drain
    go get "k8s.io/kubectl@$version"
    go mod tidy
  } >/dev/null 2>&1
  echo "$version: $(go run .)"
done | tee seen
if ! diff -u expected seen >&2; then
  echo "the behaviour has changed" >&2
  exit 1
fi
