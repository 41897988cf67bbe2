// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

// severalFaults are situations in which one answer has to separate, or to merge, several faults.
var severalFaults = []scenario{
	{
		name:  "three-faults",
		story: "three faults that have nothing to do with each other, on five DaemonSets",
		nodes: []*v1.Node{node("n1"), node("n2"), node("small", sized("1", "110")), node("gpu")},
		sets:  sets(daemonSet("crashing", behaving("crash")), daemonSet("logs"), daemonSet("metrics")),
		first: expectation{"crashing": "not-ready:4/container-crash", "logs": "running:4", "metrics": "running:4"},
		steps: []step{{
			name: "a node is tainted, and two DaemonSets come that do not fit on another",
			do: func(w *world) {
				w.changeNode("gpu", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule))
				w.addDaemonSets(
					daemonSet("large", requesting("2"), tolerating("dedicated", "Exists", "")),
					daemonSet("huge", requesting("1500m"), tolerating("dedicated", "Exists", "")))
				w.comesToRest("crashing", "logs", "metrics")
				w.settle(expectation{
					"crashing": "not-ready:3/container-crash gpu=misscheduled",
					"logs":     "running:3/- gpu=misscheduled/pod-misscheduled", "metrics": "running:3/- gpu=misscheduled/pod-misscheduled",
					"large": "running:3/- small=pending/sched-never-fits -daemonset-no-priority",
					"huge":  "running:3/- small=pending/sched-never-fits -daemonset-no-priority",
				})
				w.countVerdicts(map[string]int{"not-ready": 3, "misscheduled": 3, "pending": 2, "running": 12})
				w.prints(text{exitCode: 1, says: []string{"crashing", "logs", "metrics", "large", "huge"}}, "check")
			},
		}},
	},
	{
		name:  "one-taint",
		story: "one taint makes pods of ten DaemonSets misscheduled",
		nodes: three(),
		sets:  ten(),
		steps: []step{{
			name: "it is set when all run",
			do: func(w *world) {
				all := expectation{}
				for _, ds := range ten() {
					all[ds.Name] = "running:3"
				}
				w.settle(all)
				w.changeNode("n1", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule))
				for name := range all {
					all[name] = "n1=misscheduled/pod-misscheduled running:2/-"
					w.comesToRest(name)
				}
				w.settle(all)
				w.countVerdicts(map[string]int{"misscheduled": 10, "running": 20})
				w.prints(text{exitCode: 1, says: []string{"dedicated=gpu:NoSchedule", w.full("n1")}}, "check")
			},
		}},
	},
}

func ten() (list []*appsv1.DaemonSet) {
	for i := range 10 {
		list = append(list, daemonSet(fmt.Sprintf("agent-%d", i)))
	}
	return list
}

// countVerdicts compares the summary of explain; verdicts that are not named are zero.
func (w *world) countVerdicts(want map[string]int) {
	w.Helper()
	answer, err := ask(cluster.Kubeconfig, "explain", "-n", w.namespace)
	w.must(err)
	for verdict, number := range answer.Summary.Verdicts {
		if number != want[verdict] && verdict != "excluded" {
			w.Errorf("%d placements are %s, expected %d", number, verdict, want[verdict])
		}
	}
}
