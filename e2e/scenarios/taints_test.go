package scenarios

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const autoscalerTaint = "ToBeDeletedByClusterAutoscaler"

var taintScenarios = []scenario{
	{
		name:  "autoscaler-taint",
		story: "the cluster-autoscaler marks a node while agents run there; the suggested cure is applied",
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
}

func seconds(n int64) *int64 { return &n }

// applySuggestion applies the binary's own cure for a node, first as a dry run, and expects
// of the controller what the cure predicted.
func (w *world) applySuggestion(name, short string) {
	w.Helper()
	answer, err := explain(cluster.Kubeconfig)
	w.must(err)
	suggestions := answer.daemonSet(w.namespace, name).Suggestions
	i := slices.IndexFunc(suggestions, func(s suggestion) bool { return slices.Contains(s.Nodes, w.full(short)) })
	if i < 0 {
		w.Fatalf("%s: nothing is suggested for %s", name, short)
	}
	chosen := suggestions[i]
	sets := client.AppsV1().DaemonSets(w.namespace)
	for _, dryRun := range [][]string{{metav1.DryRunAll}, nil} {
		_, err := sets.Patch(w.ctx, name, types.JSONPatchType, chosen.Patch, metav1.PatchOptions{DryRun: dryRun})
		if err != nil {
			w.Fatalf("the API server refuses the suggested patch %s: %v", chosen.Patch, err)
		}
	}
	if len(chosen.Effect.After) == 0 {
		w.Fatalf("%s: the suggestion predicts nothing", name)
	}
	w.eventually(fmt.Sprintf("%s comes to the predicted %v", name, chosen.Effect.After), func() bool {
		ds := w.getDaemonSet(name)
		return ds.Status.ObservedGeneration == ds.Generation && matches(ds.Status, chosen.Effect.After)
	})
}

func matches(status appsv1.DaemonSetStatus, predicted map[string]int32) bool {
	c := countersOf(status)
	real := map[string]int32{
		"desiredNumberScheduled": c.DesiredNumberScheduled, "currentNumberScheduled": c.CurrentNumberScheduled,
		"numberMisscheduled": c.NumberMisscheduled, "numberReady": c.NumberReady,
		"numberAvailable": c.NumberAvailable, "updatedNumberScheduled": c.UpdatedNumberScheduled,
	}
	for counter, value := range predicted {
		if real[counter] != value {
			return false
		}
	}
	return true
}
