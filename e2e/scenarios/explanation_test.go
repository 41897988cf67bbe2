// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

// explanation is the part of "explain -o json" that the scenarios check.
type explanation struct {
	Omissions []omission
	Summary   struct{ Verdicts map[string]int }
	WhatIf    struct {
		DaemonSets []prediction
		Events     []struct {
			Pods []struct{ DaemonSet, Node, End string }
		}
	}
	DaemonSets []explainedDaemonSet
}

// prediction is the predicted counts of a DaemonSet.
type prediction struct {
	Namespace, Name string
	After           map[string]int32
}

type omission struct {
	Resource, Reason string
}

type explainedDaemonSet struct {
	Namespace, Name string
	Status          struct {
		Reported, Evaluated counters
		Agrees              bool
	}
	Nodes       []explainedNode
	Findings    []finding
	Suggestions []suggestion
}

type explainedNode struct {
	Name                             string
	ShouldRun, ShouldContinueRunning bool
	Verdict                          string
	Pods                             []struct {
		Name                         string
		Ready, Outdated, Terminating bool
	}
	Findings []finding
}

// finding is the cause ("primary"), a further obstacle ("also"), or context.
type finding struct {
	ID, Severity, Standing string
	Message                string
	Evidence               []evidence
}

// evidence is a value in an object of the cluster.
type evidence struct {
	Object struct{ Kind, Namespace, Name string }
	Path   string
	Value  string
}

func (f finding) String() string {
	return f.Standing + " " + f.Severity + " " + f.ID + ": " + f.Message
}

type suggestion struct {
	ID          string
	Nodes       []string
	Tolerations []v1.Toleration
	Recommended bool
	Advised     string
	Effect      struct {
		After map[string]int32
	}
	Patch json.RawMessage
}

type counters struct {
	DesiredNumberScheduled, CurrentNumberScheduled, NumberMisscheduled int32
	NumberReady, NumberAvailable, UpdatedNumberScheduled               int32
}

func countersOf(s appsv1.DaemonSetStatus) counters {
	return counters{
		s.DesiredNumberScheduled, s.CurrentNumberScheduled, s.NumberMisscheduled,
		s.NumberReady, s.NumberAvailable, s.UpdatedNumberScheduled,
	}
}

func (c counters) String() string {
	return fmt.Sprintf("desired %d, current %d, misscheduled %d, ready %d, available %d, updated %d",
		c.DesiredNumberScheduled, c.CurrentNumberScheduled, c.NumberMisscheduled,
		c.NumberReady, c.NumberAvailable, c.UpdatedNumberScheduled)
}

// explain runs explain for the whole cluster, as the user of the kubeconfig.
func explain(kubeconfig string) (*explanation, error) {
	return ask(kubeconfig, "explain", "-A", "--all-nodes")
}

// ask runs a command of the binary and reads its JSON. Exit code 1 is also an answer: something is
// wrong.
func ask(kubeconfig string, words ...string) (*explanation, error) {
	answer, _, err := askFor[explanation](kubeconfig, words...)
	return answer, err
}

// askFor is ask for any type of answer, with the exit code.
func askFor[T any](kubeconfig string, words ...string) (answer *T, exitCode int, err error) {
	stdout, exitCode, err := tell(kubeconfig, append(words, "-o", "json")...)
	if err != nil && exitCode != 1 {
		return nil, exitCode, err
	}
	answer = new(T)
	if err := json.Unmarshal([]byte(stdout), answer); err != nil {
		return nil, exitCode, errors.Join(err, fmt.Errorf("it said: %.300s", stdout))
	}
	return answer, exitCode, nil
}

// Runs a command of the binary and returns its output. Every exit code but 0 is an error with
// the messages of the command.
func tell(kubeconfig string, words ...string) (stdout string, exitCode int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if toldGates != "" {
		words = append(words, "--feature-gates="+toldGates)
	}
	command := exec.CommandContext(ctx, binary, words...)
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	err = command.Run()
	if ctx.Err() != nil {
		return "", 2, fmt.Errorf("%s: it hangs: no answer within %s", command, patience)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", command, err, bytes.TrimSpace(complaints.Bytes()))
	}
	return out.String(), command.ProcessState.ExitCode(), err
}

func (e *explanation) daemonSet(namespace, name string) *explainedDaemonSet {
	for i := range e.DaemonSets {
		if ds := &e.DaemonSets[i]; ds.Namespace == namespace && ds.Name == name {
			return ds
		}
	}
	return nil
}
