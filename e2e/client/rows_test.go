// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// row is an edge case of a client with a kubeconfig. Its number never changes.
type row struct {
	number int
	about  string // input: expected behaviour
	check  func(s *sandbox)
	// inapplicable says why the program cannot get into this situation; then there is no check.
	inapplicable string
}

func allRows() []row {
	return slices.Concat(discoveryRows, contextRows, namespaceRows, execRows, transportRows, listRows, outputRows)
}

// TestRows runs every row. A row in the list of known failures must fail, so that the list has no
// stale entries.
func TestRows(t *testing.T) {
	t.Parallel()
	inapplicable := 0
	for i, r := range allRows() {
		if r.number != i+1 {
			t.Fatalf("row %d stands at place %d: each has its place, none is missing", r.number, i+1)
		}
		if r.inapplicable != "" {
			inapplicable++
			t.Logf("row-%03d does not apply (%s): %s", r.number, r.about, r.inapplicable)
			continue
		}
		t.Run(fmt.Sprintf("row-%03d", r.number), func(t *testing.T) {
			skipOnWindows(t)
			t.Parallel()
			judge(t, r)
		})
	}
	if rows := len(allRows()); rows != 150 {
		t.Errorf("%d rows, not 150", rows)
	}
	t.Logf("%d rows: %d checked, %d of them known to fail, %d do not apply", len(allRows()),
		len(allRows())-inapplicable, len(known), inapplicable)
}

func judge(t *testing.T, r row) {
	findings := collect(t, r.check)
	symptom, isKnown := known[r.number]
	if reason, listed := failsOnWindows(t.Name()); listed {
		symptom, isKnown = reason, true
	}
	switch {
	case len(findings) > 0 && isKnown:
		t.Logf("%s\nknown: %s\n%s", r.about, symptom, strings.Join(findings, "\n"))
	case len(findings) > 0:
		t.Errorf("%s\n%s", r.about, strings.Join(findings, "\n"))
	case isKnown:
		t.Errorf("%s\npasses now: take row %d off the list of known failures", r.about, r.number)
	}
}

// collector records failures instead of failing the test.
type collector struct {
	*testing.T
	findings []string
}

func (c *collector) Errorf(format string, arguments ...any) {
	c.findings = append(c.findings, fmt.Sprintf(format, arguments...))
}

func (c *collector) Fatalf(format string, arguments ...any) {
	c.Errorf(format, arguments...)
	runtime.Goexit()
}

// collect runs a check in a separate goroutine, which a fatal failure ends.
func collect(t *testing.T, check func(*sandbox)) []string {
	c := &collector{T: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(newSandbox(c))
	}()
	<-done
	return c.findings
}
