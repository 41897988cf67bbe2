// SPDX-License-Identifier: Apache-2.0

// Package oracle asks Kubernetes' own code for the placement of daemon pods in random clusters, and
// compares its answers with those of a kubectl-dsdoctor binary. It does not depend on Kubernetes'
// implementation, so that several releases of it can be the judge.
package oracle

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

// Judge is one release of Kubernetes.
type Judge struct {
	Release string
	// ShouldRun is that release's daemon.NodeShouldRunDaemonPod.
	ShouldRun func(node *v1.Node, ds *appsv1.DaemonSet) (shouldRun, shouldContinueRunning bool)
	// SetNumericTolerations switches the gate TaintTolerationComparisonOperators; nil in
	// releases that do not have it.
	SetNumericTolerations func(on bool) error
}

// Answer is the decision for one DaemonSet on one node. The digits are those of the stored oracle
// files.
type Answer byte

const (
	Excluded Answer = '0' // does not run, does not stay
	Kept     Answer = '1' // does not run, stays
	Wanted   Answer = '3' // runs
	// Impossible is shouldRun without shouldContinueRunning. Kubernetes never returns it.
	Impossible Answer = '2'
	// Absent means that the pair was not answered.
	Absent Answer = '-'
)

func answerOf(shouldRun, shouldContinueRunning bool) Answer {
	switch {
	case shouldRun && shouldContinueRunning:
		return Wanted
	case shouldRun:
		return Impossible
	case shouldContinueRunning:
		return Kept
	default:
		return Excluded
	}
}

func (a Answer) String() string {
	switch a {
	case Excluded:
		return "shouldRun: false, shouldContinueRunning: false"
	case Kept:
		return "shouldRun: false, shouldContinueRunning: true"
	case Wanted:
		return "shouldRun: true, shouldContinueRunning: true"
	case Impossible:
		return "shouldRun: true, shouldContinueRunning: false"
	case Absent:
		return "no answer for this pair"
	default:
		return string(rune(a))
	}
}

func (j Judge) answer(node *v1.Node, ds *appsv1.DaemonSet) Answer {
	return answerOf(j.ShouldRun(node, ds))
}

// row is the judge's answers for one DaemonSet, a digit for each node.
func (j Judge) row(c *Cluster, ds *appsv1.DaemonSet) string {
	digits := make([]byte, len(c.Nodes))
	for i, node := range c.Nodes {
		digits[i] = byte(j.answer(node, ds))
	}
	return string(digits)
}
