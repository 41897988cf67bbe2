// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// sequenceScenarios are about causes in another object, or in what happened before.
var sequenceScenarios = []scenario{
	{
		name:  "adopted",
		story: "a DaemonSet is created again with another image and adopts its old pods: the controller never replaces them",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:2"},
		steps: []step{{
			name: "another image, the same template generation",
			do: func(w *world) {
				w.orphan("agent")
				w.addDaemonSets(daemonSet("agent", image("example.com/agent:2")))
			},
			want: expectation{"agent": "running:2 +drift-adopted-pods=warning"},
		}, {
			name: "it says what differs, and how to get rid of it",
			do: func(w *world) {
				changed := "example.com/agent:1 → example.com/agent:2"
				w.prints(text{exitCode: 1, first: []string{"never replaces"}, says: []string{changed, "rollout restart"}}, "check")
				w.printsLater(text{exitCode: 1, says: []string{changed, "rollout restart"}}, "check")
			},
		}, {
			name: "a restart replaces them",
			do:   func(w *world) { w.changeDaemonSet("agent", restarted("1")) },
			want: expectation{"agent": "running:2/- quiet"},
		}},
	},
	{
		name:  "label-removed",
		story: "a client removes the label that the DaemonSet selects, and the controller deletes the pod",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("agent", selecting("tier", "edge"))),
		steps: []step{{
			name: "kubectl labels both nodes",
			do: func(w *world) {
				for _, short := range []string{"n1", "n2"} {
					w.changeNodeAs("kubectl-label", short, func(n *v1.Node) {
						n.Labels["tier"], n.Labels["rack"] = "edge", "7"
					})
				}
			},
			want: expectation{"agent": "n1=running n2=running"},
		}, {
			name: "and removes one label",
			do: func(w *world) {
				pod := w.podsOn("agent", "n1")[0].Name
				w.changeNodeAs("kubectl-label", "n1", func(n *v1.Node) { delete(n.Labels, "tier") })
				w.settle(expectation{"agent": "n1=excluded n2=running quiet"})
				// managedFields do not record who only removes a label.
				w.prints(text{says: []string{
					"label tier is gone; the controller deleted pod " + pod,
					"the label was removed from " + w.full("n1"),
				}}, "explain", "agent", "--timeline")
			},
		}, {
			name: "a client that sets another label at the same time is recorded",
			do: func(w *world) {
				pod := w.podsOn("agent", "n2")[0].Name
				w.changeNodeAs("kubectl-label", "n2", func(n *v1.Node) {
					delete(n.Labels, "tier")
					n.Labels["rack"] = "8"
				})
				w.settle(expectation{"agent": "n1=excluded n2=excluded"})
				w.prints(text{says: []string{"the controller deleted pod " + pod}}, "explain", "agent", "--timeline")
			},
		}},
	},
	{
		name:  "flapping-label",
		story: "a label of one node comes and goes, and its pod with it",
		nodes: []*v1.Node{node("n1"), node("n2", labelled("tier", "edge"))},
		sets:  sets(daemonSet("agent", selecting("tier", "edge"))),
		first: expectation{"agent": "n1=excluded n2=running"},
		steps: []step{{
			name: "six times",
			do: func(w *world) {
				for i := range 6 {
					w.changeNodeAs("kubectl-label", "n1", func(n *v1.Node) { n.Labels["tier"], n.Labels["rack"] = "edge", "7" })
					w.eventually("the pod is bound", func() bool { return len(w.podsOn("agent", "n1")) == 1 })
					if i < 5 {
						w.changeNodeAs("kubectl-label", "n1", func(n *v1.Node) { delete(n.Labels, "tier") })
						w.eventually("the pod is gone", func() bool { return len(w.podsOn("agent", "n1")) == 0 })
					}
				}
				w.prints(text{says: []string{"6 pods on " + w.full("n1") + " within 10m"}}, "explain", "agent", "--timeline")
			},
		}},
	},
	{
		name:  "restarted-in-a-loop",
		story: "something restarts the DaemonSet every four seconds",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:2"},
		steps: []step{{
			name: "four restarts",
			do: func(w *world) {
				for i := range 4 {
					w.changeDaemonSet("agent", restarted(fmt.Sprint(i)))
					time.Sleep(4 * time.Second)
				}
				w.prints(text{exitCode: 1, first: []string{"critical", "changes of the template"}, says: []string{"each only a restart"}}, "check")
				w.prints(text{says: []string{"no pod gets old"}}, "explain", "agent")
			},
		}},
	},
	{
		name:  "two-writers",
		story: "two clients write the template in turn",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:2"},
		steps: []step{{
			name: "each with another toleration",
			do: func(w *world) {
				for i := range 4 {
					manager := []string{"argocd-controller", "tuner"}[i%2]
					toleration := v1.Toleration{Key: "step", Value: fmt.Sprint(i), Effect: v1.TaintEffectNoSchedule}
					w.changeDaemonSetAs(manager, "agent", spec(func(s *v1.PodSpec) { s.Tolerations = []v1.Toleration{toleration} }))
					time.Sleep(3 * time.Second)
				}
				w.prints(text{exitCode: 1, first: []string{"critical", "changes of the template"}, says: []string{
					// The list of tolerations is one field, and its last writer owns it.
					"step=2:NoSchedule → step=3:NoSchedule", "tuner",
				}}, "check")
			},
		}},
	},
	{
		name:  "one-rollout",
		story: "a single rolling update, and a drain, are no loop",
		nodes: three(),
		sets:  sets(daemonSet("agent")),
		first: expectation{"agent": "running:3"},
		steps: []step{{
			name: "a rolling update",
			do:   func(w *world) { w.changeDaemonSet("agent", image("example.com/agent:2")) },
			want: expectation{"agent": "running:3/- -daemonset-loop quiet"},
		}},
	},
	{
		name:  "absent-driver",
		story: "a pod has a volume of a CSI driver whose DaemonSet does not tolerate the taint of its node",
		nodes: []*v1.Node{node("n1"), node("n2", tainted("dedicated", "db", v1.TaintEffectNoSchedule))},
		sets:  sets(daemonSet("blob-node", driver("blob.csi.example.com"))),
		first: expectation{"blob-node": "n1=running n2=excluded"},
		steps: []step{{
			name: "the DaemonSet is as it should be, and a pod needs it",
			do: func(w *world) {
				pod := barePod("db-0", "db", w.full("n2"))
				pod.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
				pod.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{CSI: &v1.CSIVolumeSource{Driver: "blob.csi.example.com"}}}}
				w.must(create(client.CoreV1().Pods(w.namespace), w.ctx, pod))
				w.printsLater(text{exitCode: 1, says: []string{
					"driver blob.csi.example.com", "needed by pod " + w.namespace + "/db-0",
					"DaemonSet " + w.namespace + "/blob-node is not eligible there: taint dedicated=db:NoSchedule",
				}}, "check", "-A")
				w.prints(text{says: []string{"blob-node", "dedicated=db:NoSchedule"}}, "explain", "pod/db-0")
			},
		}},
	},
}

func restarted(at string) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) {
		if ds.Spec.Template.Annotations == nil {
			ds.Spec.Template.Annotations = map[string]string{}
		}
		ds.Spec.Template.Annotations["kubectl.kubernetes.io/restartedAt"] = at
	}
}

// driver makes the DaemonSet one that registers a CSI driver.
func driver(name string) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) {
		s.Containers[0].Args = []string{"--kubelet-registration-path=/var/lib/kubelet/plugins/" + name + "/csi.sock"}
	})
}

// changeDaemonSetAs records manager in the managed fields of the DaemonSet.
func (w *world) changeDaemonSetAs(manager, name string, change func(*appsv1.DaemonSet)) {
	w.Helper()
	w.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		ds := w.getDaemonSet(name)
		change(ds)
		_, err := client.AppsV1().DaemonSets(w.namespace).Update(w.ctx, ds, metav1.UpdateOptions{FieldManager: manager})
		return err
	}))
}
