#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Kubernetes 1.37 counts the overhead of a running pod twice.
#
# Good guess:  a pod on a node counts with the requests of its containers plus its overhead once, as
#              in every release before: 2 CPUs and an overhead of 500m are 2500m.
# Seen:        k8s.io/component-helpers v0.36.3 says 2500m, v0.37.2 says 3 CPUs for the same pod.
# Why:         the kubelet (from 1.36 on, InPlacePodLevelResourcesVerticalScaling) reports the sum of
#              containers and overhead in status.allocatedResources and status.resources of the pod.
#              From 1.37 on PodRequests takes these sums for those of the containers, and adds the
#              overhead of the spec.
# Matters for: every node with pods of a RuntimeClass with overhead (Kata, gVisor): the scheduler finds
#              less room than a sum of requests shows.
#
# Needs Go 1.26 or later and a module proxy.
set -euo pipefail

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

cat >"$work/main.go" <<'GO'
package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	helpers "k8s.io/component-helpers/resource"
)

func cpu(amount string) v1.ResourceList {
	return v1.ResourceList{v1.ResourceCPU: resource.MustParse(amount)}
}

func main() {
	pod := &v1.Pod{
		Spec: v1.PodSpec{
			Containers: []v1.Container{{Name: "agent", Resources: v1.ResourceRequirements{Requests: cpu("2")}}},
			Overhead:   cpu("500m"),
		},
		Status: v1.PodStatus{
			AllocatedResources: cpu("2500m"),
			Resources:          &v1.ResourceRequirements{Requests: cpu("2500m")},
			ContainerStatuses: []v1.ContainerStatus{{
				Name:               "agent",
				AllocatedResources: cpu("2"),
				Resources:          &v1.ResourceRequirements{Requests: cpu("2")},
			}},
		},
	}
	// What the scheduler asks of a pod that is on a node.
	requests := helpers.PodRequests(pod, helpers.PodResourcesOptions{
		UseStatusResources:                             true,
		InPlacePodLevelResourcesVerticalScalingEnabled: true,
	})
	fmt.Println(requests.Cpu())
}
GO

# The CPU requests of the pod by this release.
counted() {
  mkdir -p "$work/$1"
  cp "$work/main.go" "$work/$1/"
  (
    cd "$work/$1"
    go mod init example.com/overhead
    go get "k8s.io/api@$1" "k8s.io/apimachinery@$1" "k8s.io/component-helpers@$1"
    go mod tidy
  ) >/dev/null 2>&1
  (cd "$work/$1" && go run .)
}

status=0
while read -r release expected; do
  seen=$(counted "$release")
  echo "k8s.io/component-helpers $release: $seen"
  if [[ $seen != "$expected" ]]; then
    echo "expected $expected: the behaviour has changed" >&2
    status=1
  fi
done <<'EXPECTED'
v0.36.3 2500m
v0.37.2 3
EXPECTED
exit "$status"
