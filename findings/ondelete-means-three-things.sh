#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# kstatus never finishes waiting for a DaemonSet with OnDelete, and Helm 3 does not begin to wait.
#
# Good guess:  tools that wait for workloads treat updateStrategy OnDelete alike for DaemonSets and
#              StatefulSets, and agree with each other: nothing replaces these pods, so there is
#              nothing to wait for.
# Seen:        kstatus (github.com/fluxcd/cli-utils v1.3.0) reports a StatefulSet with OnDelete as
#              Current, but a DaemonSet as InProgress until somebody has deleted every pod of an older
#              template. Helm v3.22.0 reports both as ready. With RollingUpdate Helm 3 is content with
#              desired - maxUnavailable ready pods, kstatus is not. Neither looks at misscheduled pods.
# Why:         kstatus asks for the strategy of a StatefulSet only; Helm 3 returns before it compares
#              any number if the strategy is not RollingUpdate.
# Matters for: a move from Helm 3 to Helm 4 or Flux (both use kstatus): the same chart hangs until the
#              timeout after every change of the template.
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

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	helm "helm.sh/helm/v3/pkg/kube"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/kubernetes/fake"
)

var meta = metav1.ObjectMeta{Name: "agent", Namespace: "mon", Generation: 2}

func daemonSet(strategy appsv1.DaemonSetUpdateStrategyType, updated, ready, misscheduled int32) runtime.Object {
	ds := &appsv1.DaemonSet{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"}, ObjectMeta: meta}
	ds.Spec.UpdateStrategy.Type = strategy
	if strategy == appsv1.RollingUpdateDaemonSetStrategyType {
		two := intstr.FromInt32(2)
		ds.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &two}
	}
	ds.Status = appsv1.DaemonSetStatus{
		ObservedGeneration: 2, DesiredNumberScheduled: 10, CurrentNumberScheduled: 10, UpdatedNumberScheduled: updated,
		NumberReady: ready, NumberAvailable: ready, NumberMisscheduled: misscheduled,
	}
	return ds
}

func statefulSet() runtime.Object {
	ten := int32(10)
	s := &appsv1.StatefulSet{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"}, ObjectMeta: meta}
	s.Spec.Replicas = &ten
	s.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
	s.Status = appsv1.StatefulSetStatus{
		ObservedGeneration: 2, Replicas: 10, ReadyReplicas: 10, CurrentReplicas: 7, UpdatedReplicas: 3,
		CurrentRevision: "agent-1", UpdateRevision: "agent-2",
	}
	return s
}

func report(name string, object runtime.Object) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	result, err := status.Compute(&unstructured.Unstructured{Object: fields})
	if err != nil {
		panic(err)
	}
	checker := helm.NewReadyChecker(fake.NewClientset(object), func(string, ...any) {})
	ready, err := checker.IsReady(context.Background(), &resource.Info{Name: "agent", Namespace: "mon", Object: object})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s: kstatus %s, Helm 3 ready=%v\n", name, result.Status, ready)
}

func main() {
	onDelete, rolling := appsv1.OnDeleteDaemonSetStrategyType, appsv1.RollingUpdateDaemonSetStrategyType
	report("StatefulSet, OnDelete, 3 of 10 updated", statefulSet())
	report("DaemonSet, OnDelete, 3 of 10 updated", daemonSet(onDelete, 3, 10, 0))
	report("DaemonSet, RollingUpdate, 8 of 10 ready, maxUnavailable 2", daemonSet(rolling, 10, 8, 0))
	report("DaemonSet, RollingUpdate, all ready, 4 misscheduled", daemonSet(rolling, 10, 10, 4))
}
GO

cat >"$work/expected" <<'EXPECTED'
StatefulSet, OnDelete, 3 of 10 updated: kstatus Current, Helm 3 ready=true
DaemonSet, OnDelete, 3 of 10 updated: kstatus InProgress, Helm 3 ready=true
DaemonSet, RollingUpdate, 8 of 10 ready, maxUnavailable 2: kstatus InProgress, Helm 3 ready=true
DaemonSet, RollingUpdate, all ready, 4 misscheduled: kstatus Current, Helm 3 ready=true
EXPECTED

cd "$work"
{
  go mod init example.com/waits
  go get github.com/fluxcd/cli-utils@v1.3.0 helm.sh/helm/v3@v3.22.0
  go mod tidy
} >/dev/null 2>&1
go run . | tee seen
if ! diff -u expected seen >&2; then
  echo "the behaviour has changed" >&2
  exit 1
fi
