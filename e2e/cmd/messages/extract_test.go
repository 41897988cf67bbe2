// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const plugin = `package quota

const ErrReasonFull = "node(s) were full"
const other = "not a reason"

func (p *Quota) Filter(pod *Pod) *fwk.Status {
	if pod == nil {
		return fwk.NewStatus(fwk.Error, "no pod")
	}
	if err := check(pod); err != nil {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, err.Error())
	}
	return fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("quota %s is "+
		"used up", pod.Name))
}

func (p *Quota) SignPod(pod *Pod) *fwk.Status {
	return fwk.NewStatus(fwk.Unschedulable, "pods with quotas are not signable")
}

func check(pod *Pod) error {
	return fmt.Errorf("quota %q not found", pod.Name)
}
`

const handler = `package lifecycle

const QuotaReason = "QuotaExceeded"

func (h *handler) Admit() PodAdmitResult {
	message := fmt.Sprintf("no room in %s", h.name)
	return PodAdmitResult{Reason: QuotaReason, Message: message}
}
`

func TestExtract(t *testing.T) {
	tree := t.TempDir()
	files := map[string]string{
		"pkg/scheduler/framework/plugins/quota/quota.go":         plugin,
		"pkg/scheduler/framework/plugins/quota/quota_test.go":    "no Go at all",
		"pkg/scheduler/framework/plugins/quota/testing/quota.go": plugin,
		"pkg/kubelet/lifecycle/handler.go":                       handler,
	}
	for path, content := range files {
		path = filepath.Join(tree, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	texts, err := extract(tree)
	if err != nil {
		t.Fatal(err)
	}
	const quota = "pkg/scheduler/framework/plugins/quota/quota.go"
	expected := []text{
		{"pkg/kubelet/lifecycle/handler.go", "QuotaExceeded: no room in %s"},
		{quota, "node(s) were full"},
		{quota, "quota %q not found"},
		{quota, "quota %s is used up"},
	}
	if !slices.Equal(texts, expected) {
		t.Errorf("got %q, expected %q", texts, expected)
	}
	if _, err := extract(t.TempDir()); err == nil {
		t.Error("an empty tree is no tree of Kubernetes")
	}
}

func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "messages.tsv")
	content := "# comment\n1.36 1.37\ta.go\tsched-taint\told text\n1.36\ta.go\tsched-cpu\tgone text\n"
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	rows, err := readTable(path)
	if err != nil {
		t.Fatal(err)
	}
	texts := []text{{"a.go", "new text"}, {"b.go", "old text"}}
	differences := rows.differences("1.37", texts)
	if expected := []string{"+ 1.37\ta.go\tnew text", "+ 1.37\tb.go\told text", "- 1.37\ta.go\told text"}; !slices.Equal(differences, expected) {
		t.Errorf("got %q, expected %q", differences, expected)
	}
	rows.update("1.37", texts)
	if left := rows.differences("1.37", texts); len(left) != 0 {
		t.Errorf("after the update: %q", left)
	}
	if err := rows.write(path); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	expected := "# comment\n1.36\ta.go\tsched-cpu\tgone text\n1.37\ta.go\t?\tnew text\n1.36\ta.go\tsched-taint\told text\n1.37\tb.go\tsched-taint\told text\n"
	if string(written) != expected {
		t.Errorf("got %s, expected %s", written, expected)
	}
}

func TestReleaseOf(t *testing.T) {
	for version, expected := range map[string]string{"1.37.2": "1.37", "v1.38.0-beta.0": "1.38", "1": "", "2.0": "", "1.x": ""} {
		if release, err := releaseOf(version); release != expected || (err == nil) != (expected != "") {
			t.Errorf("%s: %q, %v", version, release, err)
		}
	}
}
