// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// detached starts this program again without a terminal and returns when the new process is ready.
func detached(dir string, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(dir, "cluster.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	rest := slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		return strings.TrimLeft(arg, "-") == "detach" || strings.HasPrefix(strings.TrimLeft(arg, "-"), "detach=")
	})
	child := exec.Command(self, append([]string{"up"}, rest...)...)
	child.Stdout, child.Stderr = log, log
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for deadline := time.After(2 * time.Minute); ; {
		content, _ := os.ReadFile(log.Name())
		if bytes.Contains(content, []byte("ready in ")) {
			os.Stdout.Write(content)
			return nil
		}
		select {
		case <-ended:
			content, _ := os.ReadFile(log.Name())
			return fmt.Errorf("it did not start: %s", bytes.TrimSpace(content))
		case <-deadline:
			child.Process.Signal(syscall.SIGTERM)
			return fmt.Errorf("not ready after two minutes; see %s", log.Name())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
