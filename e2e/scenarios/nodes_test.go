// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
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
					"proxy": "n1=running/- running:3", // the simulated kubelet reports its pods as ready
				},
				later: expectation{"agent": "n1=misscheduled/node-not-ready +daemonset-fewer-than-nodes"},
			},
		},
	},
	{
		name:  "not-selected",
		story: "a node that the node selector excludes falls silent: that is nothing to the DaemonSet, and a fault to another",
		nodes: []*v1.Node{node("n1", labelled("role", "edge")), node("n2", labelled("role", "edge")), node("dark")},
		sets: sets(
			daemonSet("edge", selecting("role", "edge")),
			daemonSet("everywhere", tolerating("", "Exists", "")),
		),
		first: expectation{"edge": "running:2 dark=excluded", "everywhere": "running:3"},
		steps: []step{
			{
				name:  "its kubelet falls silent",
				do:    func(w *world) { w.kubelet("dark", "stop") },
				want:  expectation{"edge": "running:2/- dark=excluded/- quiet", "everywhere": "dark=not-ready/node-unreachable running:2/-"},
				later: expectation{"edge": "running:2/- dark=excluded/- quiet", "everywhere": "dark=not-ready/node-unreachable running:2/-"},
			},
			{
				name: "check is green for the one and red for the other",
				do: func(w *world) {
					w.prints(text{never: []string{w.full("dark"), "excluded"}}, "check", "edge")
					w.prints(text{never: []string{"<failure"}}, "check", "edge", "-o", "junit")
					w.prints(text{never: []string{`node="` + w.full("dark")}}, "check", "edge", "-o", "prometheus", "--node-labels")
					w.printsLater(text{never: []string{w.full("dark"), "excluded"}}, "check", "edge")
					w.prints(text{exitCode: 1, first: []string{"everywhere"}, says: []string{w.full("dark")}}, "check")
				},
			},
		},
	},
	{
		name:  "kubelet-returns",
		story: "a node's kubelet is back only when it renews its lease after the node was marked",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("proxy", tolerating("", "Exists", ""))),
		first: expectation{"proxy": "running:2"},
		steps: []step{
			{
				name: "it has just been marked: the last lease is seconds old",
				do: func(w *world) {
					w.kubelet("n1", "stop")
					w.settle(expectation{"proxy": "n1=not-ready/node-unreachable n2=running/-"})
					// The node is new: its problem has severity info.
					if f := w.finding("proxy", "n1", "node-unreachable"); f.Severity == "warning" || strings.Contains(f.Message, "reports again") {
						w.Errorf("nothing shows that the kubelet is back: %v", f)
					}
					w.prints(text{exitCode: 1, says: []string{w.full("n1")}, never: []string{"kubelet reports again"}}, "check")
				},
			},
			{
				name: "it renews its lease and has not reported its status yet",
				do: func(w *world) {
					w.renewLease("n1")
					if f := w.finding("proxy", "n1", "node-unreachable"); f.Severity == "error" || !strings.Contains(f.Message, "reports again") {
						w.Errorf("the kubelet has renewed its lease since the node was marked: %v", f)
					}
				},
			},
			{
				name: "it reports",
				do:   func(w *world) { w.kubelet("n1", "") },
				want: expectation{"proxy": "running:2/- quiet"},
			},
		},
	},
	{
		name:  "dead-nodes",
		story: "five nodes die: nothing is read node by node, and the same is said of them in every answer",
		nodes: []*v1.Node{node("n1"), node("n2"), node("n3"), node("d1"), node("d2"), node("d3"), node("d4"), node("d5")},
		sets: sets(
			daemonSet("a", tolerating("", "Exists", "")), daemonSet("b", tolerating("", "Exists", "")),
			daemonSet("c", tolerating("", "Exists", "")), daemonSet("d", tolerating("", "Exists", "")),
			daemonSet("e"), daemonSet("f"), daemonSet("g"),
		),
		first: expectation{"a": "running:8", "e": "running:8", "g": "running:8"},
		steps: []step{
			{
				name: "they fall silent",
				do: func(w *world) {
					w.kubelets("stop", "d1", "d2", "d3", "d4", "d5")
					w.agree(expectation{
						"a": "not-ready:5/node-unreachable running:3/-", "g": "misscheduled:5/node-unreachable running:3/-",
					}, false)
				},
			},
			{
				name: "check reads lists",
				do: func(w *world) {
					w.prints(text{exitCode: 1, says: []string{w.full("d1")}}, "check", "-A")
					asked := w.requestsOf("check", "-A")
					w.expectRequests(asked, "get", "nodes", 0)
					w.expectRequests(asked, "get", "leases", 5)
					w.expectRequests(asked, "list", "nodes", 1)
				},
			},
			{
				name: "a question about a node asks for its pods alone",
				do: func(w *world) {
					asked := w.requestsOf("explain", "node/"+w.full("d1"), "-A")
					for _, request := range asked {
						resource := request.ObjectRef
						if resource != nil && resource.Resource == "pods" && request.Verb == "list" && !strings.Contains(request.RequestURI, "spec.nodeName") {
							w.Errorf("it lists all pods: %s", request.RequestURI)
						}
					}
					w.expectRequests(asked, "list", "resourcequotas", 1)
				},
			},
			{
				name: "the node has been silent for as long in an answer about one DaemonSet and in one about all",
				do: func(w *world) {
					all := w.finding("a", "d1", "node-unreachable")
					one, err := ask(cluster.Kubeconfig, "explain", "a", "-n", w.namespace, "--all-nodes")
					w.must(err)
					age := regexp.MustCompile(`\([^)]*\)`) // it grows between two answers
					alone := w.findingIn(one, "a", "d1", "node-unreachable")
					if age.ReplaceAllString(alone.Message, "") != age.ReplaceAllString(all.Message, "") {
						w.Errorf("explain a: %v; explain -A: %v", alone, all)
					}
				},
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
				w.prints(text{exitCode: 1, says: []string{w.full("n3")}}, "diff-nodes", "agent")
			},
			later: expectation{"agent": "n1=running/- n2=running/- +pod-on-missing-node"},
		}},
	},
	{
		name:  "replaced-node",
		story: "a node is deleted and comes again under its name: it is another one",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:2"},
		steps: []step{{
			name: "between a snapshot and now",
			do: func(w *world) {
				before := filepath.Join(w.TempDir(), "before.json.zst")
				w.prints(text{}, "snapshot", before, "-A")
				w.must(client.CoreV1().Nodes().Delete(w.ctx, w.full("n2"), metav1.DeleteOptions{}))
				w.addNodes(node("n2"))
				w.prints(text{exitCode: 1, says: []string{w.full("n2")}, never: []string{w.full("n1")}}, "diff-nodes", "-A", "--since", before)
			},
		}},
	},
}

func selecting(key, value string) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) { s.NodeSelector = map[string]string{key: value} })
}

// renewLease renews the lease as a kubelet does every ten seconds, and does nothing else.
func (w *world) renewLease(short string) {
	w.Helper()
	leases := client.CoordinationV1().Leases(v1.NamespaceNodeLease)
	lease, err := leases.Get(w.ctx, w.full(short), metav1.GetOptions{})
	w.must(err)
	now := metav1.NowMicro()
	lease.Spec.RenewTime = &now
	_, err = leases.Update(w.ctx, lease, metav1.UpdateOptions{})
	w.must(err)
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
	w.kubelets(state, short)
}

func (w *world) kubelets(state string, nodes ...string) {
	w.Helper()
	for _, short := range nodes {
		w.changeNode(short, func(n *v1.Node) {
			if n.Annotations == nil {
				n.Annotations = map[string]string{}
			}
			n.Annotations[kubelet.ReadyAnnotation] = state
		})
	}
	want := v1.ConditionTrue
	if state == "stop" {
		want = v1.ConditionUnknown
	}
	for _, short := range nodes {
		w.eventually("the node is judged by its kubelet", func() bool {
			n := w.getNode(short)
			i := slices.IndexFunc(n.Status.Conditions, func(c v1.NodeCondition) bool { return c.Type == v1.NodeReady })
			return i >= 0 && n.Status.Conditions[i].Status == want
		})
	}
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
