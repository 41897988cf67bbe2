// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

const avx512 = "feature.node.kubernetes.io/cpu-cpuid.AVX512F"

// longestName has the maximum length of a name.
var longestName = strings.Repeat("a", 253)

var placementScenarios = []scenario{
	{
		name:  "label-flip",
		story: "node-feature-discovery changes its mind about a label that a nodeSelector asks for",
		nodes: []*v1.Node{node("n1", labelled(avx512, "true")), node("n2", labelled(avx512, "true")), node("n3")},
		sets: sets(
			daemonSet("avx", spec(func(s *v1.PodSpec) { s.NodeSelector = map[string]string{avx512: "true"} })),
			daemonSet("avx-slow", behaving("slow-stop"), spec(func(s *v1.PodSpec) {
				s.NodeSelector = map[string]string{avx512: "true"}
			})),
		),
		first: expectation{"avx": "running:2 n3=excluded", "avx-slow": "running:2 n3=excluded"},
		steps: []step{
			{
				name: "true becomes false: the pod is removed",
				do: func(w *world) {
					time.Sleep(time.Second) // a change in the second of the DaemonSet's creation is not detected
					w.changeNodeAs("nfd-master", "n1", labelled(avx512, "false"))
				},
				want: expectation{
					"avx":      "n1=excluded/node-label-changed n2=running/- n3=excluded",
					"avx-slow": "n1=removing/node-label-changed n2=running/- n3=excluded",
				},
				later: expectation{
					"avx": "n1=excluded/node-label-changed n3=excluded/- +daemonset-fewer-than-nodes",
				},
			},
			{
				name: "the writer is named",
				do: func(w *world) {
					w.says("avx", "n1", "node-label-changed", "written by node-feature-discovery (nfd-master)")
					w.says("avx-slow", "n1", "node-label-changed", "written by node-feature-discovery (nfd-master)")
				},
			},
			{
				name: "and true again",
				do:   func(w *world) { w.changeNode("n1", labelled(avx512, "true")) },
				want: expectation{"avx": "n1=running/- n2=running/- n3=excluded/- quiet"},
			},
		},
	},
	{
		name:  "node-name",
		story: "a template pinned to one node runs there and nowhere else",
		nodes: three(),
		sets: sets(daemonSet("pinned", spec(func(s *v1.PodSpec) {
			s.NodeName = "node-name-n2"
		}))),
		first: expectation{"pinned": "n1=excluded n2=running/- n3=excluded +daemonset-pinned-to-node"},
	},
	{
		name:  "near-misses",
		story: "keys of a label and of a taint are spelled a little differently; the closest node is the one that fails least",
		nodes: []*v1.Node{
			node("a", labelled("disk-type", "ssd")), node("b", labelled("spot", "true")),
			node("c", tainted("example.com/team", "db", v1.TaintEffectNoSchedule)),
		},
		sets: sets(
			daemonSet("disk", selecting("disktype", "ssd")),
			daemonSet("spot", selecting("spot", "yes")),
			daemonSet("team", tolerating("example.com/Team", "Exists", "")),
		),
		first: expectation{"disk": "excluded:3", "spot": "excluded:3", "team": "running:2 c=excluded"},
		steps: []step{{
			name: "they are named",
			do: func(w *world) {
				w.prints(text{exitCode: 1, says: []string{"disktype", "disk-type"}}, "check", "disk")
				w.prints(text{exitCode: 1, says: []string{"spot", w.full("b")}, never: []string{w.full("c")}}, "check", "spot")
				w.prints(text{says: []string{"example.com/Team", "example.com/team"}}, "explain", "team", "--node", w.full("c"))
			},
		}},
	},
	{
		name:  "long-name",
		story: "a DaemonSet's name is so long that the names of its ControllerRevisions are refused: the controller never begins",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets: sets(daemonSet(longestName, func(ds *appsv1.DaemonSet) {
			ds.Spec.Template.Labels["app"] = "long" // labels cannot have that length
		})),
		steps: []step{{
			name: "that is named",
			do: func(w *world) {
				w.prints(text{never: resolves}, "explain", longestName)
				w.printsLater(text{exitCode: 1, says: []string{"253", "ControllerRevision"}, never: resolves}, "check")
			},
			later: expectation{longestName: "missing:2 +controller-not-observing=critical"},
		}},
	},
	{
		name:  "affinity-terms",
		story: "terms are alternatives, what is in a term must all hold, an empty term matches nothing",
		nodes: []*v1.Node{
			node("a-ssd", labelled("zone", "a"), labelled("disk", "ssd"), labelled("cores", "16")),
			node("a", labelled("zone", "a"), labelled("cores", "8")),
			node("b-ssd", labelled("zone", "b"), labelled("disk", "ssd")),
			node("b"),
		},
		sets: sets(
			daemonSet("either", required(
				term(expression("zone", "In", "a"), expression("disk", "Exists")),
				v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{expression("metadata.name", "In", "affinity-terms-b")}},
			)),
			daemonSet("large", required(term(expression("cores", "Gt", "9")))),
			daemonSet("no-number", required(term(expression("cores", "Gt", "nine")), term(expression("zone", "In", "b")))),
			daemonSet("not-a", required(term(expression("zone", "NotIn", "a")))),
			daemonSet("nothing", required(v1.NodeSelectorTerm{})),
		),
		first: expectation{
			"either":    "a-ssd=running a=excluded b-ssd=excluded b=running",
			"large":     "a-ssd=running a=excluded b-ssd=excluded b=excluded",
			"no-number": "a-ssd=excluded a=excluded b-ssd=running b=excluded",
			"not-a":     "a-ssd=excluded a=excluded b-ssd=running b=running",
			"nothing":   "excluded:4/- +daemonset-no-eligible-node",
		},
	},
}

func required(terms ...v1.NodeSelectorTerm) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) {
		s.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: terms},
		}}
	})
}

func term(expressions ...v1.NodeSelectorRequirement) v1.NodeSelectorTerm {
	return v1.NodeSelectorTerm{MatchExpressions: expressions}
}

func expression(key string, operator v1.NodeSelectorOperator, values ...string) v1.NodeSelectorRequirement {
	return v1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}
