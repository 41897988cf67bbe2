// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

func TestTheSameSeedMakesTheSameCluster(t *testing.T) {
	first, second := marshal(t, Generate(7, 50, 50, 20)), marshal(t, Generate(7, 50, 50, 20))
	if first != second {
		t.Error("two clusters of one seed differ: a reported seed could not be tried again")
	}
}

// A generator that never makes some kind of case would test nothing about it.
func TestEveryWordIsUsed(t *testing.T) {
	text := marshal(t, Generate(1, 500, 500, 20))
	for _, word := range append(append([]string{}, nodeOperators...), "Equal", "nodeName",
		"hostNetwork", "matchFields", `"nodeSelectorTerms":null`, "{}", "tolerationSeconds", "PreferNoSchedule") {
		if !strings.Contains(text, word) {
			t.Errorf("%s never occurs", word)
		}
	}
}

func TestAStoredFileIsReadBack(t *testing.T) {
	judge := Judge{ShouldRun: func(node *v1.Node, ds *appsv1.DaemonSet) (bool, bool) {
		return len(node.Spec.Taints) == 0, !node.Spec.Unschedulable || len(node.Spec.Taints) == 0
	}}
	path := filepath.Join(t.TempDir(), "stored.json")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteStored(file, judge, 3, Generate(3, 40, 10, 20)); err != nil {
		t.Fatal(err)
	}
	pairs, different, err := CheckStored(judge, path)
	if pairs != 400 || different != 0 || err != nil {
		t.Errorf("%d pairs, %d different, error %v", pairs, different, err)
	}
}

func marshal(t *testing.T, c *Cluster) string {
	t.Helper()
	content, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
