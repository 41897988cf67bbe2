// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

// A binary that knows one pair and reports the node as excluded.
const stubborn = `#!/bin/sh
echo '{"daemonSets": [{"namespace": "default", "name": "agent", "nodes": [{"name": "n1"}]}]}'
`

func TestADifferenceShrinksToWhatCausesIt(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "stubborn")
	if err := os.WriteFile(path, []byte(stubborn), 0o700); err != nil {
		t.Fatal(err)
	}
	binary, err := OpenBinary(path, dir)
	if err != nil {
		t.Fatal(err)
	}
	judge := Judge{Release: "v0", ShouldRun: func(node *v1.Node, ds *appsv1.DaemonSet) (bool, bool) {
		fits := node.Labels["a"] == "1" && ds.Spec.Template.Spec.HostNetwork
		return fits, fits
	}}
	node, ds := &v1.Node{}, &appsv1.DaemonSet{}
	node.Name, node.Labels = "n1", map[string]string{"a": "1", "b": "2"}
	node.Spec.Taints = []v1.Taint{{Key: "t", Effect: v1.TaintEffectNoSchedule}}
	ds.Namespace, ds.Name = "default", "agent"
	ds.Spec.Template.Spec = v1.PodSpec{
		HostNetwork: true,
		Tolerations: []v1.Toleration{{Key: "t", Operator: v1.TolerationOpExists}},
	}

	var out strings.Builder
	if err := report(&out, judge, binary, &difference{node: node, ds: ds}); err != nil {
		t.Fatal(err)
	}
	want := `# Kubernetes v0: shouldRun: true, shouldContinueRunning: true
# the binary: shouldRun: false, shouldContinueRunning: false
# TaintTolerationComparisonOperators: false
metadata:
  labels:
    a: "1"
  name: n1
---
metadata:
  name: agent
  namespace: default
spec:
  template:
    metadata: {}
    spec:
      hostNetwork: true
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
