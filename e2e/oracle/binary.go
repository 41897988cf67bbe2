// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Binary is the kubectl-dsdoctor under test.
type Binary struct {
	path string
	file string // the cluster of a run is written here
}

// OpenBinary checks that the binary exists.
func OpenBinary(path, dir string) (*Binary, error) {
	if path == "" {
		return nil, errors.New("no binary to compare with: give --binary PATH or set DSDOCTOR_BINARY")
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("the binary cannot be run: %w", err)
	}
	return &Binary{path: found, file: filepath.Join(dir, "cluster.json")}, nil
}

type pair struct{ namespace, daemonSet, node string }

// Explain runs the binary on the cluster and decodes its explanation of every node into into.
func (b *Binary) Explain(cluster, into any, flags ...string) error {
	content, err := json.Marshal(cluster)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.file, content, 0o600); err != nil {
		return err
	}
	args := append([]string{"explain", "-A", "-f", b.file, "-o", "json", "--all-nodes"}, flags...)
	command := exec.Command(b.path, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", command, err, bytes.TrimSpace(stderr.Bytes()))
	}
	if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
		return fmt.Errorf("%s: its answer is not the JSON expected: %w", command, err)
	}
	return nil
}

// answers returns every pair that the binary decided.
func (b *Binary) answers(cluster any, numericTolerations bool) (map[pair]Answer, error) {
	flags := []string{"--feature-gates", fmt.Sprintf("TaintTolerationComparisonOperators=%v", numericTolerations)}
	var explanation struct {
		DaemonSets []struct {
			Namespace, Name string
			Nodes           []struct {
				Name                             string
				ShouldRun, ShouldContinueRunning bool
			}
		}
	}
	if err := b.Explain(cluster, &explanation, flags...); err != nil {
		return nil, err
	}
	answers := map[pair]Answer{}
	for _, ds := range explanation.DaemonSets {
		for _, node := range ds.Nodes {
			p := pair{ds.Namespace, ds.Name, node.Name}
			answers[p] = answerOf(node.ShouldRun, node.ShouldContinueRunning)
		}
	}
	return answers, nil
}
