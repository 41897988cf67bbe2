package scenarios

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

const avx512 = "feature.node.kubernetes.io/cpu-cpuid.AVX512F"

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
					time.Sleep(time.Second) // a change in the very second of a DaemonSet's making is none
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
