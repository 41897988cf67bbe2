// SPDX-License-Identifier: Apache-2.0

// Package kubelet simulates the kubelet of every node of a cluster: it keeps nodes Ready and makes
// bound pods run, crash or terminate, by their annotations. Nothing is executed.
package kubelet

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const (
	byNode    = "node"
	heartbeat = 2 * time.Second
	workers   = 4
)

type simulator struct {
	client kubernetes.Interface
	nodes  corelisters.NodeLister
	pods   cache.Indexer
	queue  workqueue.TypedRateLimitingInterface[item]
}

// item is an object to process.
type item struct {
	kind string // "node", "lease" or "pod"
	key  string
}

// Run simulates until ctx ends.
func Run(ctx context.Context, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	podInformer := factory.Core().V1().Pods().Informer()
	err := podInformer.AddIndexers(cache.Indexers{byNode: func(obj any) ([]string, error) {
		return []string{obj.(*v1.Pod).Spec.NodeName}, nil
	}})
	if err != nil {
		return err
	}
	s := &simulator{
		client: client,
		nodes:  factory.Core().V1().Nodes().Lister(),
		pods:   podInformer.GetIndexer(),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[item](20*time.Millisecond, time.Second)),
	}
	if _, err := podInformer.AddEventHandler(onChange(s.podChanged)); err != nil {
		return err
	}
	if _, err := factory.Core().V1().Nodes().Informer().AddEventHandler(onChange(s.nodeChanged)); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	defer factory.Shutdown()
	defer s.queue.ShutDown()

	for range workers {
		go s.work(ctx)
	}
	s.beat(ctx)
	return nil
}

func onChange(f func(obj any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    f,
		UpdateFunc: func(_, obj any) { f(obj) },
	}
}

func (s *simulator) podChanged(obj any) {
	pod := obj.(*v1.Pod)
	if pod.Spec.NodeName != "" {
		s.queue.Add(item{"pod", pod.Namespace + "/" + pod.Name})
	}
}

// nodeChanged also processes the node's pods: a kubelet that restarts continues its work.
func (s *simulator) nodeChanged(obj any) {
	node := obj.(*v1.Node)
	s.queue.Add(item{"node", node.Name})
	pods, _ := s.pods.ByIndex(byNode, node.Name)
	for _, pod := range pods {
		s.podChanged(pod)
	}
}

func (s *simulator) work(ctx context.Context) {
	for {
		next, shutdown := s.queue.Get()
		if shutdown {
			return
		}
		again, err := s.handle(ctx, next)
		switch {
		case err != nil:
			s.queue.AddRateLimited(next) // conflicts and deleted objects are solved by a retry
		case again > 0:
			s.queue.Forget(next)
			s.queue.AddAfter(next, again)
		default:
			s.queue.Forget(next)
		}
		s.queue.Done(next)
	}
}

func (s *simulator) handle(ctx context.Context, next item) (again time.Duration, err error) {
	switch next.kind {
	case "node":
		return 0, s.keepNode(ctx, next.key)
	case "lease":
		return 0, s.renewLease(ctx, next.key)
	default:
		return s.keepPod(ctx, next.key)
	}
}
