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
	file string // the cluster is written here for each run
}

// OpenBinary makes sure that there is something to run.
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

// answers runs the binary on the cluster and reads every pair it decided.
func (b *Binary) answers(cluster any, numericTolerations bool) (map[pair]Answer, error) {
	content, err := json.Marshal(cluster)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(b.file, content, 0o600); err != nil {
		return nil, err
	}
	args := []string{"explain", "-A", "-f", b.file, "-o", "json", "--all-nodes"}
	if numericTolerations {
		args = append(args, "--feature-gates", "TaintTolerationComparisonOperators=true")
	}
	command := exec.Command(b.path, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", command, err, bytes.TrimSpace(stderr.Bytes()))
	}
	var explanation struct {
		DaemonSets []struct {
			Namespace, Name string
			Nodes           []struct {
				Name                             string
				ShouldRun, ShouldContinueRunning bool
			}
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &explanation); err != nil {
		return nil, fmt.Errorf("%s: its answer is not the JSON expected: %w", command, err)
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
