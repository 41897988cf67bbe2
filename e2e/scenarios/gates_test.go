// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"dsdoctor.dev/e2e/controlplane"
)

const (
	comparisonGate = "TaintTolerationComparisonOperators"
	groupGate      = "GenericWorkload"
)

// toldGates is passed to the binary; else it concludes from the objects which gates are on.
var toldGates string

// gatedVersions are the versions of the API that the gates of this process need.
func gatedVersions() string {
	if !strings.Contains(os.Getenv(gatesVariable), groupGate) {
		return ""
	}
	return "scheduling.k8s.io/" + podGroupVersion() + "=true"
}

// TestFeatureGates runs the scenarios that need gates which are off by default, on a separate
// control plane: a process can only have one, so it starts a second process.
func TestFeatureGates(t *testing.T) {
	if os.Getenv(gatesVariable) != "" {
		t.Run("scenarios", func(t *testing.T) { runAll(t, comparisonScenarios, groupScenarios) })
		toldGates = comparisonGate + "=true"
		told := slices.Clone(comparisonScenarios)
		for i := range told {
			told[i].name += "-told"
		}
		t.Run("told", func(t *testing.T) { runAll(t, told) })
		toldGates = ""
		t.Run("off", func(t *testing.T) { runAll(t, comparisonsOff) }) // last: it turns a gate off
		t.Run("read-only", testReadOnly)
		return
	}
	itself, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gates := comparisonGate + "=true," + groupGate + "=true"
	if !controlplane.IsRelease(37) {
		gates += ",GangScheduling=true" // part of GenericWorkload since
	}
	gated := exec.Command(itself, "-test.run=^TestFeatureGates$", "-test.v", "-test.count=1")
	gated.Env = append(os.Environ(), gatesVariable+"="+gates)
	output, err := gated.CombinedOutput()
	t.Logf("with %s:\n%s", gates, output)
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

// The API server of a cluster whose gate is off keeps what it has stored.
var comparisonsOff = []scenario{{
	name:  "comparisons-off",
	story: "the gate is turned off: tolerations that compare tolerate nothing any more",
	nodes: []*v1.Node{
		node("gold", tainted(sla, "950", v1.TaintEffectNoSchedule)),
		node("tin", tainted(sla, "500", v1.TaintEffectNoSchedule)),
		node("plain"),
	},
	sets:  sets(daemonSet("above", comparing("Gt", "700"))),
	first: expectation{"above": "gold=running tin=excluded plain=running"},
	steps: []step{{
		name: "the gate is off, for the controllers and for the API server",
		do: func(w *world) {
			w.must(utilfeature.DefaultMutableFeatureGate.Set(comparisonGate + "=false"))
			w.Cleanup(func() { w.must(utilfeature.DefaultMutableFeatureGate.Set(comparisonGate + "=true")) })
			if !w.refuses(w.pod("probe", comparing("Gt", "1"))) {
				w.Error("the API server takes the operator although the gate is off")
			}
			w.touch("above")
			w.eventually("the controller counts without the gate", func() bool {
				return w.getDaemonSet("above").Status.NumberMisscheduled == 1
			})
		},
		want: expectation{"above": "gold=misscheduled tin=excluded plain=running"},
	}},
}}
