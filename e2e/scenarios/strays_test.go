package scenarios

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var strayScenarios = []scenario{
	{
		name:  "orphans",
		story: "a DaemonSet is deleted and leaves its pods; a new one of the same name may not adopt them, then may",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:2/- quiet"},
		steps: []step{
			{
				name: "deleted with --cascade=orphan, made anew by a controller that may not adopt",
				do: func(w *world) {
					orphan := metav1.DeletePropagationOrphan
					sets := client.AppsV1().DaemonSets(w.namespace)
					w.must(sets.Delete(w.ctx, "agent", metav1.DeleteOptions{PropagationPolicy: &orphan}))
					w.eventually("the DaemonSet is gone and its pods have no owner", func() bool {
						_, err := sets.Get(w.ctx, "agent", metav1.GetOptions{})
						pods := append(w.podsOn("agent", "n1"), w.podsOn("agent", "n2")...)
						return err != nil && len(pods) == 2 && metav1.GetControllerOf(&pods[0]) == nil && metav1.GetControllerOf(&pods[1]) == nil
					})
					w.deny("pods", "patch")
					w.addDaemonSets(daemonSet("agent"))
					w.agree(expectation{"agent": "running:2 +pod-orphaned"}, false)
				},
				later: expectation{"agent": "+pod-orphaned"},
			},
			{
				name: "it may adopt",
				do: func(w *world) {
					w.allowAll()
					w.touch("agent")
				},
				want: expectation{"agent": "running:2/- -pod-orphaned"},
			},
		},
	},
	{
		name:  "released",
		story: "somebody changes the label of a pod: the controller has to let it go, and may not",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:2/- quiet"},
		steps: []step{
			{
				name: "the label changes",
				do: func(w *world) {
					w.deny("pods", "patch")
					pod := w.podsOn("agent", "n1")[0]
					pod.Labels["app"] = "debugged"
					_, err := client.CoreV1().Pods(w.namespace).Update(w.ctx, &pod, metav1.UpdateOptions{})
					w.must(err)
					w.agree(expectation{"agent": "n1=missing n2=running/- +pod-released"}, false)
				},
			},
			{
				name: "the controller may let it go",
				do: func(w *world) {
					w.allowAll()
					w.touch("agent")
				},
				want: expectation{"agent": "running:2/- -pod-released"},
			},
		},
	},
	{
		name:  "foreign",
		story: "a pod of another owner has the labels that the DaemonSet selects",
		nodes: []*v1.Node{node("n1")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:1/- quiet"},
		steps: []step{{
			name: "it comes",
			do: func(w *world) {
				foreign := barePod("foreign", "agent", w.full("n1"))
				yes := true
				foreign.OwnerReferences = []metav1.OwnerReference{{
					APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: w.makeOwner(), Controller: &yes,
				}}
				w.must(create(client.CoreV1().Pods(w.namespace), w.ctx, foreign))
			},
			want: expectation{"agent": "running:1/- +pod-foreign"},
		}},
	},
	{
		name:  "two-of-a-kind",
		story: "two DaemonSets select the same pods",
		nodes: []*v1.Node{node("n1")},
		sets:  sets(daemonSet("agent"), alike("twin", "agent")),
		first: expectation{"agent": "running:1 +daemonset-selector-overlap", "twin": "running:1 +daemonset-selector-overlap"},
	},
	{
		name:  "healthy",
		story: "everything is as it should be: nothing is said",
		nodes: three(),
		sets: sets(
			daemonSet("agent"),
			daemonSet("large", requesting("1"), requestingMore(v1.ResourceMemory, "1Gi")),
			daemonSet("proxy", tolerating("", "Exists", "")),
			daemonSet("port", spec(onHostPort)),
		),
		steps: []step{{
			name:  "now and later",
			do:    func(*world) {},
			want:  expectation{"agent": "running:3/- quiet", "large": "running:3/- quiet", "proxy": "running:3/- quiet", "port": "running:3/- quiet"},
			later: expectation{"agent": "running:3/- quiet", "large": "running:3/- quiet", "proxy": "running:3/- quiet", "port": "running:3/- quiet"},
		}},
	},
}

// alike is a DaemonSet with the labels of another.
func alike(name, other string) *appsv1.DaemonSet {
	ds := daemonSet(other)
	ds.Name = name
	return ds
}

// makeOwner makes an object that the garbage collector finds, so that it leaves what it owns.
func (w *world) makeOwner() types.UID {
	w.Helper()
	owner, err := client.CoreV1().ConfigMaps(w.namespace).Create(w.ctx,
		&v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	w.must(err)
	return owner.UID
}
