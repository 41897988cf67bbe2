// SPDX-License-Identifier: Apache-2.0

// Package watch changes a real control plane while kubectl-dsdoctor watches it or waits for it, and
// compares the printed changes with those that were made.
package watch

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"k8s.io/client-go/kubernetes"

	"dsdoctor.dev/e2e/controlplane"
)

// Users without any permissions but those that a test grants.
const (
	watcher  = "watcher"  // the documented ones
	plain    = "plain"    // those without which the answer is incomplete, but no events
	lister   = "lister"   // may list but not watch nodes and pods
	tenant   = "tenant"   // those of one namespace
	stranger = "stranger" // none
)

// Started once by TestMain and shared by all tests of the package.
var (
	cluster *controlplane.Cluster
	client  *kubernetes.Clientset
	binary  string
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	// Fail without a binary, instead of passing without a test.
	if binary, err = exec.LookPath(os.Getenv("DSDOCTOR_BINARY")); err != nil {
		return 1, fmt.Errorf("DSDOCTOR_BINARY must be the absolute path of the kubectl-dsdoctor to test: %w", err)
	}
	removed, err := controlplane.RemoveLeftovers()
	for _, home := range removed {
		fmt.Fprintln(os.Stderr, "e2e: removed what a killed run left in", home)
	}
	if err != nil {
		return 1, err
	}
	cluster, err = controlplane.Start(controlplane.Options{
		Tokens:           []string{watcher, plain, lister, tenant, stranger},
		PatientWithNodes: true,
	})
	if err != nil {
		return 1, err
	}
	defer cluster.Stop()
	stopWhenInterrupted()
	if client, err = kubernetes.NewForConfig(cluster.Config); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// stopWhenInterrupted stops the control plane when a user interrupts the test.
func stopWhenInterrupted() {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		cluster.Discard()
		os.Exit(130)
	}()
}

// TestWatch sets the order: the audit log is read after all commands.
func TestWatch(t *testing.T) {
	t.Run("incident", testIncident)
	t.Run("commands", testCommands)
	t.Run("objects", testObjects)
	t.Run("ends", testEnds)
	t.Run("until", testUntil)
	t.Run("rights", testRights)
	t.Run("restart", testRestart)
	t.Run("outages", testOutages)
	t.Run("read-only", testReadOnly)
}
