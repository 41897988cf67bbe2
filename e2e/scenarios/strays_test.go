// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"encoding/json"
	"strings"

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
					w.orphan("agent")
					w.expectAbsent("agent")
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
				later: expectation{"agent": "n1=missing/controller-rbac-forbidden n2=running/- +pod-released"},
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
		name:  "relabelled",
		story: "a DaemonSet is deleted, leaves its pods, and is made anew with other labels: two agents run on each node",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:2/- quiet"},
		steps: []step{{
			name: "made anew",
			do: func(w *world) {
				old := w.orphan("agent")
				w.addDaemonSets(withLabels(daemonSet("agent"), "agent-v2"))
				w.settle(expectation{"agent": "running:2"})
				w.prints(text{exitCode: 1, first: []string{"agent"}, says: []string{old[0].Name}}, "check")
				w.prints(text{says: []string{old[0].Name, "delete pod"}}, "explain", "agent")
				w.printsLater(text{exitCode: 1, says: []string{old[0].Name}}, "check")
				w.prints(text{never: nothingToDo}, "suggest", "agent")
			},
		}},
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
		name:  "target-lost",
		story: "a pod of the DaemonSet says of no node that it is meant for it",
		nodes: []*v1.Node{node("n1")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:1/- quiet"},
		steps: []step{{
			name: "it comes, and no scheduler looks at it",
			do: func(w *world) {
				yes := true
				lost := barePod("lost", "agent", "")
				lost.Spec.SchedulerName = "ghost"
				lost.OwnerReferences = []metav1.OwnerReference{{
					APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", UID: w.getDaemonSet("agent").UID, Controller: &yes,
				}}
				w.must(create(client.CoreV1().Pods(w.namespace), w.ctx, lost))
			},
			want: expectation{"agent": "running:1 +pod-target-lost"},
		}},
	},
	{
		name:  "held-pod",
		story: "a finalizer keeps a deleted pod, and with it the node's place for the next one",
		nodes: []*v1.Node{node("n1")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:1/- quiet"},
		steps: []step{
			{
				name: "the pod is deleted",
				do: func(w *world) {
					pod := w.podsOn("agent", "n1")[0].Name
					w.finalize(pod, finalizer)
					w.Cleanup(func() { w.finalize(pod) })
					w.must(client.CoreV1().Pods(w.namespace).Delete(w.ctx, pod, metav1.DeleteOptions{}))
				},
				want: expectation{"agent": "n1=terminating"},
			},
			{
				name: "it is named, and nothing resolves by itself",
				do: func(w *world) {
					w.prints(text{never: resolves}, "explain", "agent")
					w.prints(text{never: nothingToDo}, "suggest", "agent")
					w.printsLater(text{exitCode: 1, first: []string{w.full("n1")}, says: []string{finalizer}, never: resolves}, "check")
				},
				later: expectation{"agent": "n1=terminating/pod-terminating-stuck"},
			},
			{
				name: "the finalizer is removed",
				do: func(w *world) {
					for _, pod := range w.podsOn("agent", "n1") {
						w.finalize(pod.Name)
					}
				},
				want: expectation{"agent": "running:1/- quiet"},
			},
		},
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
			name: "check has nothing to say",
			do: func(w *world) {
				w.eventually("check exits with 0", func() bool {
					answer, exitCode, err := askFor[explanation](cluster.Kubeconfig, "check", "-n", w.namespace)
					w.must(err)
					for _, ds := range answer.DaemonSets {
						if len(ds.Nodes) > 0 {
							return false
						}
					}
					return exitCode == 0
				})
			},
		}, {
			name: "a timeline is told of what is well, too",
			do: func(w *world) {
				w.prints(text{says: []string{"SuccessfulCreate"}}, "explain", "agent", "--timeline")
			},
		}, {
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

// withLabels changes a label of a DaemonSet's pods and its selector.
func withLabels(ds *appsv1.DaemonSet, app string) *appsv1.DaemonSet {
	ds.Spec.Selector.MatchLabels["app"] = app // the template's, too: both are the same map
	return ds
}

// orphan deletes a DaemonSet that runs on n1 and n2, keeps its pods, and returns them.
func (w *world) orphan(name string) (pods []v1.Pod) {
	w.Helper()
	orphan := metav1.DeletePropagationOrphan
	sets := client.AppsV1().DaemonSets(w.namespace)
	w.must(sets.Delete(w.ctx, name, metav1.DeleteOptions{PropagationPolicy: &orphan}))
	w.eventually("the DaemonSet is gone and its pods have no owner", func() bool {
		_, err := sets.Get(w.ctx, name, metav1.GetOptions{})
		pods = append(w.podsOn(name, "n1"), w.podsOn(name, "n2")...)
		return err != nil && len(pods) == 2 && metav1.GetControllerOf(&pods[0]) == nil && metav1.GetControllerOf(&pods[1]) == nil
	})
	return pods
}

// makeOwner creates an object that the garbage collector finds, so that it keeps the owned objects.
func (w *world) makeOwner() types.UID {
	w.Helper()
	owner, err := client.CoreV1().ConfigMaps(w.namespace).Create(w.ctx,
		&v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	w.must(err)
	return owner.UID
}

// expectAbsent asks about a DaemonSet that was deleted and has left pods.
func (w *world) expectAbsent(name string) {
	w.Helper()
	_, _, err := askFor[explanation](cluster.Kubeconfig, "explain", name, "-n", w.namespace)
	if err == nil {
		w.Fatalf("%s is gone, and the binary answers", name)
	}
	for _, words := range []string{name + `" not found`, "2 pods of it still exist, on 2 nodes", "recover the template: kubectl get controllerrevision"} {
		if !strings.Contains(err.Error(), words) {
			w.Fatalf("%s is gone, and the binary does not say %q: %v", name, words, err)
		}
	}
}

// finalize replaces the finalizers of a pod; a deleted pod needs none.
func (w *world) finalize(pod string, finalizers ...string) {
	w.Helper()
	list, err := json.Marshal(finalizers)
	w.must(err)
	patch := []byte(`{"metadata":{"finalizers":` + string(list) + `}}`)
	_, err = client.CoreV1().Pods(w.namespace).Patch(w.ctx, pod, types.MergePatchType, patch, metav1.PatchOptions{})
	w.ignoreGone(err)
}
