// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"dsdoctor.dev/e2e/controlplane"
)

// readNodes reads the models; without a file there is one model, a plain Linux node.
func readNodes(file string) ([]v1.Node, error) {
	if file == "" {
		return []v1.Node{{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
			v1.LabelOSStable: "linux", v1.LabelArchStable: "amd64",
		}}}}, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list v1.NodeList
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(list.Items) == 0 {
		return nil, fmt.Errorf("%s holds no nodes", file)
	}
	return list.Items, nil
}

// makeNodes creates nodes from the models, in turn, with their status.
func makeNodes(ctx context.Context, cluster *controlplane.Cluster, count int, models []v1.Node) error {
	client, err := kubernetes.NewForConfig(cluster.Config)
	if err != nil {
		return err
	}
	return inParallel(count, func(i int) error {
		return makeNode(ctx, client.CoreV1().Nodes(), i, models[i%len(models)])
	})
}

// inParallel calls work for all numbers, and stops early if a call fails.
func inParallel(count int, work func(int) error) error {
	const workers = 8
	numbers := make(chan int)
	failed := make([]error, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range numbers {
				if failed[worker] == nil {
					failed[worker] = work(i)
				}
			}
		}()
	}
	for i := range count {
		numbers <- i
	}
	close(numbers)
	group.Wait()
	for _, err := range failed {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}

func nodeName(number int) string { return fmt.Sprintf("node-%03d", number) }

func makeNode(ctx context.Context, nodes corev1.NodeInterface, number int, model v1.Node) error {
	name := nodeName(number)
	node := model.DeepCopy()
	node.ObjectMeta = metav1.ObjectMeta{Name: name, Labels: node.Labels, Annotations: node.Annotations}
	node.Labels[v1.LabelHostname] = name
	node.Spec.PodCIDR, node.Spec.PodCIDRs = "", nil // would have to be unique
	status := node.Status
	node, err := nodes.Create(ctx, node, metav1.CreateOptions{})
	if err != nil || len(status.Conditions) == 0 {
		return err
	}
	node.Status = status // Create ignores status
	_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
	return err
}
