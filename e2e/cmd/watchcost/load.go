// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// load makes random pods not ready, and ready again a little later.
type load struct {
	client *kubernetes.Clientset
	rate   int
	pods   []string // those that are changed at random
	marks  []string // those whose delay is measured
	next   int
	// started is when the containers were started.
	started metav1.Time
	// slowest is the least rate of a busy phase, in changes a second.
	slowest float64
}

// notReadyAtOnce is how many pods are not ready at a time.
const notReadyAtOnce = 50

func newLoad(kubeconfig string, o options) (*load, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = -1, -1
	config.UserAgent = "watchcost-load"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	l := &load{client: client, rate: o.rate, started: metav1.Now()}
	var names []string
	for _, ds := range numbered("agent-%03d", o.daemonSets) {
		for _, node := range numbered("node-%03d", o.nodes) {
			names = append(names, ds+"-"+node)
		}
	}
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	reserved := min(3*o.marks, len(names)/2)
	l.marks, l.pods = names[:reserved], names[reserved:]
	if reserved < 1 || len(l.pods) <= notReadyAtOnce {
		return nil, fmt.Errorf("%d pods are too few", len(names))
	}
	return l, nil
}

func numbered(format string, count int) (names []string) {
	for i := range count {
		names = append(names, fmt.Sprintf(format, i))
	}
	return names
}

// reserve is a pod that is not changed at random.
func (l *load) reserve() string {
	l.next++
	return l.marks[l.next%len(l.marks)]
}

// set changes the status of a pod like its kubelet.
func (l *load) set(ctx context.Context, pod string, ready bool) error {
	condition := v1.PodCondition{Status: v1.ConditionTrue, LastTransitionTime: metav1.Now()}
	if !ready {
		condition.Status, condition.Reason = v1.ConditionFalse, "ContainersNotReady"
	}
	// The list of containers is replaced as a whole; its image is not that of the template, which is of no interest.
	container := v1.ContainerStatus{Name: "agent", Image: "registry.example/agent:v1", Ready: ready, Started: new(true),
		State: v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: l.started}}}
	var conditions []v1.PodCondition
	for _, kind := range []v1.PodConditionType{v1.PodReady, v1.ContainersReady} {
		condition.Type = kind
		conditions = append(conditions, condition)
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{
		"conditions": conditions, "containerStatuses": []v1.ContainerStatus{container},
	}})
	if err != nil {
		return err
	}
	_, err = l.client.CoreV1().Pods(metav1.NamespaceDefault).Patch(ctx, pod, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

type step struct {
	pod   string
	ready bool
}

// start changes pods until the context ends; then all of them are ready again, and the channel has
// the first error.
func (l *load) start(ctx context.Context) <-chan error {
	const workers = 8
	steps := make(chan step, workers)
	begin := time.Now()
	var made atomic.Int64
	failed := make([]error, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for s := range steps {
				// A change that has begun is completed, so that the next competitor meets the same cluster.
				if err := l.set(context.WithoutCancel(ctx), s.pod, s.ready); err != nil && failed[worker] == nil {
					failed[worker] = err
				}
				made.Add(1)
			}
		})
	}
	result := make(chan error, 1)
	go func() {
		broken := l.feed(ctx, steps)
		if rate := float64(made.Load()) / time.Since(begin).Seconds(); l.slowest == 0 || rate < l.slowest {
			l.slowest = rate
		}
		for _, pod := range broken {
			steps <- step{pod, true}
		}
		close(steps)
		group.Wait()
		result <- errors.Join(failed...)
	}()
	return result
}

// feed returns the pods that are not ready in the end.
func (l *load) feed(ctx context.Context, steps chan<- step) (broken []string) {
	ticker := time.NewTicker(time.Second / time.Duration(l.rate))
	defer ticker.Stop()
	isBroken := map[string]bool{}
	for {
		select {
		case <-ctx.Done():
			return broken
		case <-ticker.C:
		}
		next := step{}
		if len(broken) >= notReadyAtOnce {
			next = step{broken[0], true}
			broken = broken[1:]
			delete(isBroken, next.pod)
		} else {
			next.pod = l.pods[rand.IntN(len(l.pods))]
			for isBroken[next.pod] {
				next.pod = l.pods[rand.IntN(len(l.pods))]
			}
			broken = append(broken, next.pod)
			isBroken[next.pod] = true
		}
		select {
		case steps <- next:
		case <-ctx.Done():
			if next.ready {
				broken = append(broken, next.pod)
			}
			return broken
		}
	}
}
