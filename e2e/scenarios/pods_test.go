package scenarios

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const finalizer = "example.com/hold"

var podScenarios = []scenario{
	{
		name:  "unwell-pods",
		story: "pods that crash, cannot be pulled, or are refused by the kubelet again and again",
		nodes: three(),
		sets: sets(
			daemonSet("crashing", behaving("crash")),
			daemonSet("unpullable", behaving("pull")),
			daemonSet("refused", behaving("reject")),
		),
		// A refused pod is seen as failed while the controller's backoff holds.
		first: expectation{"crashing": "not-ready:3", "unpullable": "not-ready:3", "refused": "failed:3"},
	},
	{
		name:  "duplicate",
		story: "a second pod on a node stays there as long as the controller may not delete it",
		nodes: three(),
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:3"},
		steps: []step{
			{
				name: "a pod with the same labels is made by hand and adopted",
				do: func(w *world) {
					w.deny("pods", "delete")
					w.must(create(client.CoreV1().Pods(w.namespace), w.ctx, barePod("by-hand", "agent", w.full("n1"))))
				},
				want: expectation{"agent": "n1=duplicate running:2"},
			},
			{
				name: "the controller may delete again and keeps the older one",
				do: func(w *world) {
					w.allowAll()
					w.touch("agent")
				},
				want: expectation{"agent": "running:3"},
			},
		},
	},
	{
		name:  "deletion-held",
		story: "a DaemonSet waits for a finalizer: nothing is created or counted any more",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets: sets(daemonSet("agent", func(ds *appsv1.DaemonSet) {
			ds.Finalizers = []string{finalizer}
		})),
		first: expectation{"agent": "running:2"},
		steps: []step{{
			name: "deleted, then a node joins",
			do: func(w *world) {
				w.Cleanup(func() {
					w.changeDaemonSet("agent", func(ds *appsv1.DaemonSet) { ds.Finalizers = nil })
				})
				w.must(client.AppsV1().DaemonSets(w.namespace).Delete(w.ctx, "agent", metav1.DeleteOptions{}))
				w.addNodes(node("n3"))
				w.lags(expectation{"agent": "n1=running n2=running n3=missing"},
					map[string]counters{"agent": {2, 2, 0, 2, 2, 2}})
			},
		}},
	},
}
