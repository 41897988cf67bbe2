// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	v1 "k8s.io/api/core/v1"
)

const (
	nodeSelectorAnnotation       = "scheduler.alpha.kubernetes.io/node-selector"
	defaultTolerationsAnnotation = "scheduler.alpha.kubernetes.io/defaultTolerations"
	whitelistAnnotation          = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
)

var admissionScenarios = []scenario{
	{
		name:  "namespace-node-selector",
		story: "the namespace's node selector reaches pods only: elsewhere they stay pending, on conflict they are refused",
		nodes: []*v1.Node{node("a", labelled("pool", "a")), node("b", labelled("pool", "b"))},
		steps: []step{{
			name: "selector first, then the DaemonSets",
			do: func(w *world) {
				w.changeNamespace(func(ns *v1.Namespace) { ns.Annotations[nodeSelectorAnnotation] = "pool=a" })
				w.addDaemonSets(
					daemonSet("open"),
					daemonSet("conflicting", spec(func(s *v1.PodSpec) { s.NodeSelector = map[string]string{"pool": "b"} })),
				)
			},
			want: expectation{
				"open":        "a=running/- b=pending/sched-node-selector +drift-namespace-node-selector",
				"conflicting": "a=excluded b=missing/create-node-selector-conflict +create-node-selector-conflict",
			},
		}},
	},
	{
		name:  "namespace-tolerations",
		story: "default tolerations of the namespace come too late for the controller to know",
		nodes: []*v1.Node{node("plain"), node("gpu", tainted("nvidia.com/gpu", "present", v1.TaintEffectNoSchedule))},
		steps: []step{
			{
				name: "tolerations first, then the DaemonSet",
				do: func(w *world) {
					w.changeNamespace(func(ns *v1.Namespace) {
						ns.Annotations[defaultTolerationsAnnotation] = `[{"key":"nvidia.com/gpu","operator":"Exists"}]`
					})
					w.addDaemonSets(daemonSet("agent"))
				},
				want:  expectation{"agent": "plain=running/- gpu=excluded +drift-pod-mutated"},
				later: expectation{"agent": "+drift-namespace-tolerations"},
			},
			{
				name: "a whitelist without the automatic tolerations refuses every daemon pod",
				do: func(w *world) {
					w.changeNamespace(func(ns *v1.Namespace) {
						delete(ns.Annotations, defaultTolerationsAnnotation)
						ns.Annotations[whitelistAnnotation] = `[{"key":"nvidia.com/gpu","operator":"Exists"}]`
					})
					w.addDaemonSets(daemonSet("refused"))
				},
				want: expectation{"refused": "plain=missing/create-toleration-refused gpu=excluded +create-toleration-refused"},
			},
		},
	},
}
