// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

const (
	nodesPerRound      = 14
	daemonSetsPerRound = 24
	workers            = 6
)

// round is a set of nodes with DaemonSets; each round has new ones.
type round struct {
	*testing.T
	source  source
	number  int
	figures *figures
	nodes   []v1.Node
	sets    []*appsv1.DaemonSet
	took    []time.Duration
}

func (r *round) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// build creates nodes, DaemonSets with their pods, and then taints that are added after the pods.
func (r *round) build() {
	r.makeNodes()
	for i := range daemonSetsPerRound {
		r.sets = append(r.sets, r.makeDaemonSet(i))
	}
	r.settleAll()
	for i := range r.nodes {
		r.changeNode(r.nodes[i].Name, func(node *v1.Node) { r.source.addTaints(node, r.source.IntN(3)) })
	}
	r.readNodes()
	for _, ds := range r.sets {
		r.must(touch(ds))
	}
	r.settleAll()
}

func (r *round) makeNodes() {
	for i := range nodesPerRound {
		name := pick(r.source, []string{"ip-10-0-%d-%d.internal", "%d.%d", "gpu-%d-%d"})
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf(name, r.number, i)}}
		node.Labels = r.source.labels(node.Name)
		r.source.addTaints(node, r.source.IntN(3))
		_, err := client.CoreV1().Nodes().Create(context.Background(), node, metav1.CreateOptions{})
		r.must(err)
	}
	r.eventually("the nodes are ready", func() bool {
		r.readNodes()
		for _, node := range r.nodes {
			for _, taint := range node.Spec.Taints {
				if taint.Key == v1.TaintNodeNotReady {
					return false
				}
			}
		}
		return len(r.nodes) == nodesPerRound
	})
}

func (r *round) makeDaemonSet(index int) *appsv1.DaemonSet {
	namespace := fmt.Sprintf("%de%d", r.number+1, index) // a number to a careless YAML parser
	_, err := client.CoreV1().Namespaces().Create(context.Background(),
		&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	r.must(err)
	ds, err := client.AppsV1().DaemonSets(namespace).Create(context.Background(), r.source.daemonSet(namespace), metav1.CreateOptions{})
	r.must(err)
	return ds
}

func (r *round) eventually(what string, done func() bool) {
	r.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func (r *round) readNodes() {
	nodes, err := client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{})
	r.must(err)
	r.nodes = nodes.Items
}

func (r *round) changeNode(name string, change func(*v1.Node)) {
	r.Helper()
	r.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := client.CoreV1().Nodes().Get(context.Background(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(node)
		_, err = client.CoreV1().Nodes().Update(context.Background(), node, metav1.UpdateOptions{})
		return err
	}))
}

func (r *round) settleAll() {
	r.inParallel(func(i int) error {
		settled, err := settle(r.sets[i], r.nodes)
		if err == nil {
			r.sets[i] = settled.ds
		}
		return err
	})
}

// inParallel calls do for every DaemonSet.
func (r *round) inParallel(do func(i int) error) {
	r.Helper()
	next := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					r.Error(err)
				}
			}
		})
	}
	for i := range r.sets {
		next <- i
	}
	close(next)
	all.Wait()
	if r.Failed() {
		r.FailNow()
	}
}

// clear deletes everything, so that the next round starts empty.
func (r *round) clear() {
	now := int64(0)
	force := metav1.DeleteOptions{GracePeriodSeconds: &now}
	for _, ds := range r.sets {
		r.must(client.AppsV1().DaemonSets(ds.Namespace).Delete(context.Background(), ds.Name, force))
		r.must(client.CoreV1().Pods(ds.Namespace).DeleteCollection(context.Background(), force, metav1.ListOptions{}))
	}
	r.eventually("the pods are gone", func() bool {
		pods, err := client.CoreV1().Pods("").List(context.Background(), metav1.ListOptions{})
		r.must(err)
		return len(pods.Items) == 0
	})
	r.must(client.CoreV1().Nodes().DeleteCollection(context.Background(), force, metav1.ListOptions{}))
}
