// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"dsdoctor.dev/e2e/faults"
	"dsdoctor.dev/e2e/wine"
)

// report is the part of testing.T that a check needs; rows collect failures instead.
type report interface {
	Helper()
	Cleanup(func())
	Errorf(format string, arguments ...any)
	Fatalf(format string, arguments ...any)
}

// sandbox is an isolated place to run a program: a home, a working directory, an environment
// without our own variables, and its servers.
type sandbox struct {
	report
	dir, home string
	env       map[string]string
	servers   []*faults.Server // in the order of their start
	isPod     bool             // on Windows: it holds the lock of the only pod
}

// result is the outcome of one run.
type result struct {
	stdout, stderr string
	code           int // -1: ended by a signal
	signal         syscall.Signal
	took           time.Duration
	memory         int // the maximum, in KiB
}

// sanitized is true for the binary of ./dev tsan live: it takes longer, and 20 TB of address space.
var sanitized = os.Getenv("TSAN_OPTIONS") != ""

const patience = 90 * time.Second // limit for one run; an endless wait is a failure

func newSandbox(r report) *sandbox {
	dir, err := os.MkdirTemp("", "dsdoctor-client-")
	if err != nil {
		r.Fatalf("%v", err)
	}
	r.Cleanup(func() { os.RemoveAll(dir) })
	s := &sandbox{report: r, dir: dir}
	s.must(os.Chmod(dir, 0o755))
	path := "/usr/bin:/bin"
	if windows != nil {
		s.must(addDrive(dir)) // for kubectl, which is run for comparison
		s.dir = wine.Drive + dir
		path = "" // wine adds the path of its Windows
	}
	s.home = s.path("home")
	s.must(os.Mkdir(s.home, 0o755))
	s.env = map[string]string{"HOME": s.home, "PATH": path, "LC_ALL": "C.UTF-8"}
	if sanitized {
		s.env["TSAN_OPTIONS"] = os.Getenv("TSAN_OPTIONS")
	}
	return s
}

func (s *sandbox) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%v", err)
	}
}

func (s *sandbox) path(name string) string { return filepath.Join(s.dir, name) }

// write creates a file below the sandbox's folder and returns its path.
func (s *sandbox) write(name, content string) string {
	s.Helper()
	path := s.path(name)
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	s.must(os.WriteFile(path, []byte(content), 0o600))
	return path
}

// executable creates a program. No process may fork at the same time: the child would have the file
// open for writing for a moment, so that it cannot be executed ("text file busy").
func (s *sandbox) executable(name string, content []byte) string {
	s.Helper()
	path := s.path(name)
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	s.must(os.WriteFile(path, content, 0o755))
	return path
}

func (s *sandbox) read(name string) string {
	content, err := os.ReadFile(s.path(name))
	if err != nil && !os.IsNotExist(err) {
		s.Fatalf("%v", err)
	}
	return string(content)
}

// server starts a healthy server over TLS, modified by change.
func (s *sandbox) server(change ...func(*faults.Options)) *faults.Server {
	s.Helper()
	return s.serverOf(recorded, change...)
}

func (s *sandbox) serverOf(cluster *faults.Cluster, change ...func(*faults.Options)) *faults.Server {
	s.Helper()
	o := faults.Options{Identity: identity}
	for _, c := range change {
		c(&o)
	}
	server, err := faults.Start(cluster, o)
	s.must(err)
	s.Cleanup(server.Stop)
	s.servers = append(s.servers, server)
	return server
}

func plainHTTP(o *faults.Options) { *o = faults.Options{} }
func http1(o *faults.Options)     { o.HTTP1 = true }
func tls11(o *faults.Options)     { o.MinTLS, o.MaxTLS = tls.VersionTLS11, tls.VersionTLS11 }

func (s *sandbox) proxy(server *faults.Server, o faults.ProxyOptions) *faults.Proxy {
	s.Helper()
	proxy, err := faults.StartProxy(server.Addr, o)
	s.must(err)
	s.Cleanup(proxy.Stop)
	return proxy
}

// command prepares a run in the sandbox's folder and environment.
func (s *sandbox) command(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	command := s.start(ctx, program, arguments...)
	command.Dir = s.dir
	command.WaitDelay = time.Second
	return command
}

func (s *sandbox) start(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	if wine.IsForWindows(program) {
		if _, named := s.env["HOME"]; !named {
			program, arguments = "cmd", append([]string{"/c", s.withoutHome(program)}, arguments...)
		}
		return windows.Command(ctx, s.env, program, arguments...)
	}
	env := maps.Clone(s.env)
	if windows != nil {
		arguments = slices.Clone(arguments)
		for i := range arguments {
			arguments[i] = forLinux(arguments[i])
		}
		for name, value := range env {
			env[name] = forLinux(value)
		}
		env["PATH"] += ":/usr/bin:/bin"
	}
	command := exec.CommandContext(ctx, program, arguments...)
	command.Env = []string{} // nil would pass our environment
	for name, value := range env {
		command.Env = append(command.Env, name+"="+value)
	}
	return command
}

// run runs the binary to its end.
func (s *sandbox) run(arguments ...string) result {
	s.Helper()
	return s.runWith(nil, binary, arguments...)
}

// runWith runs a program with a changed command.
func (s *sandbox) runWith(change func(*exec.Cmd), program string, arguments ...string) result {
	s.Helper()
	r := s.runOnce(change, program, arguments...)
	if wine.IsForWindows(program) && wine.NeverBegan(r.code, r.stdout, r.stderr) {
		r = s.runOnce(change, program, arguments...)
	}
	return r
}

func (s *sandbox) runOnce(change func(*exec.Cmd), program string, arguments ...string) result {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	command := s.command(ctx, program, arguments...)
	command.Stdout, command.Stderr = &stdout, &stderr
	if change != nil {
		change(command)
	}
	begin := time.Now()
	err := command.Run()
	if ctx.Err() != nil {
		s.Fatalf("%s %q did not end within %s\nstderr: %s", filepath.Base(program), arguments, patience, stderr.String())
	}
	r := result{stdout: stdout.String(), stderr: stderr.String(), took: time.Since(begin)}
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit):
		r.code = exit.ExitCode()
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			r.signal = status.Signal()
		}
	default:
		s.Fatalf("%s: %v", program, err)
	}
	r.memory = int(command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	return r
}

// explain runs explain for all namespaces.
func (s *sandbox) explain(arguments ...string) result {
	s.Helper()
	return s.run(append([]string{"explain", "-A"}, arguments...)...)
}

func (r result) String() string {
	return fmt.Sprintf("exit %d (signal %d) after %s\nstdout: %s\nstderr: %s", r.code, r.signal,
		r.took.Round(time.Millisecond), clip(r.stdout), clip(r.stderr))
}

func clip(text string) string {
	const most = 1500
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// answered expects an answer and an empty stderr.
func (s *sandbox) answered(r result) {
	s.Helper()
	s.answeredSaying(r)
	if r.stderr != "" {
		s.Errorf("stderr is not empty: %s", clip(r.stderr))
	}
}

// answeredSaying expects an answer and these texts on stderr.
func (s *sandbox) answeredSaying(r result, texts ...string) {
	s.Helper()
	if r.code != 0 || !strings.Contains(r.stdout, "datadog") {
		s.Fatalf("no answer: %v", r)
	}
	s.contains("stderr", r.stderr, texts...)
}

// refused expects exit code 2, an empty stdout, and these texts (if none, any text) on stderr.
func (s *sandbox) refused(r result, texts ...string) {
	s.Helper()
	if r.code != 2 || r.stdout != "" || r.stderr == "" {
		s.Errorf("no clean failure: %v", r)
	}
	s.contains("stderr", r.stderr, texts...)
}

func (s *sandbox) contains(what, text string, wanted ...string) {
	s.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			s.Errorf("%s has no %q: %s", what, w, clip(text))
		}
	}
}

func (s *sandbox) lacks(what, text string, unwanted ...string) {
	s.Helper()
	for _, u := range unwanted {
		if strings.Contains(text, u) {
			s.Errorf("%s holds %q: %s", what, u, clip(text))
		}
	}
}

// asked expects at least one request, and check to accept each of them.
func (s *sandbox) asked(server *faults.Server, segment string, check func(faults.Request) error) {
	s.Helper()
	requests := server.Requests(segment)
	if len(requests) == 0 {
		s.Errorf("no request for %q arrived", segment)
	}
	for _, r := range requests {
		if err := check(r); err != nil {
			s.Errorf("%s %s?%s: %v", r.Method, r.Path, r.RawQuery, err)
			return
		}
	}
}

// untouched expects no requests.
func (s *sandbox) untouched(server *faults.Server) {
	s.Helper()
	if n := len(server.Requests("")); n > 0 {
		s.Errorf("%d requests arrived, none was allowed", n)
	}
}

func (s *sandbox) equal(what string, got, want any) {
	s.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("%s is %v, not %v", what, got, want)
	}
}

// header checks one header field; "" means that it is absent.
func header(name, want string) func(faults.Request) error {
	return func(r faults.Request) error {
		if got := strings.Join(r.Header.Values(name), "|"); got != want {
			return fmt.Errorf("%s is %q, not %q", name, got, want)
		}
		return nil
	}
}

// pipeTo gives a command a file like a FIFO: readable once, not seekable. Its name is /dev/fd/3.
func pipeTo(content string) func(*exec.Cmd) {
	return func(command *exec.Cmd) {
		reader, writer, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		go func() {
			io.WriteString(writer, content)
			writer.Close()
		}()
		command.ExtraFiles = []*os.File{reader}
	}
}

func (s *sandbox) hasFile(name string) bool {
	_, err := os.Stat(s.path(name))
	return err == nil
}

// list joins files as a variable contains them.
func (s *sandbox) list(files ...string) string {
	if windows != nil {
		return strings.Join(files, ";")
	}
	return strings.Join(files, ":")
}

// findsIn puts a folder of the sandbox at the beginning of PATH.
func (s *sandbox) findsIn(folder string) { s.env["PATH"] = s.list(s.path(folder), s.env["PATH"]) }

// seen returns the text that a login command has written to the file of that name.
func (s *sandbox) seen() string { return strings.TrimSpace(s.read("seen")) }

// lines counts the lines of a file: login commands append one per run.
func (s *sandbox) lines(name string) int { return strings.Count(s.read(name), "\n") }
