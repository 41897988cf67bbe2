// SPDX-License-Identifier: Apache-2.0

package client

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dsdoctor.dev/e2e/wine"
)

// windows runs the binary if it is a program for Windows; else nil.
var windows *wine.System

var temporary []string // folders to remove at the end

// failingOnWindows are the checks that fail on Windows for a good reason, by the names of their
// tests. Each is run nevertheless: one that passes must be removed.
var failingOnWindows = map[string]string{
	"TestRows/row-148": "a closed pipe is an error when writing, as for other programs there",
	"TestBesideKubectl/a_file_below_a_file_in_KUBECONFIG": "Windows calls that a missing file, and so does its kubectl",
}

// absentOnWindows are checks for which Windows has no equivalent. They are not run.
var absentOnWindows = map[string]string{
	"TestRows/row-029":                           pipes,
	"TestBesideKubectl/the_kubeconfig_is_a_pipe": pipes,
	"TestCoreDump":                               "Windows writes no core files",
}

const pipes = "no shell of Windows makes names for pipes"

// metOnWindows are the names of both tables that a test has looked up.
var metOnWindows sync.Map

// listedOnWindows looks a test up in one of the tables, and returns the reason.
func listedOnWindows(table map[string]string, test string) (reason string, listed bool) {
	if windows == nil {
		return "", false
	}
	if reason, listed = table[test]; listed {
		metOnWindows.Store(test, true)
	}
	return reason, listed
}

// skipOnWindows skips a test that is not run on Windows.
func skipOnWindows(t *testing.T) {
	t.Helper()
	if reason, listed := listedOnWindows(absentOnWindows, t.Name()); listed {
		t.Skip(reason)
	}
}

// failsOnWindows returns the reason if this check is expected to fail on Windows.
func failsOnWindows(test string) (reason string, listed bool) {
	return listedOnWindows(failingOnWindows, test)
}

// startWindows starts the system that runs the binary. After that, names of files that begin with
// the drive work on Windows and in this process, because its working directory contains the drive.
func startWindows() error {
	folder, err := os.MkdirTemp("", "dsdoctor-drive-")
	if err != nil {
		return err
	}
	temporary = append(temporary, folder)
	if err := os.Chmod(folder, 0o755); err != nil {
		return err
	}
	if err := addDrive(folder); err != nil {
		return err
	}
	if err := os.Chdir(folder); err != nil {
		return err
	}
	windows, err = wine.Start(nil)
	return err
}

// endWindows stops all systems. If all tests ran, it checks that every listed name is a test.
func endWindows(code int) int {
	for _, folder := range temporary {
		defer os.RemoveAll(folder)
	}
	if windows == nil {
		return code
	}
	windows.Stop()
	for _, other := range others.started {
		other.Stop()
	}
	if unmet := unmetOnWindows(); len(unmet) > 0 && flag.Lookup("test.run").Value.String() == "" {
		fmt.Fprintf(os.Stderr, "e2e: listed for Windows, and no tests: %q\n", unmet)
		return 1
	}
	return code
}

// unmetOnWindows are the names in both tables that no test has looked up.
func unmetOnWindows() (names []string) {
	for _, table := range []map[string]string{failingOnWindows, absentOnWindows} {
		for name := range table {
			if _, met := metOnWindows.Load(name); !met {
				names = append(names, name)
			}
		}
	}
	return names
}

// others are further systems, by their difference.
var others = struct {
	sync.Mutex
	started map[string]*wine.System
}{started: map[string]*wine.System{}}

// moveTo runs a command for Windows in another system, which is started on first use.
func moveTo(system string, command *exec.Cmd, change func(*exec.Cmd)) {
	others.Lock()
	defer others.Unlock()
	if others.started[system] == nil {
		started, err := wine.Start(change)
		if err != nil {
			panic(err) // the first system could be started
		}
		others.started[system] = started
	}
	command.Env = append(command.Env, others.started[system].Environment(nil)...) // the last value counts
}

// forWindows reports whether a command runs a program for Windows.
func forWindows(command *exec.Cmd) bool { return filepath.Base(command.Path) == "wine" }

// addDrive creates the drive in the folder, so that names with the drive work from there.
func addDrive(folder string) error { return os.Symlink("/", filepath.Join(folder, wine.Drive)) }

// forLinux converts a list of files, or an argument, for kubectl.
func forLinux(text string) string {
	return strings.NewReplacer(wine.Drive+"/", "/", ";", ":").Replace(text)
}

// backslashed is a path of this machine in the form of cmd.exe.
func backslashed(path string) string {
	return wine.Drive + strings.ReplaceAll(strings.TrimPrefix(path, wine.Drive), "/", `\`)
}

// shown is the absolute path of a file of the sandbox, as the program prints it.
func (s *sandbox) shown(name string) string {
	if windows != nil {
		return backslashed(s.path(name))
	}
	return s.path(name)
}

// withoutHome creates a batch file that starts the program without the variables that name a home:
// wine sets some.
func (s *sandbox) withoutHome(program string) string {
	s.Helper()
	unset := ""
	for _, name := range []string{"HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH"} {
		unset += "set " + name + "=\r\n"
	}
	script := s.write("no-home.cmd", "@echo off\r\n"+unset+backslashed(program)+" %*\r\n")
	return backslashed(script)
}

// podAccount is the service account of the system that acts as a pod, used by one sandbox at a
// time.
var podAccount struct {
	sync.Mutex
	folder string
}

// inWindowsPod runs a command in a system that has the sandbox's folder `pod` as its service
// account.
func (s *sandbox) inWindowsPod(command *exec.Cmd) {
	s.Helper()
	if !s.isPod {
		podAccount.Lock()
		s.Cleanup(podAccount.Unlock)
		s.isPod = true
	}
	if podAccount.folder == "" {
		folder, err := os.MkdirTemp("", "dsdoctor-pod-")
		s.must(err)
		podAccount.folder, temporary = folder, append(temporary, folder)
	}
	former, err := filepath.Glob(filepath.Join(podAccount.folder, "*")) // the folder itself is mounted
	s.must(err)
	for _, file := range former {
		s.must(os.Remove(file))
	}
	s.must(os.CopyFS(podAccount.folder, os.DirFS(s.path("pod"))))
	moveTo("pod", command, func(keeper *exec.Cmd) { inPod(keeper, podAccount.folder) })
}
