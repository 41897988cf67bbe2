// SPDX-License-Identifier: Apache-2.0

// Package krew tests the result of ./dev package with Krew's own programs and a real kubectl, and
// runs the packaged programs in folders without files of a Debian system. It needs root (chroot,
// port 53).
package krew

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Folders with the packages, and with the programs krew, validate-krew-manifest and kubectl.
var dist, tools = os.Getenv("DSDOCTOR_DIST"), os.Getenv("DSDOCTOR_TOOLS")

func TestMain(m *testing.M) {
	if dist == "" || tools == "" || os.Geteuid() != 0 {
		fmt.Fprintln(os.Stderr, "these tests are run by ./dev package --check, as root")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// archives returns the archives by architecture.
func archives(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(dist, "kubectl-dsdoctor_v*_linux_*.tar.gz"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".tar.gz")
		found[name[strings.LastIndex(name, "_")+1:]] = file
	}
	if len(found) == 0 {
		t.Fatalf("no archive in %s", dist)
	}
	return found
}

func manifest(t *testing.T) string {
	t.Helper()
	return read(t, filepath.Join(dist, "dsdoctor.yaml"))
}

func version(t *testing.T) string {
	t.Helper()
	return regexp.MustCompile(`(?m)^  version: (\S+)$`).FindStringSubmatch(manifest(t))[1]
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

type outcome struct {
	stdout, stderr string
	code           int
}

func (o outcome) String() string {
	return fmt.Sprintf("exit %d\nstdout:\n%s\nstderr:\n%s", o.code, o.stdout, o.stderr)
}

func run(t *testing.T, environment []string, root string, words ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Env = environment
	if root != "" {
		command.Dir = "/"
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	}
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", words, err)
	}
	return outcome{stdout.String(), stderr.String(), command.ProcessState.ExitCode()}
}

// unpacked returns a folder with the archive's content.
func unpacked(t *testing.T, archive string) string {
	t.Helper()
	folder := t.TempDir()
	if o := run(t, nil, "", "tar", "-C", folder, "-xzf", archive); o.code != 0 {
		t.Fatal(o)
	}
	return folder
}

// emulator is the command that runs a program of that architecture here: empty, or QEMU.
func emulator(t *testing.T, arch string) []string {
	t.Helper()
	if arch == runtime.GOARCH {
		return nil
	}
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch]
	path, err := exec.LookPath("qemu-" + machine + "-static")
	if err != nil {
		t.Fatal(err)
	}
	return []string{path}
}
