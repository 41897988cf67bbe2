// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"dsdoctor.dev/e2e/kubelet"
)

// refused is a DaemonSet whose pods the kubelet rejects with a reason and a message.
func refused(name, reason, message string) *appsv1.DaemonSet {
	return daemonSet(name, behaving("reject"), func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Annotations[kubelet.ReasonAnnotation] = reason
		ds.Spec.Template.Annotations[kubelet.MessageAnnotation] = message
	})
}

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
		// A rejected pod is reported as failed during the backoff of the controller.
		first: expectation{
			"crashing":   "not-ready:3/container-crash",
			"unpullable": "not-ready:3/image-pull",
			"refused":    "failed:3/kubelet-out-of-cpu",
		},
	},
	{
		name:  "unwell-containers",
		story: "containers that are killed, not made, held up by an init container, or never ready",
		nodes: []*v1.Node{node("n1")},
		sets: sets(
			daemonSet("hungry", behaving("oom")),
			daemonSet("misconfigured", behaving("config")),
			daemonSet("held-up", behaving("init-fail"), spec(func(s *v1.PodSpec) {
				s.InitContainers = []v1.Container{
					{Name: "migrate", Image: "example.com/migrate:1"}, {Name: "warm", Image: "example.com/warm:1"},
				}
			})),
			daemonSet("unready", behaving("unready"), spec(func(s *v1.PodSpec) {
				s.Containers[0].ReadinessProbe = &v1.Probe{ProbeHandler: v1.ProbeHandler{
					HTTPGet: &v1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(8080)},
				}}
			})),
			daemonSet("slow", behaving("creating")),
			daemonSet("ignored", behaving("ignored")),
			daemonSet("warming", func(ds *appsv1.DaemonSet) { ds.Spec.MinReadySeconds = 3600 }),
		),
		steps: []step{{
			name: "they have been so for a while",
			do:   func(*world) {},
			want: expectation{
				"hungry":        "n1=not-ready/container-oom",
				"misconfigured": "n1=not-ready/container-config",
				"held-up":       "n1=not-ready/init-blocked,container-crash",
				"unready":       "n1=not-ready/probe-failing",
				"slow":          "n1=not-ready/creating-slow",
				"ignored":       "n1=not-ready/pod-not-acknowledged",
				"warming":       "n1=running/pod-warming",
			},
			later: expectation{
				"hungry":        "n1=not-ready/container-oom",
				"misconfigured": "n1=not-ready/container-config",
				"held-up":       "n1=not-ready/init-blocked,container-crash",
				"unready":       "n1=not-ready/probe-failing",
				"slow":          "n1=not-ready/creating-slow",
				"ignored":       "n1=not-ready/pod-not-acknowledged",
			},
		}},
	},
	{
		name:  "kubelet-events",
		story: "only the kubelet's events tell why containers are not made, or not ready",
		nodes: []*v1.Node{node("n1")},
		sets: sets(
			daemonSet("volume", behaving("creating")),
			daemonSet("sandbox", behaving("creating")),
			daemonSet("network", behaving("creating")),
			daemonSet("pulling", behaving("creating")),
		),
		first: expectation{
			"volume": "n1=not-ready", "sandbox": "n1=not-ready", "network": "n1=not-ready", "pulling": "n1=not-ready",
		},
		steps: []step{{
			name: "it speaks",
			do: func(w *world) {
				w.kubeletSays("volume", "n1", "FailedMount", `MountVolume.SetUp failed for volume "data" : secret "ghost" not found`)
				w.kubeletSays("sandbox", "n1", "FailedCreatePodSandBox",
					`Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox: plugin type="calico" failed (add)`)
				w.kubeletSays("network", "n1", "NetworkNotReady", "network is not ready: container runtime network not ready: NetworkReady=false")
				w.kubeletSays("pulling", "n1", "Pulling", `Pulling image "example.com/agent:1"`)
			},
			want: expectation{
				"volume": "n1=not-ready/volume-mount", "sandbox": "n1=not-ready/sandbox",
				"network": "n1=not-ready/network-not-ready", "pulling": "n1=not-ready/image-pulling",
			},
		}},
	},
	{
		name:  "kubelet-refusals",
		story: "the kubelet turns down pods that the scheduler had bound",
		nodes: []*v1.Node{node("n1")},
		sets: sets(
			refused("pods", "OutOfpods", "Node didn't have enough resource: pods, requested: 1, used: 110, capacity: 110"),
			refused("labels", "NodeAffinity", "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"),
			refused("ports", "NodePorts", "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"),
			refused("taint", "TaintToleration", "Pod was rejected: Predicate TaintToleration failed"),
			refused("shutdown", "NodeShutdown", "Pod was rejected as the node is shutting down."),
			refused("devices", "UnexpectedAdmissionError", "Allocate failed due to no healthy devices present"),
			refused("evicted", "Evicted", "The node was low on resource: memory. Threshold quantity: 100Mi, available: 40Mi. "),
			refused("odd", "SomethingNew", "words that no release knows"),
		),
		first: expectation{
			"pods":     "n1=failed/kubelet-out-of-pods",
			"labels":   "n1=failed/kubelet-node-affinity",
			"ports":    "n1=failed/kubelet-node-ports",
			"taint":    "n1=failed/kubelet-taint",
			"shutdown": "n1=failed/kubelet-shutdown",
			"devices":  "n1=failed/kubelet-admission-error",
			"evicted":  "n1=failed/kubelet-evicted",
			"odd":      "n1=failed/kubelet-failed-other",
		},
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
				want:  expectation{"agent": "n1=duplicate/pod-duplicate running:2/-"},
				later: expectation{"agent": "n1=duplicate/pod-duplicate"},
			},
			{
				name: "the controller may delete again and keeps the older one",
				do: func(w *world) {
					w.allowAll()
					w.touch("agent")
				},
				want: expectation{"agent": "running:3/- quiet"},
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
				w.addNodes(node("n3"), node("n4", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule)))
				w.lags(expectation{"agent": "n1=running n2=running n3=missing/daemonset-being-deleted n4=excluded +daemonset-being-deleted"},
					map[string]counters{"agent": {2, 2, 0, 2, 2, 2}})
				w.prints(text{says: []string{"being deleted"}, never: []string{`"op"`, "kubectl --namespace " + w.namespace + " patch"}}, "suggest", "agent")
			},
		}},
	},
	{
		name:  "dying-namespace",
		story: "a namespace is being deleted and cannot go, because its DaemonSet cannot",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets: sets(daemonSet("agent", func(ds *appsv1.DaemonSet) {
			ds.Finalizers = []string{finalizer}
		})),
		first: expectation{"agent": "running:2"},
		steps: []step{{
			name: "the namespace is deleted, and the pods go",
			do: func(w *world) {
				w.Cleanup(func() {
					w.changeDaemonSet("agent", func(ds *appsv1.DaemonSet) { ds.Finalizers = nil })
				})
				w.must(client.CoreV1().Namespaces().Delete(w.ctx, w.namespace, metav1.DeleteOptions{}))
				w.eventually("the pods are gone and the DaemonSet stays", func() bool {
					return len(w.podsOn("agent", "n1"))+len(w.podsOn("agent", "n2")) == 0 && w.getDaemonSet("agent").DeletionTimestamp != nil
				})
				w.agree(expectation{"agent": "missing:2/daemonset-being-deleted +daemonset-being-deleted"}, false)
				w.prints(text{first: []string{"terminating"}, says: []string{finalizer}, never: resolves}, "explain", "agent")
				w.prints(text{says: []string{"being deleted"}, never: []string{`"op"`}}, "suggest", "agent")
			},
		}},
	},
}

// behaveFromNowOn changes the simulated state of one pod.
func (w *world) behaveFromNowOn(pod, behaviour string) {
	w.Helper()
	patch := []byte(`{"metadata":{"annotations":{"` + kubelet.BehaviourAnnotation + `":"` + behaviour + `"}}}`)
	_, err := client.CoreV1().Pods(w.namespace).Patch(w.ctx, pod, types.MergePatchType, patch, metav1.PatchOptions{})
	w.must(err)
}

// kubeletSays records an event like the kubelet, about a DaemonSet's pod on a node.
func (w *world) kubeletSays(ds, short, reason, message string) {
	w.Helper()
	pod := w.podsOn(ds, short)[0]
	now := metav1.Now()
	kind := v1.EventTypeWarning
	if reason == "Pulling" {
		kind = v1.EventTypeNormal
	}
	w.must(create(client.CoreV1().Events(w.namespace), w.ctx, &v1.Event{
		ObjectMeta:     metav1.ObjectMeta{GenerateName: pod.Name + "."},
		InvolvedObject: v1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, APIVersion: "v1"},
		Source:         v1.EventSource{Component: "kubelet", Host: pod.Spec.NodeName},
		Type:           kind, Reason: reason, Message: message, Count: 1, FirstTimestamp: now, LastTimestamp: now,
	}))
}
