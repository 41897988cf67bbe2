// SPDX-License-Identifier: Apache-2.0

// Package scenarios creates the situations that users meet on a real control plane, and compares
// the answers of kubectl-dsdoctor with Kubernetes' behaviour.
package scenarios

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

// The user whose permissions the tests grant one by one, and a user who can only read a namespace.
const (
	reader = "reader"
	tenant = "tenant"
)

// gatesVariable has the feature gates for all components of a process of this package; gates are
// process-wide, and so is the variable.
const gatesVariable = "DSDOCTOR_E2E_FEATURE_GATES"

// reservedClass is only admitted if a quota of the namespace allows it.
const reservedClass = "reserved"

const admission = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources:
    - resource: pods
      matchScopes:
      - scopeName: PriorityClass
        operator: In
        values: [` + reservedClass + `]
`

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
		// Both have no effect in namespaces without their annotations.
		AdmissionPlugins: []string{"PodNodeSelector", "PodTolerationRestriction"},
		Admission:        admission,
		FeatureGates:     os.Getenv(gatesVariable),
		RuntimeConfig:    gatedVersions(),
		Tokens:           []string{reader, tenant},
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

// TestEndToEnd sets the order: the audit log is read after all commands.
func TestEndToEnd(t *testing.T) {
	t.Run("scenarios", func(t *testing.T) {
		runScenarios(t, eventsAhead, taintScenarios, nodeScenarios, placementScenarios, capacityScenarios, pendingScenarios,
			denialScenarios, refusalScenarios, rolloutScenarios, podScenarios, strayScenarios, admissionScenarios,
			suggestScenarios, alertScenarios, severalFaults, sequenceScenarios, releaseScenarios, deviceScenarios())
	})
	t.Run("rights", testRights)
	t.Run("one-namespace", testOneNamespace)
	t.Run("absent-namespace", testAbsentNamespace)
	t.Run("no-controllers", testNoControllers) // they are not started again
	t.Run("read-only", testReadOnly)
}
