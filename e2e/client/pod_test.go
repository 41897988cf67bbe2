// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

const (
	inPodWord         = "--in-pod"
	serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"
)

// becomePod shows the sandbox's folder `pod` to a command as its service account, as in a pod.
func (s *sandbox) becomePod(command *exec.Cmd) {
	if forWindows(command) {
		s.inWindowsPod(command)
	}
	inPod(command, s.path("pod"))
}

// inPod shows dir to a command as its service account. This test program starts itself in a
// separate mount namespace and executes the command there.
func inPod(command *exec.Cmd, dir string) {
	command.Args = append([]string{os.Args[0], inPodWord, dir, command.Path}, command.Args[1:]...)
	command.Path = self()
	command.SysProcAttr = namespaces(syscall.CLONE_NEWNS)
}

// withoutNetwork makes every connection fail immediately, including loopback: no packet for a
// foreign host leaves the machine.
func withoutNetwork(command *exec.Cmd) {
	leave := func(c *exec.Cmd) { c.SysProcAttr = namespaces(syscall.CLONE_NEWNET) }
	leave(command)
	if forWindows(command) {
		moveTo("offline", command, leave)
	}
}

// namespaces returns attributes for a command in its own namespaces.
func namespaces(kind uintptr) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Cloneflags: kind}
	if os.Getuid() != 0 { // other users need a user namespace where they are root
		attributes.Cloneflags |= syscall.CLONE_NEWUSER
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return attributes
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err) // without /proc nothing here can work
	}
	return path
}

// enterPod runs in the new mount namespace and never returns.
func enterPod(dir string, command []string) {
	err := mountServiceAccount(dir)
	if err == nil {
		err = syscall.Exec(command[0], command, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "e2e: cannot play a pod:", err)
	os.Exit(125)
}

func mountServiceAccount(dir string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	run, err := filepath.EvalSymlinks("/var/run")
	if err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", run, "tmpfs", 0, "mode=755"); err != nil {
		return fmt.Errorf("tmpfs: %w", err)
	}
	if err := os.MkdirAll(serviceAccountDir, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount(dir, serviceAccountDir, "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	return nil
}
