// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller/daemon"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
)

// expectation has, for each DaemonSet, its expected answer: "n1=running n2=excluded" names nodes
// ("n1=*" accepts any verdict), "missing:2 running:1" counts verdicts if Kubernetes itself chooses
// the nodes at random. After a slash follow the findings of all these nodes:
// "n1=pending/sched-taint,drift-x" expects the first as the primary finding and the others in any
// standing; "running:2/-" expects no finding, "n1=terminating/-,pod-disrupted" no primary one.
// "+rollout-stuck" expects a finding about the DaemonSet itself, "-rollout-stuck" excludes one, and
// "quiet" allows only findings of severity info.
type expectation map[string]string

// settle waits until the binary, the controller and the expectation agree on everything.
func (w *world) settle(want expectation) {
	w.Helper()
	w.agree(want, true)
}

// agree is settle, optionally without the comparison of the controller's own status.
func (w *world) agree(want expectation, status bool) {
	w.Helper()
	var wrong []string
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if wrong = w.disagreements(want, status); len(wrong) == 0 {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("no agreement within %s:\n  %s", patience, strings.Join(wrong, "\n  "))
		}
	}
}

func (w *world) disagreements(want expectation, status bool) (wrong []string) {
	answer, err := explain(cluster.Kubeconfig)
	if err != nil {
		return []string{err.Error()}
	}
	nodes, err := client.CoreV1().Nodes().List(w.ctx, metav1.ListOptions{})
	w.must(err)
	pods, err := client.CoreV1().Pods(w.namespace).List(w.ctx, metav1.ListOptions{})
	w.must(err)
	for name, verdicts := range want {
		live := w.getDaemonSet(name)
		got := answer.daemonSet(w.namespace, name)
		if got == nil {
			wrong = append(wrong, name+" is not in the answer")
			continue
		}
		say := func(format string, args ...any) {
			wrong = append(wrong, name+": "+fmt.Sprintf(format, args...))
		}
		w.compareNodes(say, live, got, nodes.Items, pods.Items)
		w.compareWords(say, got, verdicts)
		if !status {
			continue
		}
		if real := countersOf(live.Status); got.Status.Evaluated != real || !got.Status.Agrees {
			say("evaluated: %s; the controller: %s; agrees: %v", got.Status.Evaluated, real, got.Status.Agrees)
		}
		if live.Status.ObservedGeneration != live.Generation {
			say("the controller has not seen generation %d", live.Generation)
		}
	}
	return wrong
}

type sayer func(format string, args ...any)

// compareNodes compares the answer with Kubernetes' own code and the actual pods.
func (w *world) compareNodes(say sayer, ds *appsv1.DaemonSet, got *explainedDaemonSet, nodes []v1.Node, pods []v1.Pod) {
	explained := map[string]explainedNode{}
	for _, n := range got.Nodes {
		explained[n.Name] = n
	}
	if len(explained) != len(nodes) {
		say("%d nodes explained, the cluster has %d", len(explained), len(nodes))
	}
	for i := range nodes {
		n := explained[nodes[i].Name]
		run, stay := daemon.NodeShouldRunDaemonPod(logr.Discard(), &nodes[i], ds)
		if n.ShouldRun != run || n.ShouldContinueRunning != stay {
			say("%s: shouldRun %v, shouldContinueRunning %v; Kubernetes says %v, %v",
				nodes[i].Name, n.ShouldRun, n.ShouldContinueRunning, run, stay)
		}
		var named []string
		for _, pod := range n.Pods {
			named = append(named, pod.Name)
		}
		slices.Sort(named)
		if real := podsFor(ds, nodes[i].Name, pods); !slices.Equal(named, real) {
			say("%s: pods %v; really %v", nodes[i].Name, named, real)
		}
	}
}

// podsFor are the pods that the controller counts on a node, by name: its own that still match the
// selector, and those without an owner that it adopts.
func podsFor(ds *appsv1.DaemonSet, node string, pods []v1.Pod) (names []string) {
	selector, err := metav1.LabelSelectorAsSelector(ds.Spec.Selector)
	if err != nil {
		return nil // the API server accepts no such selector
	}
	for i := range pods {
		pod := &pods[i]
		over := pod.Status.Phase == v1.PodFailed || pod.Status.Phase == v1.PodSucceeded
		target, err := daemonutil.GetTargetNodeName(pod)
		adopted := metav1.GetControllerOf(pod) == nil && pod.DeletionTimestamp == nil && ds.DeletionTimestamp == nil
		claimed := (metav1.IsControlledBy(pod, ds) || adopted) && selector.Matches(labels.Set(pod.Labels))
		if claimed && err == nil && target == node && !(over && pod.DeletionTimestamp != nil) {
			names = append(names, pod.Name)
		}
	}
	slices.Sort(names)
	return names
}

// lags checks that the controller's status is stale, that the binary reports the current state, and
// that both agree after something makes the controller count.
func (w *world) lags(want expectation, reported map[string]counters) {
	w.Helper()
	w.agree(want, false)
	for quiet := time.Now().Add(2 * time.Second); time.Now().Before(quiet); time.Sleep(200 * time.Millisecond) {
		for name, stale := range reported {
			if real := countersOf(w.getDaemonSet(name).Status); real != stale {
				w.Fatalf("%s: the status was expected to lag at %s, it is %s", name, stale, real)
			}
		}
	}
	answer, err := explain(cluster.Kubeconfig)
	w.must(err)
	for name, stale := range reported {
		got := answer.daemonSet(w.namespace, name)
		if got.Status.Reported != stale || got.Status.Agrees {
			w.Fatalf("%s: reported %s, agrees %v; expected %s, and no agreement", name, got.Status.Reported, got.Status.Agrees, stale)
		}
	}
}

// lagsUntilTouched also makes the controller count.
func (w *world) lagsUntilTouched(want expectation, reported map[string]counters) {
	w.Helper()
	w.lags(want, reported)
	for name := range want {
		w.touch(name)
	}
	w.settle(want)
}

func (w *world) comparePrediction(name string, predicted map[string]int32) {
	w.Helper()
	if status := w.getDaemonSet(name).Status; !matches(status, predicted) {
		w.Errorf("%s: predicted was %v, the controller counts %s", name, predicted, countersOf(status))
	}
}

// comesToRest waits until rollouts, evictions and deletions are done and the controller's counts
// are current.
func (w *world) comesToRest(names ...string) {
	w.Helper()
	for _, name := range names {
		var touched time.Time
		w.eventually(name+" comes to rest", func() bool {
			if w.moves(name) {
				return false
			}
			if time.Since(touched) > time.Second { // the controller does not update its counts for every change of a node
				w.touch(name)
				touched = time.Now()
			}
			return w.countsRight(name)
		})
	}
}

// moves reports whether pods are still to be replaced, deleted or started.
func (w *world) moves(name string) bool {
	w.Helper()
	ds := w.getDaemonSet(name)
	if ds.Status.ObservedGeneration != ds.Generation {
		return true
	}
	newest := ""
	if ds.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		newest = w.newestRevision(name)
	}
	nodes, err := client.CoreV1().Nodes().List(w.ctx, metav1.ListOptions{})
	w.must(err)
	pods, err := client.CoreV1().Pods(w.namespace).List(w.ctx, metav1.ListOptions{LabelSelector: "app=" + name})
	w.must(err)
	on := map[string]bool{}
	for _, pod := range pods.Items {
		outdated := newest != "" && pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] != newest
		if pod.DeletionTimestamp != nil || outdated || pod.Status.Phase != v1.PodRunning {
			return true
		}
		on[pod.Spec.NodeName] = true
	}
	for i := range nodes.Items {
		run, stay := daemon.NodeShouldRunDaemonPod(logr.Discard(), &nodes.Items[i], ds)
		if has := on[nodes.Items[i].Name]; run && !has || has && !stay {
			return true
		}
	}
	return false
}

func (w *world) newestRevision(name string) (hash string) {
	w.Helper()
	revisions, err := client.AppsV1().ControllerRevisions(w.namespace).List(w.ctx, metav1.ListOptions{LabelSelector: "app=" + name})
	w.must(err)
	number := int64(-1)
	for _, revision := range revisions.Items {
		if revision.Revision > number {
			hash, number = revision.Labels[appsv1.DefaultDaemonSetUniqueLabelKey], revision.Revision
		}
	}
	return hash
}

// countsRight compares the controller's status with Kubernetes' own verdicts.
func (w *world) countsRight(name string) bool {
	w.Helper()
	ds := w.getDaemonSet(name)
	nodes, err := client.CoreV1().Nodes().List(w.ctx, metav1.ListOptions{})
	w.must(err)
	var desired, misscheduled int32
	for i := range nodes.Items {
		run, _ := daemon.NodeShouldRunDaemonPod(logr.Discard(), &nodes.Items[i], ds)
		has := len(w.podsOn(name, w.short(nodes.Items[i].Name))) > 0
		switch {
		case run:
			desired++
		case has:
			misscheduled++
		}
	}
	s := ds.Status
	return s.ObservedGeneration == ds.Generation && s.DesiredNumberScheduled == desired && s.CurrentNumberScheduled == desired &&
		s.NumberMisscheduled == misscheduled
}

func matches(status appsv1.DaemonSetStatus, predicted map[string]int32) bool {
	c := countersOf(status)
	real := map[string]int32{
		"desiredNumberScheduled": c.DesiredNumberScheduled, "currentNumberScheduled": c.CurrentNumberScheduled,
		"numberMisscheduled": c.NumberMisscheduled, "numberReady": c.NumberReady,
		"numberAvailable": c.NumberAvailable, "updatedNumberScheduled": c.UpdatedNumberScheduled,
	}
	for counter, value := range predicted {
		if real[counter] != value {
			return false
		}
	}
	return true
}
