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

// windows runs the binary if that is a program for Windows.
var windows *wine.System

var temporary []string // folders that are removed at the end

// failingOnWindows are the checks that fail there for a good reason, by the names of their tests. Each is
// tried all the same: one that passes has to leave.
var failingOnWindows = map[string]string{
	"TestRows/row-148": "a closed pipe is an error when writing, as for other programs there",
	"TestBesideKubectl/a_file_below_a_file_in_KUBECONFIG": "Windows calls that a missing file, and so does its kubectl",
}

// absentOnWindows are those that nothing on Windows corresponds to. They are not tried.
var absentOnWindows = map[string]string{
	"TestRows/row-029":                           pipes,
	"TestBesideKubectl/the_kubeconfig_is_a_pipe": pipes,
	"TestCoreDump":                               "Windows writes no core files",
}

const pipes = "no shell of Windows makes names for pipes"

// metOnWindows are the names of both that a test has looked up.
var metOnWindows sync.Map

// listedOnWindows looks a test up in one of both, and gives the reason.
func listedOnWindows(table map[string]string, test string) (reason string, listed bool) {
	if windows == nil {
		return "", false
	}
	if reason, listed = table[test]; listed {
		metOnWindows.Store(test, true)
	}
	return reason, listed
}

// skipOnWindows ends a test that is not tried.
func skipOnWindows(t *testing.T) {
	t.Helper()
	if reason, listed := listedOnWindows(absentOnWindows, t.Name()); listed {
		t.Skip(reason)
	}
}

// failsOnWindows says why this check fails there, where it may.
func failsOnWindows(test string) (reason string, listed bool) {
	return listedOnWindows(failingOnWindows, test)
}

// startWindows makes the system of the binary. From then on, names of this machine's files that begin with
// the drive are good for Windows and for this process: it stands in a folder that has the drive.
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

// endWindows stops all systems; where everything has run, every name that is listed has to be a test.
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

// unmetOnWindows are the names in both that no test has looked up.
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

// others are further systems, by what they differ in.
var others = struct {
	sync.Mutex
	started map[string]*wine.System
}{started: map[string]*wine.System{}}

// moveTo has a command for Windows run by another system, which is started when it is first needed.
func moveTo(system string, command *exec.Cmd, change func(*exec.Cmd)) {
	others.Lock()
	defer others.Unlock()
	if others.started[system] == nil {
		started, err := wine.Start(change)
		if err != nil {
			panic(err) // the first one could be started
		}
		others.started[system] = started
	}
	command.Env = append(command.Env, others.started[system].Environment(nil)...) // the last value counts
}

// forWindows says whether a command runs a program for Windows.
func forWindows(command *exec.Cmd) bool { return filepath.Base(command.Path) == "wine" }

// addDrive makes names with the drive refer to this machine's files for whoever stands in the folder.
func addDrive(folder string) error { return os.Symlink("/", filepath.Join(folder, wine.Drive)) }

// forLinux is a list of files, or an argument, as kubectl takes it beside the program for Windows.
func forLinux(text string) string {
	return strings.NewReplacer(wine.Drive+"/", "/", ";", ":").Replace(text)
}

// backslashed is a name of this machine as cmd.exe wants it.
func backslashed(path string) string {
	return wine.Drive + strings.ReplaceAll(strings.TrimPrefix(path, wine.Drive), "/", `\`)
}

// shown is a file of the sandbox as the program writes its name once that is absolute.
func (s *sandbox) shown(name string) string {
	if windows != nil {
		return backslashed(s.path(name))
	}
	return s.path(name)
}

// withoutHome is a batch file that starts the program with no variable that names a home: wine sets some.
func (s *sandbox) withoutHome(program string) string {
	s.Helper()
	unset := ""
	for _, name := range []string{"HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH"} {
		unset += "set " + name + "=\r\n"
	}
	script := s.write("no-home.cmd", "@echo off\r\n"+unset+backslashed(program)+" %*\r\n")
	return backslashed(script)
}

// podAccount is the service account of the system that plays a pod, of one sandbox at a time.
var podAccount struct {
	sync.Mutex
	folder string
}

// inWindowsPod runs a command by a system that sees the sandbox's folder `pod` as its service account.
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
