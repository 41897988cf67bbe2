// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
)

// patience is the limit for every operation.
const patience = 2 * time.Minute

type counts struct {
	DesiredNumberScheduled, NumberMisscheduled int32
}

// fix is a suggestion of "suggest -o json", or an alternative to it.
type fix struct {
	ID                                  string
	Tolerations                         []v1.Toleration
	Recommended                         bool
	Nodes                               []string
	Effect                              struct{ Before, After counts }
	Patch, GuardedPatch, StrategicPatch json.RawMessage
	Command, Undo                       string
	NodesGained, NodesLost, PodsDeleted []string
	RestartedPods                       *int
}

type fixesOf struct {
	Namespace, Name           string
	Suggestions, Alternatives []fix
}

type suggestions struct{ DaemonSets []fixesOf }

// explanation is the part of "explain -o json" by which a what-if answer is checked.
type explanation struct {
	WhatIf struct {
		DaemonSets []struct {
			Namespace, Name string
			After           struct {
				counts
				CurrentNumberScheduled int32
			}
		}
	}
	DaemonSets []struct {
		Namespace, Name string
		Nodes           []struct {
			Name                             string
			ShouldRun, ShouldContinueRunning bool
		}
	}
}

// execute runs a program in the environment of this package and returns its output.
func execute(stdin string, program string, words ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, words...)
	command.Env = environment
	command.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s %q: %w: %s", program, words, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
}

func askJSON[T any](words ...string) (*T, error) {
	text, err := execute("", binary, append(words, "-o", "json")...)
	if err != nil {
		return nil, err
	}
	answer := new(T)
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		return nil, errors.Join(err, fmt.Errorf("it said: %.300s", text))
	}
	return answer, nil
}
