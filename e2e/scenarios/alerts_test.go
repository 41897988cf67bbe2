// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"os"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
)

// alertAnswer is the part of "check --alert -o json" that the scenarios check.
type alertAnswer struct {
	DaemonSets []struct {
		Namespace, Name string
		Alert           alertOf
	}
}

type alertOf struct {
	Name, Message string
	Holds         bool
	Values        map[string]int32
	Since         *time.Time
	Findings      []string
}

var alertScenarios = []scenario{{
	name:  "counted-late",
	story: "a taint is set, and the controller counts the pod as misscheduled only seconds later: the alert holds since then",
	nodes: []*v1.Node{node("n1"), node("n2")},
	sets:  sets(daemonSet("agent")),
	first: expectation{"agent": "running:2"},
	steps: []step{
		{
			name: "the taint is set: the status does not count it",
			do: func(w *world) {
				w.changeNode("n1", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule))
				w.lags(expectation{"agent": "n1=misscheduled n2=running/-"}, map[string]counters{"agent": {2, 2, 0, 2, 2, 2}})
				w.alert("KubeDaemonSetMisScheduled", "agent", false)
			},
		},
		{
			name: "the controller counts",
			do: func(w *world) {
				before := time.Now().Truncate(time.Second)
				w.touch("agent")
				w.settle(expectation{"agent": "n1=misscheduled/pod-misscheduled n2=running/-"})
				answer := w.alert("KubeDaemonSetMisScheduled", "agent", true, "pod-misscheduled")
				if since := answer.Since; since == nil || since.Before(before) || since.After(time.Now()) {
					w.Errorf("it holds since %v, and not since %v or a moment later: %s", since, before, answer.Message)
				}
			},
		},
	},
}}

// alert expects that the condition of "check --alert" holds or not, by exit code and answer, on the
// status that the controller wrote, and the findings that explain it.
func (w *world) alert(alert, name string, holds bool, findings ...string) alertOf {
	w.Helper()
	return w.compareAlert(alert, name, holds, findings, "-n", w.namespace)
}

// alertLater is alert for the same situation after it has lasted for a while.
func (w *world) alertLater(alert, name string, findings ...string) {
	w.Helper()
	dir := w.copyAged()
	defer os.RemoveAll(dir)
	w.compareAlert(alert, name, true, findings, append([]string{"-n", w.namespace}, fromAged(dir)...)...)
}

func (w *world) compareAlert(alert, name string, holds bool, findings []string, words ...string) alertOf {
	w.Helper()
	words = append([]string{"check", name, "--alert", alert}, words...)
	answer, exitCode, err := askFor[alertAnswer](cluster.Kubeconfig, words...)
	w.must(err)
	if (exitCode == 1) != holds {
		w.Errorf("%v: exit code %d, expected that it holds: %v", words, exitCode, holds)
	}
	if len(answer.DaemonSets) != 1 || answer.DaemonSets[0].Name != name {
		w.Fatalf("%v: it is not answered: %+v", words, answer)
	}
	got := answer.DaemonSets[0].Alert
	if got.Name != alert || got.Holds != holds || got.Message == "" || len(got.Values) == 0 {
		w.Errorf("%v: expected that it holds: %v; the answer is %+v", words, holds, got)
	}
	for _, id := range findings {
		if !slices.Contains(got.Findings, id) {
			w.Errorf("%v: %s does not explain it, but %v", words, id, got.Findings)
		}
	}
	return got
}
