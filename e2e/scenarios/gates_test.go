// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"os"
	"os/exec"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

const comparisonGate = "TaintTolerationComparisonOperators=true"

// TestFeatureGates runs the scenarios that need a gate which is off by default, on a separate
// control plane: a process can only have one, so it starts a second process.
func TestFeatureGates(t *testing.T) {
	if os.Getenv(gatesVariable) != "" {
		t.Run("scenarios", func(t *testing.T) { runScenarios(t, comparisonScenarios) })
		t.Run("read-only", testReadOnly)
		return
	}
	itself, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gated := exec.Command(itself, "-test.run=^TestFeatureGates$", "-test.v", "-test.count=1")
	gated.Env = append(os.Environ(), gatesVariable+"="+comparisonGate)
	output, err := gated.CombinedOutput()
	t.Logf("with %s:\n%s", comparisonGate, output)
	if err != nil {
		t.Fatal(err)
	}
}

const sla = "example.com/sla"

func comparing(operator v1.TolerationOperator, value string) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) {
		s.Tolerations = append(s.Tolerations, v1.Toleration{Key: sla, Operator: operator, Value: value})
	})
}

var comparisonScenarios = []scenario{{
	name:  "numeric-tolerations",
	story: "nodes are tainted with a number, and tolerations compare with it",
	nodes: []*v1.Node{
		node("gold", tainted(sla, "950", v1.TaintEffectNoSchedule)),
		node("tin", tainted(sla, "500", v1.TaintEffectNoSchedule)),
		node("edge", tainted(sla, "700", v1.TaintEffectNoSchedule)),
		node("zero", tainted(sla, "0", v1.TaintEffectNoSchedule)),
		node("words", tainted(sla, "best", v1.TaintEffectNoSchedule)),
		node("plain"),
	},
	sets: sets(
		daemonSet("above", comparing("Gt", "700")),
		daemonSet("below", comparing("Lt", "700")),
		daemonSet("any", tolerating(sla, "Exists", "")),
		daemonSet("none"),
	),
	first: expectation{
		"above": "gold=running tin=excluded edge=excluded zero=excluded words=excluded plain=running",
		"below": "gold=excluded tin=running edge=excluded zero=running words=excluded plain=running",
		"any":   "running:6",
		"none":  "plain=running excluded:5",
	},
	steps: []step{
		{
			name: "a number rises over the threshold: one is made, the other's pod stays uncounted",
			do: func(w *world) {
				w.changeNode("tin", func(n *v1.Node) { n.Spec.Taints[0].Value = "800" })
				w.agree(expectation{
					"above": "gold=running tin=running edge=excluded",
					"below": "gold=excluded tin=misscheduled edge=excluded",
				}, false)
				w.touch("below")
			},
			want: expectation{"above": "tin=running", "below": "tin=misscheduled", "any": "running:6"},
		},
		{
			name: "the suggested patch is applied to a list that compares",
			do:   func(w *world) { w.applySuggestion("below", "tin") },
			want: expectation{"below": "tin=running"},
		},
	},
}}
