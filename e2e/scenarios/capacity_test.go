package scenarios

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
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
			name: "a second one does not fit everywhere",
			do:   func(w *world) { w.addDaemonSets(daemonSet("second", requesting("500m"))) },
			want: expectation{"first": "running:3", "second": "large=running few-pods=pending small=pending"},
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
			want: expectation{"first": "running:3", "second": "pending:3"},
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
				class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "important"}, Value: 1000}
				w.must(create(client.SchedulingV1().PriorityClasses(), w.ctx, class))
				w.addDaemonSets(daemonSet("high", requesting("800m"), spec(func(s *v1.PodSpec) {
					s.PriorityClassName = class.Name
				})))
			},
			want: expectation{"low": "n1=pending n2=running", "high": "running:2"},
		}},
	},
}

func onHostPort(s *v1.PodSpec) {
	s.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 9100, HostPort: 9100}}
}
