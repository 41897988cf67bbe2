// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"dsdoctor.dev/e2e/faults"
)

// outputRows are about errors, retries and terminal output.
var outputRows = []row{
	{number: 134, about: "nothing listens: refused", check: func(s *sandbox) {
		_, config := s.ready()
		address := s.refusing(config)
		s.use(config)
		s.refused(s.explain(), "The connection to the server "+address+" was refused - did you specify the right host or port?")
	}},
	{number: 135, about: "unknown host: named", check: func(s *sandbox) {
		_, config := s.ready()
		s.use(config.through(""))
		s.refused(s.runWith(withoutNetwork, binary, "explain", "-A"), "Unable to connect to the server: ", proxiedName)
	}},
	{number: 136, about: "401 Status: must be logged in", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("", faults.Status(401, "Unauthorized", "Unauthorized"))
		s.refused(s.explain(), "error: You must be logged in to the server (Unauthorized)")
	}},
	{number: 137, about: "403 on pods only: partial answer, note", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("pods", faults.Status(403, "Forbidden", `pods is forbidden: User "viewer" cannot list resource "pods"`))
		r := s.explain("-o", "json")
		s.answeredSaying(r)
		s.contains("stdout", r.stdout, `"resource": "pods"`, `"reason": "Forbidden"`, "cannot list resource")
		r = s.explain()
		s.contains("output", r.stdout+r.stderr, "pods", "list")
	}},
	{number: 138, about: "429, Retry-After: 1, then 200: success after 1 s", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("nodes", faults.With(faults.Status(429, "TooManyRequests", "later"), "Retry-After", "1"), faults.Healthy)
		r := s.explain()
		s.answered(r)
		s.between(r.took, second, 3*second)
	}},
	{number: 139, about: "429 without Retry-After: error after three attempts at most", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("daemonsets", faults.Status(429, "TooManyRequests", "later"))
		s.refused(s.explain(), "Error from server (TooManyRequests): later")
		s.atMost("attempts", len(server.Requests("daemonsets")), 3)
	}},
	{number: 140, about: "503, Retry-After: 0, eleven times: 11 attempts, then error", check: func(s *sandbox) {
		server, _ := s.ready()
		busy := faults.With(faults.Status(503, "ServiceUnavailable", "busy"), "Retry-After", "0")
		server.On("daemonsets", busy)
		s.refused(s.explain(), "Error from server (ServiceUnavailable): busy")
		s.equal("attempts", len(server.Requests("daemonsets")), 11)
		server.On("daemonsets", busy, busy, busy, busy, busy, busy, busy, busy, busy, busy, faults.Healthy)
		s.answered(s.explain())
	}},
	{number: 141, about: "500 with Retry-After as a date: no number", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("daemonsets", faults.With(faults.Status(500, "InternalError", "broken"), "Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"))
		r := s.explain()
		s.refused(r, "Error from server (InternalError): broken")
		s.equal("attempts", len(server.Requests("daemonsets")), 1)
	}},
	{number: 142, about: "reset before the head, then 200: success, 1 s later", check: func(s *sandbox) {
		for _, version := range []func(*faults.Options){http1, func(*faults.Options) {}} {
			server, _ := s.ready(version)
			server.On("nodes", faults.Reset, faults.Healthy)
			r := s.explain()
			s.answered(r)
			s.between(r.took, second, 3*second)
			s.equal("attempts", len(server.Requests("nodes")), 2)
		}
	}},
	{number: 143, about: "502 with 1 MB of HTML: 2048 bytes at most, sanitised", check: func(s *sandbox) {
		server, _ := s.ready()
		page := append([]byte("<html>\x1b]0;title\x07\r"), bytes.Repeat([]byte("x"), 1<<20)...)
		server.On("daemonsets", faults.Body(502, "text/html", page))
		r := s.explain()
		s.refused(r, "Error from server")
		s.lacks("stderr", r.stderr, "\x1b", "\x07", "\r")
		s.atMost("bytes on stderr", len(r.stderr), 2048+600)
	}},
	{number: 144, about: "names and texts with ESC, CR, U+202E: escaped in tables and errors, exact in JSON", check: checkHostileText},
	{number: 145, about: "the same Warning header twice: printed once", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("", faults.With(faults.Healthy, "Warning", `299 - "old API"`, "Warning", `299 - "old API"`))
		r := s.explain()
		s.answeredSaying(r, "Warning: old API")
		s.equal("warnings", strings.Count(r.stderr, "old API"), 1)
	}},
	{number: 146, about: "-v=9: no token, password, proxy password", check: func(s *sandbox) {
		server, config := s.ready()
		proxy := s.proxy(server, faults.ProxyOptions{User: "u", Password: "proxy-sesame"})
		config.user["token"] = "open-sesame"
		s.use(config.through(proxy.URL))
		r := s.explain("-v=9")
		s.answeredSaying(r, "GET", "/api/v1/nodes", "<masked>")
		s.lacks("output", r.stdout+r.stderr, "open-sesame", "proxy-sesame", faults.BasicAuth("u", "proxy-sesame")[6:])
		config.user = fields{"username": "somebody", "password": "open-sesame"}
		s.use(config)
		r = s.explain("-v=9")
		s.answeredSaying(r, "<masked>")
		s.lacks("output", r.stdout+r.stderr, "open-sesame", faults.BasicAuth("somebody", "open-sesame")[6:])
	}},
	{number: 147, about: "-v=8 with a protobuf body: hex dump cut at 1024", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("nodes", asProtobuf(nil))
		r := s.explain("-v=8")
		s.answeredSaying(r, "6b 38 73 00")
		s.lacks("stderr", r.stderr, "k8s\x00")
		s.contains("stderr", r.stderr, "truncated")
	}},
	{number: 148, about: "stdout closed early: no error text", check: func(s *sandbox) {
		server, _ := s.ready()
		reader, writer, err := os.Pipe()
		s.must(err)
		reader.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		command := s.command(ctx, binary, "explain", "-A", "-o", "json")
		var stderr bytes.Buffer
		command.Stdout, command.Stderr = writer, &stderr
		command.Run()
		s.equal("stderr", stderr.String(), "")
		s.asked(server, "nodes", header("Authorization", "Bearer T1"))
	}},
	{number: 149, about: "Ctrl-C during a list: ends within 1 s, as 130", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("nodes", faults.Silence)
		command := s.command(context.Background(), binary, "explain", "-A")
		var stderr bytes.Buffer
		command.Stderr = &stderr
		s.must(command.Start())
		for deadline := time.Now().Add(10 * second); len(server.Requests("nodes")) == 0 && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
		}
		begin := time.Now()
		s.must(command.Process.Signal(os.Interrupt))
		command.Wait()
		s.between(time.Since(begin), 0, second)
		status := command.ProcessState.Sys().(syscall.WaitStatus)
		wanted := 130
		if windows != nil {
			wanted = 0x3a // low byte of STATUS_CONTROL_C_EXIT, which wine returns
		}
		if byItself := status.Signaled() && status.Signal() == syscall.SIGINT; !byItself && status.ExitStatus() != wanted {
			s.Errorf("it ended with status %d (signal %d)", status.ExitStatus(), status.Signal())
		}
		s.lacks("stderr", stderr.String(), "terminate", "internal")
	}},
	{number: 150, about: "as-uid only, plain http server: validation error all the same", check: func(s *sandbox) {
		server, config := s.ready(plainHTTP)
		config.cluster = fields{"server": server.URL}
		config.user = fields{"as-uid": "1000"}
		s.use(config)
		s.refused(s.explain(), "without impersonating a user")
		s.untouched(server)
	}},
}

func checkHostileText(s *sandbox) {
	const hostile = "pod-\x1b]0;owned\x07\r\u202eexe"
	dangerous := []string{"\x1b", "\x07", "\r", "\u202e"}
	server, _ := s.ready()
	server.On("pods", itemsEdited(func(pod map[string]any) { set(pod, hostile, "metadata", "name") }))
	for _, format := range []string{"table", "wide"} {
		r := s.explain("-o", format)
		s.answeredSaying(r)
		s.lacks("output as "+format, r.stdout+r.stderr, dangerous...)
	}
	r := s.explain("-o", "json")
	s.answeredSaying(r)
	var answer any
	s.must(mustJSON(r.stdout, &answer))
	s.contains("the decoded answer", fmt.Sprint(answer), hostile)
	s.lacks("the JSON", r.stdout, "\x1b", "\x07", "\r")
	server.On("daemonsets", faults.Status(http.StatusForbidden, "Forbidden", "no "+hostile))
	r = s.explain()
	s.refused(r, "Forbidden", "owned")
	s.lacks("stderr", r.stderr, dangerous...)
}

// refusing replaces the kubeconfig's server by a port that refuses connections.
func (s *sandbox) refusing(k *kubeconfig) string {
	s.Helper()
	address, release, err := faults.Refusing()
	s.must(err)
	s.Cleanup(release)
	k.cluster["server"] = "https://" + address
	return address
}
