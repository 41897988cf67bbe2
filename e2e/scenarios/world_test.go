// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"context"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

// world is one scenario's part of the cluster: its own namespace, and nodes that no other scenario
// uses. Its methods fail the test if the API rejects a request.
type world struct {
	*testing.T
	ctx       context.Context
	namespace string
}

func newWorld(t *testing.T, name string) *world {
	w := &world{T: t, ctx: context.Background(), namespace: name}
	w.addNamespace()
	t.Cleanup(w.clear)
	return w
}

func (w *world) addNamespace() {
	w.Helper()
	w.must(create(client.CoreV1().Namespaces(), w.ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}))
	w.eventually("the namespace has its service account", func() bool {
		_, err := client.CoreV1().ServiceAccounts(w.namespace).Get(w.ctx, "default", metav1.GetOptions{})
		return err == nil
	})
}

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

const patience = 30 * time.Second

func (w *world) eventually(what string, done func() bool) {
	w.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// full is a node's name in the cluster, short its name in the scenario.
func (w *world) full(short string) string { return w.namespace + "-" + short }
func (w *world) short(full string) string { return strings.TrimPrefix(full, w.namespace+"-") }

func (w *world) addNodes(nodes ...*v1.Node) {
	w.Helper()
	for _, n := range nodes {
		n = n.DeepCopy()
		n.Name = w.full(n.Name)
		n.Labels[v1.LabelHostname] = n.Name
		w.must(create(client.CoreV1().Nodes(), w.ctx, n))
	}
	w.eventually("new nodes are ready and have lost their not-ready taint", func() bool {
		for _, n := range nodes {
			if hasTaint(w.getNode(n.Name), v1.TaintNodeNotReady) {
				return false
			}
		}
		return true
	})
}

func hasTaint(n *v1.Node, key string) bool {
	for _, taint := range n.Spec.Taints {
		if taint.Key == key {
			return true
		}
	}
	return false
}

func (w *world) getNode(short string) *v1.Node {
	w.Helper()
	n, err := client.CoreV1().Nodes().Get(w.ctx, w.full(short), metav1.GetOptions{})
	w.must(err)
	return n
}

func (w *world) changeNode(short string, change func(*v1.Node)) {
	w.Helper()
	w.changeNodeAs("", short, change)
}

// changeNodeAs records manager in the managed fields of the node.
func (w *world) changeNodeAs(manager, short string, change func(*v1.Node)) {
	w.Helper()
	w.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		n := w.getNode(short)
		change(n)
		_, err := client.CoreV1().Nodes().Update(w.ctx, n, metav1.UpdateOptions{FieldManager: manager})
		return err
	}))
}

func (w *world) addDaemonSets(sets ...*appsv1.DaemonSet) {
	w.Helper()
	for _, ds := range sets {
		w.must(create(client.AppsV1().DaemonSets(w.namespace), w.ctx, ds))
	}
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
		if ds.Spec.Template.Annotations == nil {
			ds.Spec.Template.Annotations = map[string]string{}
		}
		for _, change := range changes {
			change(ds)
		}
		_, err := client.AppsV1().DaemonSets(w.namespace).Update(w.ctx, ds, metav1.UpdateOptions{})
		return err
	}))
}

// touch changes an annotation without a meaning, so that the controller updates its counts.
func (w *world) touch(name string) {
	w.Helper()
	patch := []byte(`{"metadata":{"annotations":{"touched":"` + time.Now().Format(time.RFC3339Nano) + `"}}}`)
	_, err := client.AppsV1().DaemonSets(w.namespace).Patch(w.ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	w.must(err)
}

// recount touches the DaemonSet until done accepts its status. One touch after a change of a node is
// not enough: the controller may see it before the node, and a taint without an effect on a pod that
// is there starts no sync of its own.
func (w *world) recount(name, what string, done func(appsv1.DaemonSetStatus) bool) {
	w.Helper()
	w.eventually(what, func() bool {
		w.touch(name)
		return done(w.getDaemonSet(name).Status)
	})
}

// podsOn lists the DaemonSet's pods that are bound to the node.
func (w *world) podsOn(ds, short string) []v1.Pod {
	w.Helper()
	pods, err := client.CoreV1().Pods(w.namespace).List(w.ctx, metav1.ListOptions{
		LabelSelector: "app=" + ds, FieldSelector: "spec.nodeName=" + w.full(short),
	})
	w.must(err)
	return pods.Items
}

// clear deletes all DaemonSets, pods and nodes, so that the next scenario starts empty.
func (w *world) clear() {
	now := int64(0)
	force := metav1.DeleteOptions{GracePeriodSeconds: &now}
	everything := metav1.ListOptions{}
	sets := client.AppsV1().DaemonSets(w.namespace)
	pods := client.CoreV1().Pods(w.namespace)
	w.ignoreGone(sets.DeleteCollection(w.ctx, force, everything))
	w.eventually("everything of the scenario is gone", func() bool {
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
