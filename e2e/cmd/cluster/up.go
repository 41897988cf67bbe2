// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"

	"dsdoctor.dev/e2e/controlplane"
	"dsdoctor.dev/oracle/release"
)

// shape is the content of the cluster when it is ready.
type shape struct {
	nodes      int
	models     []v1.Node
	daemonSets int
}

// up runs a cluster until SIGINT or SIGTERM.
func up(dir string, of shape, o controlplane.Options) error {
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
	if err := makeNodes(interrupted, cluster, of.nodes, of.models); err != nil {
		return err
	}
	if err := makeDaemonSets(interrupted, cluster, of.daemonSets, of.nodes); err != nil {
		return err
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	content, err := os.ReadFile(cluster.Kubeconfig)
	if err != nil {
		return err
	}
	// A detaching parent waits for the kubeconfig, so it is written last.
	if err := os.WriteFile(kubeconfig, content, 0o600); err != nil {
		return err
	}
	defer os.Remove(kubeconfig)
	fmt.Printf("ready in %.1f s: Kubernetes %s, %d nodes, KUBECONFIG=%s\n",
		time.Since(begin).Seconds(), release.Version(), of.nodes, kubeconfig)
	<-interrupted.Done()
	return nil
}
