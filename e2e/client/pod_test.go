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

// becomePod makes a command see the sandbox's folder `pod` as its service account, as if it ran in a pod.
func (s *sandbox) becomePod(command *exec.Cmd) {
	if forWindows(command) {
		s.inWindowsPod(command)
	}
	inPod(command, s.path("pod"))
}

// inPod makes a command see dir as its service account. This test program starts itself in a mount
// namespace of its own and becomes the command there.
func inPod(command *exec.Cmd, dir string) {
	command.Args = append([]string{os.Args[0], inPodWord, dir, command.Path}, command.Args[1:]...)
	command.Path = self()
	command.SysProcAttr = namespaces(syscall.CLONE_NEWNS)
}

// withoutNetwork makes every connection fail immediately, that to loopback included: nothing that
// is addressed to a foreign host ever leaves.
func withoutNetwork(command *exec.Cmd) {
	leave := func(c *exec.Cmd) { c.SysProcAttr = namespaces(syscall.CLONE_NEWNET) }
	leave(command)
	if forWindows(command) {
		moveTo("offline", command, leave)
	}
}

// namespaces are of their own for a command.
func namespaces(kind uintptr) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Cloneflags: kind}
	if os.Getuid() != 0 { // others have to become root of a world of their own
		attributes.Cloneflags |= syscall.CLONE_NEWUSER
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return attributes
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err) // /proc is not there: nothing here could work
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
