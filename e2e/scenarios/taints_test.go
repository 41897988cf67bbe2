// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

const autoscalerTaint = "ToBeDeletedByClusterAutoscaler"

var taintScenarios = []scenario{
	{
		name:  "autoscaler-taint",
		story: "the cluster-autoscaler marks a node while agents run there; the suggested fix is applied",
		nodes: three(),
		sets: sets(
			daemonSet("agent", tolerating("dedicated", "Exists", "")),
			daemonSet("bare"), // no tolerations list that a patch could append to
			daemonSet("proxy", tolerating("", "Exists", "")),
		),
		first: expectation{"agent": "running:3", "bare": "running:3", "proxy": "running:3"},
		steps: []step{
			{
				name: "the node is marked: the controller does not count again by itself",
				do: func(w *world) {
					w.changeNode("n1", tainted(autoscalerTaint, "1601646271", v1.TaintEffectNoSchedule))
					before := counters{3, 3, 0, 3, 3, 3}
					w.lagsUntilTouched(
						expectation{
							"agent": "n1=misscheduled/node-removed-by-cluster-autoscaler running:2/-",
							"bare":  "n1=misscheduled/node-removed-by-cluster-autoscaler running:2/-",
						},
						map[string]counters{"agent": before, "bare": before})
				},
				want: expectation{"proxy": "running:3/- quiet"},
			},
			{
				name: "the alerts about it",
				do: func(w *world) {
					w.alert("KubeDaemonSetMisScheduled", "bare", true, "node-removed-by-cluster-autoscaler")
					w.alert("KubeDaemonSetMisScheduled", "proxy", false)
					w.alert("KubeDaemonSetNotScheduled", "bare", false)
				},
			},
			{
				name: "the suggested patch is applied to a list of tolerations",
				do:   func(w *world) { w.applySuggestion("agent", "n1") },
				want: expectation{"agent": "running:3"},
			},
			{
				name: "the suggested patch is applied where there is no list",
				do:   func(w *world) { w.applySuggestion("bare", "n1") },
				want: expectation{"bare": "running:3"},
			},
		},
	},
	{
		name:  "no-execute",
		story: "a NoExecute taint takes pods away unless it is tolerated",
		nodes: three(),
		sets: sets(
			daemonSet("bare"),
			daemonSet("half", tolerating("maintenance", "Exists", v1.TaintEffectNoSchedule)),
			daemonSet("tolerant", tolerating("maintenance", "Exists", v1.TaintEffectNoExecute)),
			daemonSet("lingering", behaving("slow-stop")),
		),
		first: expectation{"bare": "running:3", "half": "running:3", "tolerant": "running:3", "lingering": "running:3"},
		steps: []step{{
			name: "the taint is set",
			do: func(w *world) {
				w.changeNode("n1", tainted("maintenance", "disk", v1.TaintEffectNoExecute))
			},
			want: expectation{
				"bare": "n1=excluded running:2/-", "half": "n1=excluded running:2/-",
				"tolerant": "running:3/-", "lingering": "n1=removing/-,pod-disrupted running:2/-",
			},
		}},
	},
	{
		name:  "no-execute-for-seconds",
		story: "tolerationSeconds does not limit placement: the pod is evicted and made again",
		nodes: three(),
		sets: sets(
			daemonSet("patient", toleratingFor("maintenance", "Exists", v1.TaintEffectNoExecute, seconds(3600))),
			daemonSet("hasty", toleratingFor("maintenance", "Exists", v1.TaintEffectNoExecute, seconds(2))),
		),
		first: expectation{"patient": "running:3", "hasty": "running:3"},
		steps: []step{{
			name: "the taint is set and outlasts the seconds",
			do: func(w *world) {
				first := w.podsOn("hasty", "n1")[0].UID
				w.changeNode("n1", tainted("maintenance", "disk", v1.TaintEffectNoExecute))
				w.eventually("the evicted pod has a successor", func() bool {
					pods := w.podsOn("hasty", "n1")
					return len(pods) == 1 && pods[0].UID != first && pods[0].DeletionTimestamp == nil
				})
			},
			want: expectation{
				"patient": "n1=running/toleration-seconds-loop n2=running/- n3=running/-",
				"hasty":   "n1=*/toleration-seconds-loop n2=running/- n3=running/-",
			},
		}},
	},
	{
		name:  "special-nodes",
		story: "control-plane and GPU nodes are tainted from the start",
		nodes: []*v1.Node{
			node("cp", tainted("node-role.kubernetes.io/control-plane", "", v1.TaintEffectNoSchedule)),
			node("gpu", tainted("nvidia.com/gpu", "present", v1.TaintEffectNoSchedule)),
			node("soft", tainted("preferably-not", "", v1.TaintEffectPreferNoSchedule)),
		},
		sets: sets(
			daemonSet("bare"),
			daemonSet("legacy", tolerating("node-role.kubernetes.io/master", "Exists", v1.TaintEffectNoSchedule)),
			daemonSet("control", tolerating("node-role.kubernetes.io/control-plane", "", v1.TaintEffectNoSchedule)),
			daemonSet("driver", tolerating("nvidia.com/gpu", "Exists", "")),
			daemonSet("forgot-exists", tolerating("nvidia.com/gpu", "", "")),
		),
		first: expectation{
			"bare":          "cp=excluded gpu=excluded soft=running",
			"legacy":        "cp=excluded gpu=excluded soft=running",
			"control":       "cp=running gpu=excluded soft=running",
			"driver":        "cp=excluded gpu=running soft=running",
			"forgot-exists": "cp=excluded gpu=excluded soft=running",
		},
		steps: []step{{
			name: "they are asked about by name",
			do: func(w *world) {
				w.askedAbout("bare", "cp=excluded/node-control-plane gpu=excluded soft=running", "cp", "gpu", "soft")
				w.askedAbout("driver", "gpu=running/- +daemonset-best-effort -toleration-dead", "gpu")
				w.askedAbout("legacy", "cp=excluded/node-control-plane +toleration-old-master-key", "cp")
			},
		}},
	},
	{
		name:  "startup-circle",
		story: "two agents each remove a startup taint that the other does not tolerate: a new node waits for ever",
		nodes: []*v1.Node{node("old"), node("new", tainted(ciliumTaint, "", v1.TaintEffectNoSchedule), tainted(ebsTaint, "", v1.TaintEffectNoExecute))},
		sets: sets(
			daemonSet("cilium", tolerating(ciliumTaint, "Exists", "")),
			daemonSet("ebs-csi-node", tolerating(ebsTaint, "Exists", "")),
		),
		first: expectation{"cilium": "old=running new=excluded", "ebs-csi-node": "old=running new=excluded"},
		steps: []step{
			{
				name: "nobody is told to wait",
				do: func(w *world) {
					w.prints(text{exitCode: 1, says: []string{w.full("new")}, never: resolves}, "check", "cilium")
					w.prints(text{says: []string{ciliumTaint, ebsTaint, "ebs-csi-node"}, never: resolves}, "explain", "cilium", "--node", w.full("new"))
					w.prints(text{says: []string{ebsTaint}, never: append(nothingToDo, "better wait")}, "suggest", "cilium", "--for", "node/"+w.full("new"))
				},
			},
			{
				name: "one toleration breaks the circle, and each agent does its work",
				do: func(w *world) {
					w.applySuggestion("cilium", "new")
					w.changeNode("new", func(n *v1.Node) { n.Spec.Taints = withoutTaint(n.Spec.Taints, ciliumTaint) })
					w.eventually("the other agent starts", func() bool { return len(w.podsOn("ebs-csi-node", "new")) == 1 })
					w.changeNode("new", func(n *v1.Node) { n.Spec.Taints = withoutTaint(n.Spec.Taints, ebsTaint) })
				},
				want: expectation{"cilium": "running:2", "ebs-csi-node": "running:2"},
			},
		},
	},
}

const (
	ciliumTaint = "node.cilium.io/agent-not-ready"
	ebsTaint    = "ebs.csi.aws.com/agent-not-ready"
)

func seconds(n int64) *int64 { return &n }

// applySuggestion applies the binary's own fix for a node.
func (w *world) applySuggestion(name, short string) {
	w.Helper()
	answer, err := explain(cluster.Kubeconfig)
	w.must(err)
	suggestions := answer.daemonSet(w.namespace, name).Suggestions
	i := slices.IndexFunc(suggestions, func(s suggestion) bool { return slices.Contains(s.Nodes, w.full(short)) })
	if i < 0 {
		w.Fatalf("%s: nothing is suggested for %s", name, short)
	}
	w.applyFix(name, suggestions[i])
}
