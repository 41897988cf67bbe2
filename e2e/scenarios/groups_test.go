// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dsdoctor.dev/e2e/controlplane"
)

// podGroupVersion is the newest version of PodGroups in this release.
func podGroupVersion() string {
	if controlplane.IsRelease(37) {
		return "v1beta1"
	}
	return "v1alpha2"
}

// Scenarios with gate GenericWorkload.
var groupScenarios = []scenario{
	{
		name:  "group-missing",
		story: "pods name a PodGroup that does not exist: the scheduler does not process them",
		nodes: three(),
		sets:  sets(daemonSet("agent", inGroup("absent"))),
		first: expectation{"agent": "pending:3/sched-pod-group"},
		steps: []step{
			{
				name:  "time does not help",
				do:    func(*world) {},
				later: expectation{"agent": "pending:3/sched-pod-group"},
			},
			{
				name: "the PodGroup is made, for more pods than there are nodes",
				do:   func(w *world) { w.addPodGroup("absent", 5) },
				want: expectation{"agent": "pending:3/sched-pod-group"},
			},
			{
				name: "it needs no more than there are",
				do:   func(w *world) { w.lowerMinCount("absent", 3) },
				want: expectation{"agent": "running:3/- quiet"},
			},
		},
	},
	{
		name:  "group-short-of-nodes",
		story: "the pods of a PodGroup run together or not at all, and one of the nodes is full",
		nodes: []*v1.Node{node("n1"), node("n2"), node("full", sized("1", "110"))},
		sets:  sets(daemonSet("first", requesting("600m"))),
		first: expectation{"first": "running:3"},
		steps: []step{{
			name: "the group comes",
			do: func(w *world) {
				w.addPodGroup("gang", 3)
				w.addDaemonSets(daemonSet("agent", requesting("500m"), inGroup("gang")))
			},
			want: expectation{"agent": "n1=pending/sched-pod-group n2=pending/sched-pod-group full=pending/sched-insufficient-cpu"},
		}, {
			name: "room is made",
			do: func(w *world) {
				w.must(client.AppsV1().DaemonSets(w.namespace).Delete(w.ctx, "first", metav1.DeleteOptions{}))
			},
			want: expectation{"agent": "running:3/- quiet"},
		}},
	},
}

func inGroup(name string) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) { s.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &name} })
}

func (w *world) podGroupPath() string {
	return "/apis/scheduling.k8s.io/" + podGroupVersion() + "/namespaces/" + w.namespace + "/podgroups"
}

// addPodGroup sends JSON: the releases have different versions of the type.
func (w *world) addPodGroup(name string, minCount int) {
	w.Helper()
	body := fmt.Sprintf(`{"apiVersion":"scheduling.k8s.io/%s","kind":"PodGroup","metadata":{"name":%q},
		"spec":{"schedulingPolicy":{"gang":{"minCount":%d}}}}`, podGroupVersion(), name, minCount)
	request := client.RESTClient().Post().AbsPath(w.podGroupPath()).SetHeader("Content-Type", "application/json")
	w.must(request.Body([]byte(body)).Do(w.ctx).Error())
}

// lowerMinCount replaces the PodGroup where the field is immutable.
func (w *world) lowerMinCount(name string, minCount int) {
	w.Helper()
	patch := func(body string) {
		w.Helper()
		w.must(client.RESTClient().Patch(types.MergePatchType).AbsPath(w.podGroupPath(), name).Body([]byte(body)).Do(w.ctx).Error())
	}
	if controlplane.IsRelease(37) {
		patch(fmt.Sprintf(`{"spec":{"schedulingPolicy":{"gang":{"minCount":%d}}}}`, minCount))
		return
	}
	patch(`{"metadata":{"finalizers":null}}`) // the controller that removes them does not run here
	w.must(client.RESTClient().Delete().AbsPath(w.podGroupPath(), name).Do(w.ctx).Error())
	w.addPodGroup(name, minCount)
}
