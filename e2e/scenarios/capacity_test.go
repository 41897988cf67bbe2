// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var capacityScenarios = []scenario{
	{
		name:  "full-nodes",
		story: "nodes are wanted whether or not there is room: the pod stays pending",
		nodes: []*v1.Node{node("large"), node("few-pods", sized("4", "1")), node("small", sized("100m", "110"))},
		sets:  sets(daemonSet("first")),
		first: expectation{"first": "running:3"},
		steps: []step{{
			name:  "a second one does not fit everywhere",
			do:    func(w *world) { w.addDaemonSets(daemonSet("second", requesting("500m"))) },
			want:  expectation{"first": "running:3", "second": "large=running few-pods=pending/sched-too-many-pods small=pending/sched-never-fits"},
			later: expectation{"second": "large=running/- few-pods=pending/sched-too-many-pods,preempt-no-victims small=pending/sched-never-fits"},
		}},
	},
	{
		name:  "host-port",
		story: "two DaemonSets want the same host port",
		nodes: three(),
		sets:  sets(daemonSet("first", spec(onHostPort))),
		first: expectation{"first": "running:3"},
		steps: []step{{
			name: "the second comes",
			do:   func(w *world) { w.addDaemonSets(daemonSet("second", spec(onHostPort))) },
			want: expectation{"first": "running:3/- quiet", "second": "pending:3/sched-host-port -daemonset-no-priority"},
		}, {
			name: "to push the first aside is no advice",
			do: func(w *world) {
				w.prints(text{says: []string{"9100"}, never: []string{"priorityClassName"}}, "explain", "second")
				w.prints(text{says: []string{"9100"}, never: append(nothingToDo, "priorityClassName")}, "suggest", "second")
				w.printsLater(text{exitCode: 1, says: []string{"9100"}, never: []string{"priorityClassName"}}, "check")
			},
			later: expectation{"first": "running:3/- quiet", "second": "pending:3/sched-host-port -daemonset-no-priority"},
		}},
	},
	{
		name:  "preemption",
		story: "a DaemonSet of higher priority takes the room of a lower one",
		nodes: []*v1.Node{node("n1", sized("1", "110")), node("n2")},
		sets:  sets(daemonSet("low", requesting("800m"))),
		first: expectation{"low": "running:2"},
		steps: []step{{
			name: "the important one comes",
			do: func(w *world) {
				w.addPriorityClass("important", 1000, v1.PreemptLowerPriority)
				w.addDaemonSets(daemonSet("high", requesting("800m"), spec(func(s *v1.PodSpec) {
					s.PriorityClassName = "important"
				})))
			},
			want: expectation{"low": "n1=pending/sched-insufficient-cpu,preempt-no-victims,pod-disrupted n2=running/-", "high": "running:2/- quiet"},
		}},
	},
	{
		name:  "preemption-under-way",
		story: "the room is being made: the pod that has to go takes its time",
		nodes: []*v1.Node{node("n1", sized("1", "110"))},
		sets:  sets(daemonSet("low", requesting("800m"), behaving("slow-stop"))),
		first: expectation{"low": "running:1"},
		steps: []step{{
			name: "the important one comes",
			do: func(w *world) {
				w.addPriorityClass("urgent", 1000, v1.PreemptLowerPriority)
				w.addDaemonSets(daemonSet("high", requesting("800m"), spec(func(s *v1.PodSpec) { s.PriorityClassName = "urgent" })))
				w.eventually("the pod in the way is asked to go", func() bool {
					pods := w.podsOn("low", "n1")
					return len(pods) == 1 && pods[0].DeletionTimestamp != nil
				})
			},
			want: expectation{"high": "n1=pending/sched-insufficient-cpu,preempt-in-progress", "low": "n1=terminating/-,pod-disrupted"},
		}},
	},
	{
		name:  "preemption-forbidden",
		story: "the class is high enough, but its pods may not push others away",
		nodes: []*v1.Node{node("n1", sized("1", "110"))},
		sets:  sets(daemonSet("low", requesting("800m"))),
		first: expectation{"low": "running:1"},
		steps: []step{{
			name: "the patient one comes",
			do: func(w *world) {
				w.addPriorityClass("patient", 1000, v1.PreemptNever)
				w.addDaemonSets(daemonSet("high", requesting("800m"), spec(func(s *v1.PodSpec) { s.PriorityClassName = "patient" })))
			},
			want: expectation{"high": "n1=pending/sched-insufficient-cpu,preempt-never", "low": "running:1/- quiet"},
		}},
	},
	{
		name:  "resources",
		story: "every resource has its own name, and a request above the whole node never fits",
		nodes: []*v1.Node{node("n1", sized("4", "110"))},
		sets:  sets(daemonSet("first", requesting("3"), requestingMore(v1.ResourceMemory, "7Gi"))),
		first: expectation{"first": "running:1"},
		steps: []step{{
			name: "others come",
			do: func(w *world) {
				w.addDaemonSets(
					daemonSet("cpu", requesting("2")),
					daemonSet("memory", requestingMore(v1.ResourceMemory, "2Gi")),
					daemonSet("both", requesting("2"), requestingMore(v1.ResourceMemory, "2Gi")),
					daemonSet("giant", requesting("5")),
					daemonSet("device", requestingMore("example.com/fpga", "1")),
				)
			},
			want: expectation{
				"cpu":    "n1=pending/sched-insufficient-cpu,preempt-no-victims",
				"memory": "n1=pending/sched-insufficient-memory",
				"both":   "n1=pending/sched-insufficient-cpu,sched-insufficient-memory",
				"giant":  "n1=pending/sched-never-fits,preempt-unhelpful",
				"device": "n1=pending/sched-never-fits,sched-insufficient-extended",
			},
			later: expectation{"device": "n1=pending/sched-never-fits,sched-insufficient-extended -daemonset-no-priority"},
		}},
	},
}

func (w *world) addPriorityClass(name string, value int32, preemption v1.PreemptionPolicy) {
	w.Helper()
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value, PreemptionPolicy: &preemption}
	w.must(create(client.SchedulingV1().PriorityClasses(), w.ctx, class))
}

func requestingMore(name v1.ResourceName, amount string) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) {
		r := &s.Containers[0].Resources
		if r.Requests == nil {
			r.Requests = v1.ResourceList{}
		}
		r.Requests[name] = resource.MustParse(amount)
		if r.Limits == nil && strings.Contains(string(name), "/") {
			r.Limits = v1.ResourceList{name: r.Requests[name]} // cannot be overcommitted
		}
	})
}

func onHostPort(s *v1.PodSpec) {
	s.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 9100, HostPort: 9100}}
}
