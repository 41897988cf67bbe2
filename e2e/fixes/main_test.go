// SPDX-License-Identifier: Apache-2.0

// Package fixes tests on a real control plane that every patch which kubectl-dsdoctor prints is
// accepted and has the predicted effect, and that the answer to a what-if question is the same as
// for the changed cluster.
package fixes

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"dsdoctor.dev/e2e/controlplane"
)

var (
	caseCount = flag.Int("cases", 250, "how many pairs of a DaemonSet and a target to fix at least")
	seed      = flag.Uint64("seed", 1, "of the random nodes and DaemonSets")
)

// Started once by TestMain and shared by all tests of the package.
var (
	cluster *controlplane.Cluster
	client  *kubernetes.Clientset
	// binary is the program that is tested.
	binary string
	// environment is that of the program, kubectl and the shells.
	environment []string
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	// Fail without a program, instead of passing without a test.
	if binary, err = exec.LookPath(os.Getenv("DSDOCTOR_BINARY")); err != nil {
		return 1, fmt.Errorf("DSDOCTOR_BINARY must be the absolute path of the kubectl-dsdoctor to test: %w", err)
	}
	kubectl, err := exec.LookPath(os.Getenv("DSDOCTOR_KUBECTL"))
	if err != nil {
		return 1, fmt.Errorf("DSDOCTOR_KUBECTL must be the absolute path of a kubectl: %w", err)
	}
	removed, err := controlplane.RemoveLeftovers()
	for _, home := range removed {
		fmt.Fprintln(os.Stderr, "e2e: removed what a killed run left in", home)
	}
	if err != nil {
		return 1, err
	}
	cluster, err = controlplane.Start(controlplane.Options{PatientWithNodes: true})
	if err != nil {
		return 1, err
	}
	defer cluster.Stop()
	stopWhenInterrupted()
	home, err := homeWith(kubectl)
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(home)
	config := rest.CopyConfig(cluster.Config)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	if client, err = kubernetes.NewForConfig(config); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// homeWith creates a home directory in which "kubectl" is the given one, and sets the environment.
func homeWith(kubectl string) (string, error) {
	home, err := os.MkdirTemp("", "dsdoctor-fixes-")
	if err != nil {
		return "", err
	}
	if err := os.Symlink(kubectl, filepath.Join(home, "kubectl")); err != nil {
		return "", err
	}
	environment = []string{
		"HOME=" + home, "KUBECONFIG=" + cluster.Kubeconfig, "PATH=" + home + ":" + os.Getenv("PATH"),
	}
	return home, nil
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
