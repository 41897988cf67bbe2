// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"syscall"
	"testing"
	"time"

	"dsdoctor.dev/e2e/faults"
)

// TestCoreDump kills a run that has a token, on a system that would write a core file.
func TestCoreDump(t *testing.T) {
	skipOnWindows(t)
	t.Parallel()
	s := newSandbox(t)
	server, _ := s.ready()
	server.On("", faults.Silence)
	// Raised before the start: the program lowers the limit itself, and the test must not undo that.
	const unlimited = `ulimit -c unlimited 2>/dev/null || ulimit -S -c "$(ulimit -H -c)"; exec "$@"`
	command := s.command(context.Background(), "/bin/sh", "-c", unlimited, "sh", binary, "explain", "-A")
	s.must(command.Start())
	for deadline := time.Now().Add(10 * second); len(server.Requests("")) == 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	s.must(command.Process.Signal(syscall.SIGABRT))
	command.Wait()
	dumped := command.ProcessState.Sys().(syscall.WaitStatus).CoreDump()
	switch {
	case dumped && coreKnown == "":
		t.Error("it left a core file")
	case !dumped && coreKnown != "":
		t.Errorf("no core file any more: empty coreKnown (%s)", coreKnown)
	}
}
