// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/retry"

	"dsdoctor.dev/e2e/kubelet"
)

// patience is for everything that happens sooner or later.
const patience = 30 * time.Second

// world is one test's part of the cluster: its own namespace, and nodes that the next test does not
// see. Its methods fail the test if the API rejects a request.
type world struct {
	*testing.T
	ctx       context.Context
	namespace string
}

// newWorld makes a namespace, and ready nodes with these names.
func newWorld(t *testing.T, namespace string, nodes ...string) *world {
	w := &world{T: t, ctx: context.Background(), namespace: namespace}
	w.must(create(client.CoreV1().Namespaces(), w.ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	t.Cleanup(w.clear)
	w.eventually("the namespace has its service account", func() bool {
		_, err := client.CoreV1().ServiceAccounts(namespace).Get(w.ctx, "default", metav1.GetOptions{})
		return err == nil
	})
	w.addNodes(nodes...)
	return w
}

// addNodes returns when the nodes are ready.
func (w *world) addNodes(nodes ...string) {
	w.Helper()
	for _, name := range nodes {
		labels := map[string]string{v1.LabelOSStable: "linux", v1.LabelHostname: w.full(name)}
		w.must(create(client.CoreV1().Nodes(), w.ctx, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: w.full(name), Labels: labels}}))
	}
	w.eventually("new nodes are ready and have no taint", func() bool {
		return !slices.ContainsFunc(nodes, func(name string) bool {
			node := w.getNode(name)
			return len(node.Spec.Taints) > 0 || len(node.Status.Allocatable) == 0
		})
	})
}

// in is the world of a subtest.
func (w *world) in(t *testing.T) *world { return &world{T: t, ctx: w.ctx, namespace: w.namespace} }

type creator[T any] interface {
	Create(ctx context.Context, object T, options metav1.CreateOptions) (T, error)
}

func create[T any](c creator[T], ctx context.Context, object T) error {
	_, err := c.Create(ctx, object, metav1.CreateOptions{})
	return err
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) eventually(what string, done func() bool) {
	w.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// full is a node's name in the cluster.
func (w *world) full(short string) string { return w.namespace + "-" + short }

func (w *world) getNode(short string) *v1.Node {
	w.Helper()
	n, err := client.CoreV1().Nodes().Get(w.ctx, w.full(short), metav1.GetOptions{})
	w.must(err)
	return n
}

// changeNode returns when the API server has the change.
func (w *world) changeNode(short string, change func(*v1.Node)) time.Time {
	w.Helper()
	w.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		n := w.getNode(short)
		change(n)
		_, err := client.CoreV1().Nodes().Update(w.ctx, n, metav1.UpdateOptions{})
		return err
	}))
	return time.Now()
}

// taint sets a taint that has no effect on pods that run.
func (w *world) taint(short, key string) time.Time {
	w.Helper()
	return w.changeNode(short, func(n *v1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: key, Value: "gpu", Effect: v1.TaintEffectNoSchedule})
	})
}

func (w *world) untaint(short, key string) time.Time {
	w.Helper()
	return w.changeNode(short, func(n *v1.Node) {
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t v1.Taint) bool { return t.Key == key })
	})
}

// misscheduled is the id of the problem that a taint makes.
func misscheduled(key string) string { return "pod-misscheduled=" + key + ":NoSchedule" }

// setKubelet steers the simulated kubelet of a node.
func (w *world) setKubelet(short, state string) {
	w.Helper()
	w.changeNode(short, func(n *v1.Node) {
		if n.Annotations == nil {
			n.Annotations = map[string]string{}
		}
		n.Annotations[kubelet.ReadyAnnotation] = state
	})
}

func daemonSet(name string, options ...func(*appsv1.DaemonSet)) *appsv1.DaemonSet {
	labels := map[string]string{"app": name}
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	ds.Spec.Template.Labels = labels
	ds.Spec.Template.Annotations = map[string]string{}
	ds.Spec.Template.Spec.Containers = []v1.Container{{Name: "agent", Image: "example.com/agent:1"}}
	ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
		Type:          appsv1.RollingUpdateDaemonSetStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: new(intstr.FromInt32(1))},
	}
	for _, option := range options {
		option(ds)
	}
	return ds
}

func onDelete(ds *appsv1.DaemonSet) {
	ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
}

func image(name string) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.Containers[0].Image = name }
}

func behaving(behaviour string) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) {
		if ds.Spec.Template.Annotations == nil {
			ds.Spec.Template.Annotations = map[string]string{}
		}
		if behaviour == "" {
			delete(ds.Spec.Template.Annotations, kubelet.BehaviourAnnotation)
			return
		}
		ds.Spec.Template.Annotations[kubelet.BehaviourAnnotation] = behaviour
	}
}

// addDaemonSet returns when all of its pods are ready and counted.
func (w *world) addDaemonSet(ds *appsv1.DaemonSet) {
	w.Helper()
	w.must(create(client.AppsV1().DaemonSets(w.namespace), w.ctx, ds))
	w.completes(ds.Name)
}

func (w *world) getDaemonSet(name string) *appsv1.DaemonSet {
	w.Helper()
	ds, err := client.AppsV1().DaemonSets(w.namespace).Get(w.ctx, name, metav1.GetOptions{})
	w.must(err)
	return ds
}

func (w *world) changeDaemonSet(name string, changes ...func(*appsv1.DaemonSet)) {
	w.Helper()
	w.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		ds := w.getDaemonSet(name)
		for _, change := range changes {
			change(ds)
		}
		_, err := client.AppsV1().DaemonSets(w.namespace).Update(w.ctx, ds, metav1.UpdateOptions{})
		return err
	}))
}

// touch changes an annotation without a meaning, so that the controller tries again immediately.
func (w *world) touch(name string) {
	w.Helper()
	patch := []byte(`{"metadata":{"annotations":{"touched":"` + time.Now().Format(time.RFC3339Nano) + `"}}}`)
	_, err := client.AppsV1().DaemonSets(w.namespace).Patch(w.ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	w.must(err)
}

// completes waits until the controller counts a ready pod of the current template on every node.
func (w *world) completes(name string) {
	w.Helper()
	w.eventually(name+" is complete", func() bool { return isComplete(w.getDaemonSet(name)) })
}

func isComplete(ds *appsv1.DaemonSet) bool {
	s := ds.Status
	return s.ObservedGeneration == ds.Generation && s.DesiredNumberScheduled > 0 &&
		s.UpdatedNumberScheduled == s.DesiredNumberScheduled && s.NumberAvailable == s.DesiredNumberScheduled
}

// isStuck reports whether the controller has begun a rollout and does not proceed.
func isStuck(ds *appsv1.DaemonSet) bool {
	s := ds.Status
	return s.ObservedGeneration == ds.Generation && s.UpdatedNumberScheduled < s.DesiredNumberScheduled && s.NumberUnavailable > 0
}

// podOn is the DaemonSet's only pod on the node.
func (w *world) podOn(ds, short string) *v1.Pod {
	w.Helper()
	pods, err := client.CoreV1().Pods(w.namespace).List(w.ctx, metav1.ListOptions{
		LabelSelector: "app=" + ds, FieldSelector: "spec.nodeName=" + w.full(short),
	})
	w.must(err)
	if len(pods.Items) != 1 {
		w.Fatalf("%d pods of %s are on %s", len(pods.Items), ds, short)
	}
	return &pods.Items[0]
}

// readyNode is the first of the nodes whose pod is ready.
func (w *world) readyNode(ds string, nodes ...string) string {
	w.Helper()
	i := slices.IndexFunc(nodes, func(node string) bool { return isReady(w.podOn(ds, node)) })
	if i < 0 {
		w.Fatalf("no pod of %s is ready on %v", ds, nodes)
	}
	return nodes[i]
}

type source interface {
	Watch(ctx context.Context, options metav1.ListOptions) (apiwatch.Interface, error)
}

// notice watches from now on. The returned function waits for the first object that matches, and
// returns it, and when the API server sent it.
func notice[T runtime.Object](w *world, from source, what string, matches func(T) bool) func() (T, time.Time) {
	w.Helper()
	stream, err := from.Watch(w.ctx, metav1.ListOptions{})
	w.must(err)
	w.Cleanup(stream.Stop)
	type sight struct {
		object T
		at     time.Time
	}
	seen := make(chan sight, 1)
	go func() {
		for event := range stream.ResultChan() {
			object, ok := event.Object.(T)
			if ok && event.Type != apiwatch.Deleted && matches(object) {
				seen <- sight{object, time.Now()}
				return
			}
		}
	}()
	return func() (T, time.Time) {
		w.Helper()
		select {
		case s := <-seen:
			return s.object, s.at
		case <-time.After(patience):
			w.Fatalf("not within %s: %s", patience, what)
			panic("unreachable")
		}
	}
}

func isReady(pod *v1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodReady && c.Status == v1.ConditionTrue
	})
}

// clear deletes all DaemonSets, pods and nodes, so that the next test starts empty.
func (w *world) clear() {
	force := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}
	everything := metav1.ListOptions{}
	sets := client.AppsV1().DaemonSets(w.namespace)
	pods := client.CoreV1().Pods(w.namespace)
	w.ignoreGone(sets.DeleteCollection(w.ctx, force, everything))
	w.eventually("everything of the test is gone", func() bool {
		left, err := sets.List(w.ctx, everything)
		w.ignoreGone(err)
		w.ignoreGone(pods.DeleteCollection(w.ctx, force, everything))
		remaining, err := pods.List(w.ctx, everything)
		w.ignoreGone(err)
		return len(left.Items)+len(remaining.Items) == 0
	})
	w.ignoreGone(client.CoreV1().Nodes().DeleteCollection(w.ctx, force, everything))
}

// ignoreGone fails the test on any error but that the object does not exist.
func (w *world) ignoreGone(err error) {
	w.Helper()
	if err != nil && !apierrors.IsNotFound(err) {
		w.Error(err)
	}
}
