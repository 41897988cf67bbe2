// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dsdoctor.dev/e2e/controlplane"
	"dsdoctor.dev/e2e/kubelet"
)

// from expects what is new since release 1.MINOR, or what was before.
func from(minor int, now, before string) string {
	if controlplane.IsRelease(minor) {
		return now
	}
	return before
}

// Situations in which releases differ.
var releaseScenarios = []scenario{
	{
		name:  "requests-by-release",
		story: "from 1.37 on the scheduler compares sums over whole pods: some nodes have less room than before, some more",
		nodes: []*v1.Node{
			node("overhead", sized("3800m", "110")), node("resized", sized("4500m", "110")),
			node("init", sized("3500m", "110")), node("infeasible", sized("4", "110")),
		},
		steps: []step{{
			name: "a pod on each node, then the DaemonSet",
			do: func(w *world) {
				w.addSandboxedPod()
				w.addReportedPod("resized", w.resizedPod())
				w.addReportedPod("init", w.initResizedPod())
				w.addReportedPod("infeasible", w.infeasiblePod())
				w.addDaemonSets(daemonSet("agent", requesting("1")))
			},
			want: expectation{"agent": from(37,
				"overhead=pending/sched-insufficient-cpu resized=running/- init=pending/sched-insufficient-cpu infeasible=running/-",
				"overhead=running/- resized=pending/sched-insufficient-cpu init=running/- infeasible=pending/sched-insufficient-cpu")},
		}},
	},
	{
		name:  "declared-features",
		story: "a pod needs a feature that a kubelet does not declare",
		nodes: []*v1.Node{node("old"), node("new")},
		steps: []step{
			{
				name: "one kubelet declares it, then the DaemonSet comes",
				do: func(w *world) {
					w.declareFeature("new")
					w.addDaemonSets(daemonSet("agent", spec(restartingAll)))
				},
				want:  expectation{"agent": "old=pending/sched-node-features new=running/-"},
				later: expectation{"agent": "old=pending/sched-node-features new=running/-"},
			},
			{
				name: "the other kubelet declares it as well",
				do:   func(w *world) { w.declareFeature("old") },
				want: expectation{"agent": "running:2/- quiet"},
			},
		},
	},
}

func restartingAll(s *v1.PodSpec) {
	never := v1.ContainerRestartPolicyNever
	s.Containers[0].RestartPolicy = &never
	s.Containers[0].RestartPolicyRules = []v1.ContainerRestartRule{{
		Action:    v1.ContainerRestartRuleActionRestartAllContainers,
		ExitCodes: &v1.ContainerRestartRuleOnExitCodes{Operator: v1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{88}},
	}}
}

func (w *world) declareFeature(short string) {
	w.Helper()
	patch := []byte(`{"status":{"declaredFeatures":["RestartAllContainersOnContainerExits"]}}`)
	_, err := client.CoreV1().Nodes().PatchStatus(w.ctx, w.full(short), patch)
	w.must(err)
}

// addSandboxedPod: its RuntimeClass adds 500m of CPU to the 2 of its container.
func (w *world) addSandboxedPod() {
	w.Helper()
	class := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "kata"}, Handler: "kata"}
	class.Overhead = &nodev1.Overhead{PodFixed: cpu("500m")}
	w.must(create(client.NodeV1().RuntimeClasses(), w.ctx, class))
	w.Cleanup(func() { w.ignoreGone(client.NodeV1().RuntimeClasses().Delete(w.ctx, "kata", metav1.DeleteOptions{})) })
	sandboxed := spec(func(s *v1.PodSpec) { s.RuntimeClassName = pointer("kata"); s.NodeName = w.full("overhead") })
	pod := w.pod("sandboxed", requesting("2"), sandboxed)
	w.eventually("the class is known", func() bool { return create(client.CoreV1().Pods(w.namespace), w.ctx, pod) == nil })
	w.eventually("the kubelet reports the overhead", func() bool {
		pod, err := client.CoreV1().Pods(w.namespace).Get(w.ctx, "sandboxed", metav1.GetOptions{})
		return err == nil && pod.Status.AllocatedResources.Cpu().String() == "2500m"
	})
}

// addReportedPod adds a pod whose status is that of a resize, which the kubelet does not simulate.
func (w *world) addReportedPod(node string, pod *v1.Pod) {
	w.Helper()
	status := pod.Status
	status.Phase = v1.PodRunning
	pod.Spec.NodeName = w.full(node)
	pod.Annotations = map[string]string{kubelet.BehaviourAnnotation: "ignored"}
	pods := client.CoreV1().Pods(w.namespace)
	pod, err := pods.Create(w.ctx, pod, metav1.CreateOptions{})
	w.must(err)
	pod.Status = status
	_, err = pods.UpdateStatus(w.ctx, pod, metav1.UpdateOptions{})
	w.must(err)
}

// resizedPod: 2 to 1 and 1 to 2, granted, but not in force yet.
func (w *world) resizedPod() *v1.Pod {
	pod := w.pod("resized", requesting("1"))
	pod.Spec.Containers = append(pod.Spec.Containers, v1.Container{Name: "other", Image: "example.com/other:1"})
	pod.Spec.Containers[1].Resources.Requests = cpu("2")
	pod.Status.ContainerStatuses = []v1.ContainerStatus{reported("agent", "1", "2"), reported("other", "2", "1")}
	return pod
}

// initResizedPod: an init container was resized from 3 to 1, the container requests 500m.
func (w *world) initResizedPod() *v1.Pod {
	pod := w.pod("init", requesting("500m"))
	pod.Spec.InitContainers = []v1.Container{{Name: "setup", Image: "example.com/setup:1"}}
	pod.Spec.InitContainers[0].Resources.Requests = cpu("1")
	pod.Status.InitContainerStatuses = []v1.ContainerStatus{reported("setup", "3", "3")}
	pod.Status.ContainerStatuses = []v1.ContainerStatus{reported("agent", "500m", "500m")}
	return pod
}

// infeasiblePod: 1 to 8 is more than the node has, and the status has allocatedResources only.
func (w *world) infeasiblePod() *v1.Pod {
	pod := w.pod("infeasible", requesting("8"))
	pod.Status.ContainerStatuses = []v1.ContainerStatus{reported("agent", "1", "")}
	pod.Status.Conditions = []v1.PodCondition{{
		Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: v1.PodReasonInfeasible,
	}}
	return pod
}

// reported is a container's status with its allocated and its actual request.
func reported(name, allocated, actual string) v1.ContainerStatus {
	status := v1.ContainerStatus{Name: name, Image: "example.com/" + name + ":1", AllocatedResources: cpu(allocated)}
	if actual != "" {
		status.Resources = &v1.ResourceRequirements{Requests: cpu(actual)}
	}
	return status
}

func cpu(amount string) v1.ResourceList {
	return v1.ResourceList{v1.ResourceCPU: resource.MustParse(amount)}
}
