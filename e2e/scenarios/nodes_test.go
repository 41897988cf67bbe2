package scenarios

import (
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"dsdoctor.dev/e2e/kubelet"
)

var nodeScenarios = []scenario{
	{
		name:  "cordon",
		story: "a cordoned node keeps its daemon pods and gets new ones",
		nodes: three(),
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:3"},
		steps: []step{
			{
				name: "cordon",
				do: func(w *world) {
					w.cordon("n1")
				},
				want: expectation{"agent": "running:3/- quiet"},
			},
			{
				name: "a DaemonSet made afterwards runs there, too",
				do:   func(w *world) { w.addDaemonSets(daemonSet("late")) },
				want: expectation{"agent": "running:3/- quiet", "late": "running:3/- quiet"},
			},
			{
				name: "what does not fit there does not fit for another reason",
				do:   func(w *world) { w.addDaemonSets(daemonSet("giant", requesting("64"))) },
				want: expectation{"giant": "n1=pending/sched-never-fits,node-cordoned pending:3/sched-never-fits"},
			},
		},
	},
	{
		name:  "drain",
		story: "draining cordons and evicts what is not a daemon pod; an evicted daemon pod comes back",
		nodes: three(),
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:3"},
		steps: []step{
			{
				name: "drain, leaving daemon pods alone",
				do: func(w *world) {
					w.must(create(client.CoreV1().Pods(w.namespace), w.ctx, barePod("web", "web", w.full("n1"))))
					w.cordon("n1")
					w.evict("web")
					w.eventually("the evicted pod is gone", func() bool { return len(w.podsOn("web", "n1")) == 0 })
				},
				want: expectation{"agent": "running:3"},
			},
			{
				name: "evict the daemon pod, too",
				do: func(w *world) {
					pod := w.podsOn("agent", "n1")[0]
					w.evict(pod.Name)
					w.eventually("the evicted pod has a successor", func() bool {
						pods := w.podsOn("agent", "n1")
						return len(pods) == 1 && pods[0].UID != pod.UID
					})
				},
				want: expectation{"agent": "running:3"},
			},
		},
	},
	{
		name:  "not-ready",
		story: "a kubelet falls silent and comes back; only the NoExecute taints are tolerated by default",
		nodes: three(),
		sets:  sets(daemonSet("agent"), daemonSet("proxy", tolerating("", "Exists", ""))),
		first: expectation{"agent": "running:3", "proxy": "running:3"},
		steps: []step{
			{
				name: "the kubelet falls silent",
				do: func(w *world) {
					w.kubelet("n1", "stop")
					silent := expectation{
						"agent": "n1=misscheduled/node-unreachable running:2/-",
						"proxy": "n1=not-ready/node-unreachable running:2/-",
					}
					w.agree(silent, false)
					// The pod's condition makes the controller count, the taint does not, and
					// either may come first.
					w.touch("agent")
					w.settle(silent)
				},
				later: expectation{
					"agent": "n1=misscheduled/node-unreachable +daemonset-fewer-than-nodes",
					"proxy": "n1=not-ready/node-unreachable -daemonset-fewer-than-nodes",
				},
			},
			{
				name: "the kubelet is back",
				do:   func(w *world) { w.kubelet("n1", "") },
				want: expectation{"agent": "running:3/- quiet", "proxy": "running:3/- quiet"},
			},
			{
				name: "the kubelet says that the node is not ready",
				do: func(w *world) {
					w.changeNode("n1", func(n *v1.Node) { n.Annotations[kubelet.ReadyAnnotation] = "false" })
					w.eventually("the node has its taint", func() bool { return hasTaint(w.getNode("n1"), v1.TaintNodeNotReady) })
					w.touch("agent")
				},
				want: expectation{
					"agent": "n1=misscheduled/node-not-ready running:2/-",
					"proxy": "n1=running/node-not-ready running:3", // the simulated kubelet holds that its pods are well
				},
				later: expectation{"agent": "n1=misscheduled/node-not-ready +daemonset-fewer-than-nodes"},
			},
		},
	},
	{
		name:  "disk-pressure",
		story: "a node is short of disk: pods stay wanted there, and its kubelet refuses them",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("before")),
		first: expectation{"before": "running:2/- quiet"},
		steps: []step{{
			name: "pressure first, then a DaemonSet",
			do: func(w *world) {
				w.setCondition("n1", v1.NodeDiskPressure, v1.ConditionTrue)
				w.eventually("the node has its taint", func() bool { return hasTaint(w.getNode("n1"), v1.TaintNodeDiskPressure) })
				w.addDaemonSets(refused("late", "Evicted", "The node had condition: [DiskPressure]. "))
			},
			want: expectation{
				"before": "running:2/- quiet",
				"late":   "n1=failed/node-disk-pressure,kubelet-pressure-refused n2=failed/kubelet-pressure-refused",
			},
		}},
	},
	{
		name:  "known-taints",
		story: "taints that say what becomes of a node: it starts, is replaced, or is taken back",
		nodes: []*v1.Node{node("new"), node("replaced"), node("spot"), node("pool")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:4/- quiet"},
		steps: []step{{
			name: "they are tainted, and the pod of the new one goes",
			do: func(w *world) {
				w.changeNode("new", tainted("node.cloudprovider.kubernetes.io/uninitialized", "true", v1.TaintEffectNoSchedule))
				w.changeNode("replaced", tainted("karpenter.sh/disrupted", "", v1.TaintEffectNoSchedule))
				w.changeNode("spot", tainted("aws-node-termination-handler/spot-itn", "1", v1.TaintEffectNoSchedule))
				w.changeNode("pool", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule))
				pod := w.podsOn("agent", "new")[0]
				w.must(client.CoreV1().Pods(w.namespace).Delete(w.ctx, pod.Name, metav1.DeleteOptions{}))
			},
			want: expectation{"agent": "new=excluded/node-cloud-uninitialized replaced=misscheduled/node-karpenter-disrupted " +
				"spot=misscheduled/node-interruption pool=misscheduled/pod-misscheduled"},
		}},
	},
	{
		name:  "deleted-node",
		story: "a Node object is deleted; its pod stays until the garbage collector finds it, and counts nowhere",
		nodes: three(),
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:3"},
		steps: []step{{
			name: "the Node object is deleted: nothing makes the controller count",
			do: func(w *world) {
				w.must(client.CoreV1().Nodes().Delete(w.ctx, w.full("n3"), metav1.DeleteOptions{}))
				w.lagsUntilTouched(expectation{"agent": "n1=running/- n2=running/- +pod-on-missing-node"},
					map[string]counters{"agent": {3, 3, 0, 3, 3, 3}})
				if len(w.podsOn("agent", "n3")) != 1 {
					w.Fatal("the pod went with its node; the scenario shows nothing")
				}
			},
			later: expectation{"agent": "n1=running/- n2=running/- +pod-on-missing-node"},
		}},
	},
}

func (w *world) cordon(short string) {
	w.Helper()
	w.changeNode(short, func(n *v1.Node) { n.Spec.Unschedulable = true })
	w.eventually("the cordoned node carries its taint", func() bool {
		return hasTaint(w.getNode(short), v1.TaintNodeUnschedulable)
	})
}

func (w *world) evict(pod string) {
	w.Helper()
	w.must(client.CoreV1().Pods(w.namespace).EvictV1(w.ctx, &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: w.namespace},
	}))
}

func (w *world) kubelet(short, state string) {
	w.Helper()
	w.changeNode(short, func(n *v1.Node) {
		if n.Annotations == nil {
			n.Annotations = map[string]string{}
		}
		n.Annotations[kubelet.ReadyAnnotation] = state
	})
	want := v1.ConditionTrue
	if state == "stop" {
		want = v1.ConditionUnknown
	}
	w.eventually("the node is judged by its kubelet", func() bool {
		for _, c := range w.getNode(short).Status.Conditions {
			if c.Type == v1.NodeReady {
				return c.Status == want
			}
		}
		return false
	})
}

func (w *world) setCondition(short string, kind v1.NodeConditionType, status v1.ConditionStatus) {
	w.Helper()
	w.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		n := w.getNode(short)
		for i := range n.Status.Conditions {
			if c := &n.Status.Conditions[i]; c.Type == kind {
				c.Status, c.LastTransitionTime = status, metav1.Now()
			}
		}
		_, err := client.CoreV1().Nodes().UpdateStatus(w.ctx, n, metav1.UpdateOptions{})
		return err
	}))
}
