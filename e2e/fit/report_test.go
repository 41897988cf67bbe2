// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dsdoctor.dev/oracle"
)

// A binary that reports every pod as pending, none for lack of resources.
const blind = `#!/bin/sh
echo '{"daemonSets": [{"nodes": [{"name": "node-0000", "verdict": "pending", "findings": [{"id": "pod-something"}]}]}]}'
`

// The same, but it detects a lack of cpu.
var blindToPorts = strings.Replace(blind, "pod-something", "sched-insufficient-cpu", 1)

func openBinary(t *testing.T, script string) *oracle.Binary {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "binary")
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	binary, err := oracle.OpenBinary(path, dir)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

func TestADifferenceShrinksToWhatCausesIt(t *testing.T) {
	c := &Case{
		Node: []byte(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-0000"},
			"status": {"allocatable": {"cpu": 1.50, "memory": "1Gi", "pods": "110"}}}`),
		Pod: []byte(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "agent-0000-1"}, "spec": {"hostNetwork": true,
			"containers": [{"name": "c0", "resources": {"requests": {"cpu": "1e0", "memory": "1Mi"}}},
				{"name": "c1", "ports": [{"hostPort": 80}, {"hostPort": 9100, "protocol": "TCP"}]}]}}`),
		Others: []json.RawMessage{
			[]byte(`{"kind": "Pod", "spec": {"nodeName": "node-0000", "containers": [{"name": "a", "ports": [{"hostPort": 53}]}]}}`),
			[]byte(`{"kind": "Pod", "spec": {"nodeName": "node-0000", "containers": [{"name": "b", "ports":
				[{"hostPort": 9100, "hostIP": "10.0.0.5"}], "resources": {"requests": {"cpu": "0.501", "memory": "2Mi"}}}]}}`),
		},
	}
	obstacles, sound, err := Judge(c)
	if obstacles != CPU|HostPort || !sound || err != nil {
		t.Fatal(obstacles, sound, err)
	}
	var out strings.Builder
	if err := report(&out, openBinary(t, blindToPorts), &judged{c, "node-0000", obstacles, sound}); err != nil {
		t.Fatal(err)
	}
	_, objects, _ := strings.Cut(out.String(), "\n---\n")
	_, objects, _ = strings.Cut(objects, "\n---\n") // after the DaemonSet
	want := `apiVersion: v1
kind: Node
metadata:
  name: node-0000
status:
  allocatable:
    pods: "110"
---
apiVersion: v1
kind: Pod
metadata:
  name: agent-0000-1
spec:
  containers:
  - name: c1
    ports:
    - hostPort: 9100
---
kind: Pod
spec:
  containers:
  - name: b
    ports:
    - hostPort: 9100
  nodeName: node-0000
`
	if objects != want {
		t.Errorf("got\n%s\nwant\n%s", objects, want)
	}
	if !strings.Contains(out.String(), ": sched-host-port\n# the binary: sched-insufficient-cpu\n") {
		t.Error(out.String())
	}
}

func TestANumberKeepsItsNotation(t *testing.T) {
	for number, want := range map[json.Number]string{"1.5": "cpu: 1.5\n", "1.50": "{\"cpu\":1.50}\n", "1e3": "{\"cpu\":1e3}\n"} {
		if got, err := asYAML(map[string]any{"cpu": number}); string(got) != want || err != nil {
			t.Errorf("%s: got %s, error %v", number, got, err)
		}
	}
}

func TestADifferenceIsFound(t *testing.T) {
	for _, row := range []struct{ story, script, want string }{
		{"an answer for the first node only", blind, "after "},
		{"no answer", "#!/bin/sh\necho '{}'\n", "# the binary: no answer for this pod\n"},
	} {
		var out strings.Builder
		found, err := Compare(&out, openBinary(t, row.script), Options{Cases: 1, Seed: 4})
		if !found || err != nil || !strings.Contains(out.String(), row.want) {
			t.Errorf("%s: found %v, error %v\n%s", row.story, found, err, out.String())
		}
	}
	if _, err := Compare(new(strings.Builder), openBinary(t, "#!/bin/sh\nexit 2\n"), Options{Cases: 1, Seed: 4}); err == nil {
		t.Error("a binary that fails is no difference, but an error")
	}
}

func TestAllDifferencesAreCounted(t *testing.T) {
	var out strings.Builder
	found, err := Compare(&out, openBinary(t, "#!/bin/sh\necho '{}'\n"), Options{Cases: 1, Seed: 4, All: true})
	if !found || err != nil || !strings.Contains(out.String(), "1000 of 1000 cases differ from the scheduler of Kubernetes ") {
		t.Errorf("found %v, error %v\n%s", found, err, out.String())
	}
}
