// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var rolloutScenarios = []scenario{
	{
		name:  "rollout-unavailable",
		story: "a rollout with maxUnavailable stops at the first pod that does not become ready",
		nodes: three(),
		sets:  sets(daemonSet("agent", strategy(rolling(1, 0)))),
		first: expectation{"agent": "running:3"},
		steps: []step{
			{
				name: "the new template crashes",
				do:   func(w *world) { w.changeDaemonSet("agent", image("example.com/agent:2"), behaving("crash")) },
				want: expectation{"agent": "not-ready:1/container-crash running:2/- +rollout-new-broken=error -rollout-stuck"},
			},
			{
				name: "only pods of the new template fail: that is said at once, with the way back",
				do: func(w *world) {
					w.prints(text{exitCode: 1, first: []string{"agent"}, says: []string{"rollout undo"}}, "check")
					w.prints(text{first: []string{"newest revision", "rollout undo"}}, "explain", "agent")
					w.prints(text{says: []string{"rollout undo"}, never: nothingToDo}, "suggest", "agent")
				},
				later: expectation{"agent": "not-ready:1/container-crash running:2/- " +
					"+rollout-stuck +rollout-new-broken +rollout-budget -rollout-paced"},
			},
			{
				name: "the alert about it",
				do: func(w *world) {
					w.alert("KubeDaemonSetRolloutStuck", "agent", false) // a pod was created a moment ago
					w.alertLater("KubeDaemonSetRolloutStuck", "agent", "rollout-stuck", "container-crash")
				},
			},
			{
				name: "the pods of the old template are flagged",
				do:   func(w *world) { w.expectOutdated("agent", 2) },
			},
			{
				name: "the template is repaired",
				do:   func(w *world) { w.changeDaemonSet("agent", image("example.com/agent:3"), behaving("")) },
				want: expectation{"agent": "running:3/- quiet"},
			},
		},
	},
	{
		name:  "rollout-surge",
		story: "a rollout with maxSurge puts a new pod beside the old one; two are not a duplicate",
		nodes: three(),
		sets:  sets(daemonSet("agent", strategy(rolling(0, 1))), daemonSet("crashing", strategy(rolling(0, 1)))),
		first: expectation{"agent": "running:3", "crashing": "running:3"},
		steps: []step{
			{
				name: "one new template cannot be pulled, the other crashes",
				do: func(w *world) {
					// The older of two pods counts, and ages have a resolution of a second.
					time.Sleep(time.Second)
					w.changeDaemonSet("agent", image("example.com/agent:2"), behaving("pull"))
					w.changeDaemonSet("crashing", image("example.com/agent:2"), behaving("crash"))
					w.eventually("new pods stand beside old ones", func() bool {
						pods, err := client.CoreV1().Pods(w.namespace).List(w.ctx, metav1.ListOptions{})
						return err == nil && len(pods.Items) == 8
					})
				},
				want: expectation{
					"agent": "running:3 +rollout-new-broken=error", "crashing": "running:3 +rollout-new-broken=error",
				},
			},
			{
				name: "every node has a ready pod, and the rollout goes wrong all the same",
				do: func(w *world) {
					for _, name := range []string{"agent", "crashing"} {
						w.prints(text{exitCode: 1, first: []string{name}, says: []string{"rollout undo"}}, "check", name)
						w.prints(text{says: []string{"rollout undo"}, never: nothingToDo}, "suggest", name)
					}
				},
				later: expectation{
					"agent":    "running:3 +rollout-stuck +rollout-new-broken +rollout-surge",
					"crashing": "running:3 +rollout-stuck +rollout-new-broken +rollout-surge",
				},
			},
		},
	},
	{
		name:  "rollout-dead-node",
		story: "a node that does not answer uses up maxUnavailable, and every other node waits for it",
		nodes: three(),
		sets:  sets(daemonSet("agent", strategy(rolling(1, 0)), tolerating("", "Exists", ""))),
		first: expectation{"agent": "running:3"},
		steps: []step{
			{
				name: "a kubelet falls silent",
				do:   func(w *world) { w.kubelet("n1", "stop") },
				want: expectation{"agent": "n1=not-ready/node-unreachable running:2/-"},
			},
			{
				name: "the template changes",
				do:   func(w *world) { w.changeDaemonSet("agent", image("example.com/agent:2")) },
				want: expectation{"agent": "n1=terminating running:2/-"},
			},
			{
				name: "the node is named at the top",
				do: func(w *world) {
					w.prints(text{exitCode: 1, first: []string{w.full("n1")}}, "check", "agent")
					w.prints(text{first: []string{w.full("n1")}, never: []string{"rollout undo"}}, "explain", "agent")
					w.printsLater(text{first: []string{w.full("n1")}}, "explain", "agent")
				},
				later: expectation{"agent": "n1=terminating/node-unreachable,pod-terminating-stuck running:2/- +rollout-stuck +rollout-budget -rollout-new-broken"},
			},
			{
				name: "the node comes back",
				do:   func(w *world) { w.kubelet("n1", "") },
				want: expectation{"agent": "running:3/- quiet"},
			},
		},
	},
	{
		name:  "rollout-surge-obstacles",
		story: "with maxSurge the new pod has to stand beside the old one, which holds its host port or its room",
		nodes: []*v1.Node{node("n1", sized("1", "110")), node("n2", sized("1", "110"))},
		sets: sets(
			daemonSet("port", strategy(rolling(0, 1)), spec(onHostPort)),
			daemonSet("room", strategy(rolling(0, 1)), requesting("600m")),
		),
		first: expectation{"port": "running:2/- quiet", "room": "running:2/- quiet"},
		steps: []step{{
			name: "the templates change",
			do: func(w *world) {
				time.Sleep(time.Second) // the older of two pods counts, and ages have a resolution of a second
				w.changeDaemonSet("port", image("example.com/agent:2"))
				w.changeDaemonSet("room", image("example.com/agent:2"))
				w.eventually("new pods stand beside old ones", func() bool {
					pods, err := client.CoreV1().Pods(w.namespace).List(w.ctx, metav1.ListOptions{})
					return err == nil && len(pods.Items) == 6
				})
			},
			want:  expectation{"port": "running:2", "room": "running:2"},
			later: expectation{"port": "+rollout-stuck +rollout-surge-port", "room": "+rollout-stuck +rollout-surge-room"},
		}},
	},
	{
		name:  "on-delete",
		story: "with OnDelete a new template reaches a node only when its pod is deleted by hand",
		nodes: three(),
		sets:  sets(daemonSet("agent", strategy(appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}))),
		first: expectation{"agent": "running:3"},
		steps: []step{
			{
				name: "the template changes: nothing happens",
				do:   func(w *world) { w.changeDaemonSet("agent", image("example.com/agent:2")) },
				want: expectation{"agent": "running:3/- +daemonset-ondelete-outdated=warning -rollout-paced -rollout-stuck"},
			},
			{
				name: "that is to be done by hand, and is said so",
				do: func(w *world) {
					w.prints(text{exitCode: 1, first: []string{"agent"}, says: []string{"OnDelete", "delete pod"}}, "check")
					w.prints(text{says: []string{"OnDelete"}, never: nothingToDo}, "suggest", "agent")
				},
			},
			{
				name: "the alert about it wants the count of updated pods to rest for five minutes",
				do: func(w *world) {
					w.alert("KubeDaemonSetRolloutStuck", "agent", false)
					w.alertLater("KubeDaemonSetRolloutStuck", "agent", "daemonset-ondelete-outdated")
				},
			},
			{
				name: "one pod is deleted",
				do: func(w *world) {
					old := w.podsOn("agent", "n1")[0]
					w.must(client.CoreV1().Pods(w.namespace).Delete(w.ctx, old.Name, metav1.DeleteOptions{}))
				},
				want: expectation{"agent": "running:3"},
			},
			{
				name: "two are outdated",
				do: func(w *world) {
					w.expectOutdated("agent", 2)
					w.alertLater("KubeDaemonSetRolloutStuck", "agent", "daemonset-ondelete-outdated")
				},
			},
		},
	},
}

func rolling(maxUnavailable, maxSurge int32) appsv1.DaemonSetUpdateStrategy {
	unavailable, surge := intstr.FromInt32(maxUnavailable), intstr.FromInt32(maxSurge)
	return appsv1.DaemonSetUpdateStrategy{
		Type:          appsv1.RollingUpdateDaemonSetStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &unavailable, MaxSurge: &surge},
	}
}

func (w *world) expectOutdated(name string, want int) {
	w.Helper()
	w.eventually(fmt.Sprintf("%d pods are flagged as outdated", want), func() bool {
		answer, err := explain(cluster.Kubeconfig)
		w.must(err)
		outdated := 0
		for _, n := range answer.daemonSet(w.namespace, name).Nodes {
			for _, pod := range n.Pods {
				if pod.Outdated {
					outdated++
				}
			}
		}
		return outdated == want
	})
}
