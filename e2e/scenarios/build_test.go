// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dsdoctor.dev/e2e/kubelet"
)

// node and its options. Names are short; the world adds the scenario's prefix.
func node(name string, options ...func(*v1.Node)) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelOSStable: "linux"}}}
	for _, option := range options {
		option(n)
	}
	return n
}

func labelled(key, value string) func(*v1.Node) {
	return func(n *v1.Node) { n.Labels[key] = value }
}

func tainted(key, value string, effect v1.TaintEffect) func(*v1.Node) {
	return func(n *v1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: key, Value: value, Effect: effect})
	}
}

// sized replaces the default capacity of the simulated kubelet.
func sized(cpu, pods string) func(*v1.Node) {
	return func(n *v1.Node) {
		n.Status.Capacity = v1.ResourceList{
			v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse("8Gi"),
			v1.ResourcePods: resource.MustParse(pods),
		}
		n.Status.Allocatable = n.Status.Capacity
	}
}

func daemonSet(name string, options ...func(*appsv1.DaemonSet)) *appsv1.DaemonSet {
	labels := map[string]string{"app": name}
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	ds.Spec.Template.Labels = labels
	ds.Spec.Template.Annotations = map[string]string{}
	ds.Spec.Template.Spec.Containers = []v1.Container{{Name: "agent", Image: "example.com/agent:1"}}
	for _, option := range options {
		option(ds)
	}
	return ds
}

func tolerating(key string, operator v1.TolerationOperator, effect v1.TaintEffect) func(*appsv1.DaemonSet) {
	return toleratingFor(key, operator, effect, nil)
}

func toleratingFor(key string, operator v1.TolerationOperator, effect v1.TaintEffect, seconds *int64) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) {
		s.Tolerations = append(s.Tolerations, v1.Toleration{
			Key: key, Operator: operator, Effect: effect, TolerationSeconds: seconds,
		})
	})
}

func behaving(behaviour string) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Annotations[kubelet.BehaviourAnnotation] = behaviour
	}
}

func requesting(cpu string) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) {
		s.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}
	})
}

func spec(change func(*v1.PodSpec)) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) { change(&ds.Spec.Template.Spec) }
}

func strategy(s appsv1.DaemonSetUpdateStrategy) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) { ds.Spec.UpdateStrategy = s }
}

func image(name string) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) { s.Containers[0].Image = name })
}

// barePod has no owner and is bound without a scheduler.
func barePod(name, app, node string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": app}}}
	pod.Spec.NodeName = node
	pod.Spec.Containers = []v1.Container{{Name: "main", Image: "example.com/" + app + ":1"}}
	return pod
}
