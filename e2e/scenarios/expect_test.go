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

// expectation is, for each DaemonSet, what becomes of it: "n1=running n2=excluded" names
// nodes ("n1=*" leaves the verdict open), "missing:2 running:1" counts verdicts where
// Kubernetes itself chooses the nodes at random. What findings have to say of such nodes, all of
// them, follows a slash: "n1=pending/sched-taint,drift-x" wants the first as the primary one
// and the others in any standing; "running:2/-" wants no finding, "n1=terminating/-,pod-disrupted" no
// primary one. Of the DaemonSet itself "+rollout-stuck"
// has to be found, "-rollout-stuck" must not, and with "quiet" nothing but what informs.
type expectation map[string]string

// settle waits until the binary, the controller and the expectation agree on everything.
func (w *world) settle(want expectation) {
	w.Helper()
	w.agree(want, true)
}

// agree is settle, with the comparison of the controller's own status left out on demand.
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

// compareNodes holds the answer against Kubernetes' own code and the pods there really are.
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

// podsFor are the pods the controller reckons with on a node, by name: its own that still match the
// selector, and those of nobody that it adopts.
func podsFor(ds *appsv1.DaemonSet, node string, pods []v1.Pod) (names []string) {
	selector, err := metav1.LabelSelectorAsSelector(ds.Spec.Selector)
	if err != nil {
		return nil // the API server takes no such selector
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

// lags shows that the controller's status stays behind the truth, which the binary knows, and
// that both agree once something makes the controller count.
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

// lagsUntilTouched adds the way out of the lag.
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

// comesToRest waits until rollouts, evictions and deletions are done and the controller counts what there is.
func (w *world) comesToRest(names ...string) {
	w.Helper()
	for _, name := range names {
		var touched time.Time
		w.eventually(name+" comes to rest", func() bool {
			if w.moves(name) {
				return false
			}
			if time.Since(touched) > time.Second { // the controller does not count again for every change of a node
				w.touch(name)
				touched = time.Now()
			}
			return w.countsRight(name)
		})
	}
}

// moves tells whether pods are still to be replaced, deleted or started.
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

// countsRight holds the controller's status against Kubernetes' own verdicts.
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
