package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"dsdoctor.dev/e2e/controlplane"
	"dsdoctor.dev/oracle/release"
)

// up runs a cluster until SIGINT or SIGTERM.
func up(dir string, nodes int, o controlplane.Options) error {
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	begin := time.Now()
	removed, err := controlplane.RemoveLeftovers()
	for _, home := range removed {
		fmt.Fprintln(os.Stderr, "cluster: removed what a killed run left in", home)
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	mine, err := claim(dir)
	if err != nil {
		return err
	}
	defer mine.release()

	cluster, err := controlplane.Start(o)
	if err != nil {
		return err
	}
	defer cluster.Stop()
	if err := makeNodes(interrupted, cluster, nodes); err != nil {
		return err
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	content, err := os.ReadFile(cluster.Kubeconfig)
	if err != nil {
		return err
	}
	// The kubeconfig is the sign of readiness that a detaching parent waits for: written last.
	if err := os.WriteFile(kubeconfig, content, 0o600); err != nil {
		return err
	}
	defer os.Remove(kubeconfig)
	fmt.Printf("ready in %.1f s: Kubernetes %s, %d nodes, KUBECONFIG=%s\n",
		time.Since(begin).Seconds(), release.Version(), nodes, kubeconfig)
	<-interrupted.Done()
	return nil
}

func makeNodes(ctx context.Context, cluster *controlplane.Cluster, count int) error {
	client, err := kubernetes.NewForConfig(cluster.Config)
	if err != nil {
		return err
	}
	for i := range count {
		name := fmt.Sprintf("node-%03d", i)
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			v1.LabelHostname: name, v1.LabelOSStable: "linux", v1.LabelArchStable: "amd64",
		}}}
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		}
	}
	return nil
}
