// SPDX-License-Identifier: Apache-2.0

// Package fleet compares forecasts and machine-readable reports with other projects' own code.
package fleet

import (
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
)

// isDaemonPodCompatible is Karpenter's decision whether a daemon pod counts as overhead of the nodes
// of a pool. It removes terms of the pod's required node affinity until one is compatible.
//
//go:linkname isDaemonPodCompatible sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling.isDaemonPodCompatible
func isDaemonPodCompatible(template *scheduling.NodeClaimTemplate, of *cloudprovider.InstanceType, pod *corev1.Pod) bool
