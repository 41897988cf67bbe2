// SPDX-License-Identifier: Apache-2.0

// Command list reads lists as a client-go program does, each in one response, in parallel, into
// objects that it keeps until it ends: the cost for users who write their own check.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	protobuf := flag.Bool("protobuf", false, "ask for protobuf instead of JSON")
	flag.Parse()
	if err := list(context.Background(), flag.Arg(0), *protobuf); err != nil {
		fmt.Fprintln(os.Stderr, "list:", err)
		os.Exit(1)
	}
}

// list reads the comma-separated kinds (nodes, pods) and prints the number of objects of each.
func list(ctx context.Context, kinds string, protobuf bool) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.ContentType = runtime.ContentTypeJSON
	if protobuf {
		config.ContentType = runtime.ContentTypeProtobuf
	}
	names := strings.Split(kinds, ",")
	lists := make([]runtime.Object, len(names))
	failures := make([]error, len(names))
	var all sync.WaitGroup
	for i, kind := range names {
		all.Go(func() { lists[i], failures[i] = read(ctx, config, kind) })
	}
	all.Wait()
	for i, kind := range names {
		if failures[i] != nil {
			return fmt.Errorf("%s: %w", kind, failures[i])
		}
		fmt.Println(kind, meta.LenList(lists[i]))
	}
	return nil
}

func read(ctx context.Context, config *rest.Config, kind string) (runtime.Object, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "nodes":
		return client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	case "pods":
		return client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	default:
		return nil, fmt.Errorf("it is nodes or pods, not %q", kind)
	}
}
