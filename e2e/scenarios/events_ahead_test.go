// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var eventsAhead = []scenario{{
	name:  "events-ahead",
	story: "a rollout, a drain, the shutdown of a node and its deletion: the predicted counts, and the pods that do not come back",
	nodes: three(),
	sets:  sets(daemonSet("agent"), daemonSet("tolerant", tolerating("", "Exists", ""))),
	first: expectation{"agent": "running:3", "tolerant": "running:3"},
	steps: []step{
		{
			name: "a rollout deletes the misscheduled pod for good",
			do: func(w *world) {
				w.changeNode("n1", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule))
				w.comesToRest("agent", "tolerant")
				foretold := w.whatIf("--rollout")
				for _, name := range []string{"agent", "tolerant"} {
					w.changeDaemonSet(name, func(ds *appsv1.DaemonSet) { ds.Spec.Template.Annotations["restarted"] = "now" })
				}
				w.comesToRest("agent", "tolerant")
				w.compareForetold(foretold)
			},
			want: expectation{"agent": "n1=excluded running:2/-", "tolerant": "running:3/-"},
		},
		{
			name: "a drain leaves daemon pods alone",
			do: func(w *world) {
				foretold := w.whatIf("--drain", w.full("n2"))
				w.expectEnd("agent", "n2", "stays", "--drain")
				w.cordon("n2")
				w.comesToRest("agent", "tolerant")
				w.compareForetold(foretold)
			},
			want: expectation{"agent": "n1=excluded running:2/-", "tolerant": "running:3/-"},
		},
		{
			name: "a node shuts down: its kubelet ends the pods, and a misscheduled one is not created again",
			do: func(w *world) {
				w.changeNode("n2", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule))
				w.comesToRest("agent", "tolerant")
				w.expectEnd("agent", "n2", "gone-if-ended", "--reboot")
				w.expectEnd("tolerant", "n2", "again", "--reboot")
				before := w.podsOn("tolerant", "n2")[0]
				for _, name := range []string{"agent", "tolerant"} {
					pod := w.podsOn(name, "n2")[0]
					pod.Status.Phase, pod.Status.Reason = v1.PodFailed, "Terminated"
					_, err := client.CoreV1().Pods(w.namespace).UpdateStatus(w.ctx, &pod, metav1.UpdateOptions{})
					w.must(err)
				}
				w.eventually("the misscheduled pod is gone", func() bool { return len(w.podsOn("agent", "n2")) == 0 })
				w.eventually("the other one has a successor", func() bool {
					pods := w.podsOn("tolerant", "n2")
					return len(pods) == 1 && pods[0].UID != before.UID
				})
				w.comesToRest("agent", "tolerant")
			},
			want: expectation{"agent": "n1=excluded n2=excluded n3=running/-", "tolerant": "running:3/-"},
		},
		{
			name: "a node is deleted with its pods",
			do: func(w *world) {
				foretold := w.whatIf("--delete-node", w.full("n3"))
				w.expectEnd("agent", "n3", "gone", "--delete-node")
				w.must(client.CoreV1().Nodes().Delete(w.ctx, w.full("n3"), metav1.DeleteOptions{}))
				for _, name := range []string{"agent", "tolerant"} { // as the pod garbage collector does later
					for _, pod := range w.podsOn(name, "n3") {
						w.must(client.CoreV1().Pods(w.namespace).Delete(w.ctx, pod.Name, *metav1.NewDeleteOptions(0)))
					}
				}
				w.comesToRest("agent", "tolerant")
				w.compareForetold(foretold)
			},
			want: expectation{"agent": "n1=excluded n2=excluded", "tolerant": "running:2"},
		},
	},
}}

// expectEnd expects the end of the DaemonSet's only pod on the node in an event of the node.
func (w *world) expectEnd(name, short, end, flag string) {
	w.Helper()
	answer, err := ask(cluster.Kubeconfig, "explain", "-n", w.namespace, flag, w.full(short))
	w.must(err)
	for _, event := range answer.WhatIf.Events {
		for _, pod := range event.Pods {
			if pod.DaemonSet == name && pod.Node == w.full(short) {
				if pod.End != end {
					w.Errorf("%s %s: the pod of %s: %s, expected %s", flag, short, name, pod.End, end)
				}
				return
			}
		}
	}
	w.Errorf("%s %s: no pod of %s", flag, short, name)
}
