#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Karpenter joins the requirements on one label, and forgets that the label must exist.
#
# Good guess:  Karpenter judges a pod's node affinity as Kubernetes does, where all expressions of a term
#              have to hold: a node without the label team meets neither "team Exists and NotIn [red]"
#              nor "arch In [amd64] and In [arm64]".
# Seen:        sigs.k8s.io/karpenter v1.15.0, pkg/scheduling: Exists beside NotIn on one key is joined to
#              NotIn, which a pool that does not know the label meets; two In without a common value are
#              joined to DoesNotExist, which a pool that leaves a well-known label open meets. With only
#              one of the two expressions, or if the pool restricts the label, both agree.
# Matters for: the daemon overhead of new nodes: Karpenter reserves room for a DaemonSet of which no such
#              node gets a pod, and may create a larger node than needed.
#
# Needs Go 1.26 or later and a module proxy.
set -euo pipefail

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

cat >"$work/main.go" <<'GO'
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	karpenter "sigs.k8s.io/karpenter/pkg/scheduling"
)

func expression(key string, op corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: op, Values: values}
}

// compare asks both whether a node of the pool, with these labels, meets the term.
func compare(what string, pool karpenter.Requirements, labels map[string]string, term ...corev1.NodeSelectorRequirement) {
	ofPod := karpenter.NewNodeSelectorRequirements(term...)
	selector, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: term}}})
	if err != nil {
		panic(err)
	}
	node := &corev1.Node{}
	node.Labels = labels
	fmt.Printf("%s: Karpenter %v, Kubernetes %v\n", what,
		pool.IsCompatible(ofPod, karpenter.AllowUndefinedWellKnownLabels), selector.Match(node))
}

func main() {
	exists, notRed := expression("team", corev1.NodeSelectorOpExists), expression("team", corev1.NodeSelectorOpNotIn, "red")
	any := karpenter.NewRequirements()
	compare("team Exists", any, nil, exists)
	compare("team Exists and NotIn [red]", any, nil, exists, notRed)
	arch := func(value string) corev1.NodeSelectorRequirement {
		return expression(corev1.LabelArchStable, corev1.NodeSelectorOpIn, value)
	}
	amd64 := map[string]string{corev1.LabelArchStable: "amd64"}
	compare("arch In [amd64]", any, amd64, arch("amd64"))
	compare("arch In [amd64] and In [arm64]", any, amd64, arch("amd64"), arch("arm64"))
	restricted := karpenter.NewRequirements(karpenter.NewRequirement(corev1.LabelArchStable, corev1.NodeSelectorOpIn, "amd64"))
	compare("the same, of a pool with arch In [amd64]", restricted, amd64, arch("amd64"), arch("arm64"))
}
GO

cat >"$work/expected" <<'EXPECTED'
team Exists: Karpenter false, Kubernetes false
team Exists and NotIn [red]: Karpenter true, Kubernetes false
arch In [amd64]: Karpenter true, Kubernetes true
arch In [amd64] and In [arm64]: Karpenter true, Kubernetes false
the same, of a pool with arch In [amd64]: Karpenter false, Kubernetes false
EXPECTED

cd "$work"
export GOTOOLCHAIN=go1.26.9 # the least that Karpenter 1.15.0 accepts
{
  go mod init example.com/terms
  go get sigs.k8s.io/karpenter@v1.15.0 k8s.io/component-helpers@v0.36.1
  go mod tidy
} >/dev/null 2>&1
go run . | tee seen
if ! diff -u expected seen >&2; then
  echo "the behaviour has changed" >&2
  exit 1
fi
