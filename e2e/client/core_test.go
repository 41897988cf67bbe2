package client

import (
	"context"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dsdoctor.dev/e2e/faults"
)

// TestCoreDump kills a run that holds a token, where the system would write a core file.
func TestCoreDump(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	server, _ := s.ready()
	server.On("", faults.Silence)
	command := s.command(context.Background(), binary, "explain", "-A")
	s.must(command.Start())
	unlimited := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(command.Process.Pid, unix.RLIMIT_CORE, &unlimited, nil); err != nil {
		var now unix.Rlimit // not ours to raise: as far as it goes
		s.must(unix.Prlimit(command.Process.Pid, unix.RLIMIT_CORE, nil, &now))
		now.Cur = now.Max
		s.must(unix.Prlimit(command.Process.Pid, unix.RLIMIT_CORE, &now, nil))
	}
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
