// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Phrases that must not occur if something is wrong, or needs action.
var (
	nothingToDo = []string{"nothing to fix", "nothing to fix", "nothing to do", "nothing wrong", "no action needed", "is in order"}
	resolves    = []string{"resolves without action", "passes by itself", "clears by itself"}
)

var suggestScenarios = []scenario{
	{
		name:  "no-toleration-helps",
		story: "pods that are pending, crash, are refused or not created: suggest names the cause, for a toleration is none",
		nodes: []*v1.Node{node("n1", sized("1", "110")), node("n2", sized("1", "110"))},
		sets: sets(
			daemonSet("pending", requesting("2")),
			daemonSet("crashing", behaving("crash")),
			daemonSet("unpullable", behaving("pull")),
			daemonSet("refused", behaving("reject")),
			daemonSet("accountless", spec(func(s *v1.PodSpec) { s.ServiceAccountName = "ghost" })),
		),
		first: expectation{
			"pending": "pending:2/sched-never-fits", "crashing": "not-ready:2/container-crash", "unpullable": "not-ready:2/image-pull",
			"refused": "failed:2/kubelet-out-of-cpu", "accountless": "missing:2/create-serviceaccount-missing",
		},
		steps: []step{{
			name: "suggest is asked about each",
			do: func(w *world) {
				for name, cause := range map[string]string{
					"pending": "cpu", "crashing": "container agent", "unpullable": "example.com/agent:1",
					"refused": "OutOfcpu", "accountless": "ghost",
				} {
					w.prints(text{says: []string{cause}, never: nothingToDo}, "suggest", name)
					if found := w.suggested(name); len(found) > 0 {
						w.Errorf("%s: no toleration helps, and %v are suggested", name, found)
					}
				}
			},
		}},
	},
	{
		name:  "combined",
		story: "nodes have several taints: one patch for what is asked for, which does as predicted",
		nodes: []*v1.Node{node("n1"), node("n2"), node("n3"), node("n4")},
		sets:  sets(daemonSet("agent"), daemonSet("other")),
		first: expectation{"agent": "running:4", "other": "running:4"},
		steps: []step{
			{
				name: "two nodes are tainted differently, one of them twice",
				do: func(w *world) {
					w.changeNode("n1", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule))
					w.changeNode("n2", tainted("dedicated", "db", v1.TaintEffectNoSchedule))
					w.changeNode("n2", tainted("maintenance", "", v1.TaintEffectNoSchedule))
					w.comesToRest("agent", "other")
				},
				want: expectation{"agent": "n1=misscheduled n2=misscheduled running:2/-", "other": "misscheduled:2 running:2/-"},
			},
			{
				name: "one patch for all that is misscheduled",
				do: func(w *world) {
					found := w.suggested("agent", "--for", "misscheduled")
					if len(found) != 1 || len(found[0].Nodes) != 2 {
						w.Fatalf("expected one patch for both nodes: %+v", found)
					}
					w.applyFix("agent", found[0])
				},
				want: expectation{"agent": "running:4/-"},
			},
			{
				name: "one patch for all nodes, and one for the node with two taints",
				do: func(w *world) {
					if found := w.suggested("other", "--for", "all"); len(found) != 1 || len(found[0].Nodes) != 2 {
						w.Errorf("expected one patch for both nodes: %+v", found)
					}
					found := w.suggested("other", "--for", "node/"+w.full("n2"))
					if len(found) != 1 || len(found[0].Tolerations) != 2 {
						w.Fatalf("expected one patch with two tolerations: %+v", found)
					}
					w.applyFix("other", found[0])
				},
				want: expectation{"other": "n1=excluded running:3/-"},
			},
		},
	},
	{
		name:  "settled-rollout",
		story: "a patch for some misscheduled pods replaces all: the others are deleted and do not come back",
		nodes: []*v1.Node{node("n1"), node("n2"), node("n3"), node("n4"), node("n5")},
		sets: sets(daemonSet("agent"),
			daemonSet("by-hand", strategy(appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}))),
		first: expectation{"agent": "running:5", "by-hand": "running:5"},
		steps: []step{
			{
				name: "four nodes are tainted, two and two",
				do: func(w *world) {
					for short, key := range map[string]string{"n1": "dedicated", "n2": "dedicated", "n3": "maintenance", "n4": "maintenance"} {
						w.changeNode(short, tainted(key, "", v1.TaintEffectNoSchedule))
					}
					w.comesToRest("agent", "by-hand")
				},
				want: expectation{"agent": "misscheduled:4 running:1/-", "by-hand": "misscheduled:4 running:1/-"},
			},
			{
				name: "the patch for two of them ends with none misscheduled; with OnDelete the pods stay",
				do: func(w *world) {
					for _, name := range []string{"agent", "by-hand"} {
						found := w.suggested(name)
						i := slices.IndexFunc(found, func(s suggestion) bool {
							return slices.Contains(s.Nodes, w.full("n1")) && !slices.Contains(s.Nodes, w.full("n3"))
						})
						if i < 0 {
							w.Fatalf("%s: no patch for n1 alone: %+v", name, found)
						}
						w.applyFix(name, found[i])
					}
				},
				want: expectation{"agent": "running:3/- excluded:2", "by-hand": "running:3 misscheduled:2"},
			},
		},
	},
	{
		name:  "settled-what-if",
		story: "what if a node were tainted so that pods are evicted: the counts when that is done",
		nodes: []*v1.Node{node("n1"), node("n2"), node("n3")},
		sets: sets(
			daemonSet("agent"),
			daemonSet("tolerant", tolerating("maintenance", "Exists", "")),
			// Its pod is evicted after two seconds, and then n1 is no longer eligible.
			daemonSet("patient", selecting(v1.LabelHostname, "settled-what-if-n1"),
				toleratingFor("maintenance", "Exists", v1.TaintEffectNoExecute, seconds(2))),
		),
		first: expectation{"agent": "running:3", "tolerant": "running:3", "patient": "running:1"},
		steps: []step{
			{
				name: "a pod is misscheduled on a node that is about to be emptied",
				do: func(w *world) {
					w.changeNode("n1", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule))
					w.comesToRest("agent", "tolerant", "patient")
					w.settle(expectation{"agent": "n1=misscheduled running:2/-"})
					foretold := w.whatIf("--taint", w.full("n1")+"=maintenance=disk:NoExecute", "--taint", w.full("n2")+"=maintenance=disk:NoExecute")
					w.changeNode("n1", tainted("maintenance", "disk", v1.TaintEffectNoExecute))
					w.changeNode("n2", tainted("maintenance", "disk", v1.TaintEffectNoExecute))
					w.eventually("the patient pod is evicted", func() bool { return len(w.podsOn("patient", "n1")) == 0 })
					w.comesToRest("agent", "tolerant", "patient")
					w.compareForetold(foretold)
				},
				want: expectation{"agent": "n1=excluded n2=excluded n3=running/-", "tolerant": "n1=misscheduled running:2/-"},
			},
			{
				name: "and if the taints were gone again",
				do: func(w *world) {
					foretold := w.whatIf("--untaint", w.full("n2")+"=maintenance", "--untaint", w.full("n1")+"=dedicated")
					w.changeNode("n1", func(n *v1.Node) { n.Spec.Taints = withoutTaint(n.Spec.Taints, "dedicated") })
					w.changeNode("n2", func(n *v1.Node) { n.Spec.Taints = withoutTaint(n.Spec.Taints, "maintenance") })
					w.comesToRest("agent", "tolerant", "patient")
					w.compareForetold(foretold)
				},
				want: expectation{"agent": "n1=excluded running:2/-", "tolerant": "running:3/-"},
			},
		},
	},
}

func withoutTaint(taints []v1.Taint, key string) []v1.Taint {
	return slices.DeleteFunc(taints, func(taint v1.Taint) bool { return taint.Key == key })
}

// suggested asks for suggestions about one DaemonSet. The same fixes must be recommended, advised,
// and live lines of the script.
func (w *world) suggested(name string, more ...string) []suggestion {
	w.Helper()
	words := append([]string{"suggest", name, "-n", w.namespace}, more...)
	answer, err := ask(cluster.Kubeconfig, words...)
	w.must(err)
	found := answer.daemonSet(w.namespace, name).Suggestions
	recommended := 0
	for _, s := range found {
		if s.Recommended {
			recommended++
		}
		if s.Recommended && s.Advised == "no" {
			w.Errorf("%q: %s is recommended and not advised", words, s.ID)
		}
	}
	script, _, err := tell(cluster.Kubeconfig, words...)
	w.must(err)
	live := 0
	for line := range strings.Lines(script) {
		// Each is preceded by its dry run.
		if strings.HasPrefix(line, "kubectl ") && strings.Contains(line, " patch ") && !strings.Contains(line, " --dry-run=server") {
			live++
		}
	}
	if live != recommended {
		w.Errorf("%q: %d are recommended, %d lines of the script are live:\n%s", words, recommended, live, script)
	}
	return found
}

// applyFix applies a suggested patch, first as a dry run, and expects that the controller's final
// counts are the predicted ones.
func (w *world) applyFix(name string, fix suggestion) {
	w.Helper()
	if len(fix.Effect.After) == 0 {
		w.Fatalf("%s: the suggestion predicts nothing", name)
	}
	for _, dryRun := range [][]string{{metav1.DryRunAll}, nil} {
		_, err := client.AppsV1().DaemonSets(w.namespace).Patch(
			w.ctx, name, types.JSONPatchType, fix.Patch, metav1.PatchOptions{DryRun: dryRun})
		if err != nil {
			w.Fatalf("the API server refuses the suggested patch %s: %v", fix.Patch, err)
		}
	}
	w.comesToRest(name)
	w.comparePrediction(name, fix.Effect.After)
}

func (w *world) whatIf(flags ...string) []prediction {
	w.Helper()
	answer, err := ask(cluster.Kubeconfig, append([]string{"explain", "-n", w.namespace}, flags...)...)
	w.must(err)
	return answer.WhatIf.DaemonSets
}

func (w *world) compareForetold(foretold []prediction) {
	w.Helper()
	if len(foretold) == 0 {
		w.Error("nothing was foretold")
	}
	for _, of := range foretold {
		w.comparePrediction(of.Name, of.After)
	}
}
