// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"dsdoctor.dev/e2e/faults"
)

// execRows are about login commands and their policy.
var execRows = []row{
	{number: 73, about: "token without expiry: one run, whatever the connections", check: func(s *sandbox) {
		server, config := s.ready()
		s.use(config.withExec(s.login(), nil))
		s.answered(s.explain("--chunk-size", "10"))
		s.equal("runs", s.lines("runs"), 1)
		s.asked(server, "", header("Authorization", "Bearer token-1"))
	}},
	{number: 74, about: "expired before the second page: second run", check: func(s *sandbox) {
		server, config := s.ready()
		expiry := time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339)
		s.use(config.withExec(s.script("login", printNumbered(expiry)...), nil))
		server.On("nodes", faults.After(3*time.Second, faults.Healthy), faults.Healthy)
		s.answered(s.explain("--chunk-size", "20"))
		s.equal("runs", s.lines("runs"), 2)
		nodes := server.Requests("nodes")
		s.equal("the last page's", nodes[len(nodes)-1].Header.Get("Authorization"), "Bearer token-2")
	}},
	{number: 75, about: "401 once, then another token: one repeat, then success", check: func(s *sandbox) {
		server, config := s.ready()
		s.use(config.withExec(s.login(), nil))
		server.On("", onlyFor("Bearer token-2"))
		s.answered(s.explain())
		s.equal("runs", s.lines("runs"), 2)
		s.atMost("requests for nodes", len(server.Requests("nodes")), 2)
	}},
	{number: 76, about: "401 always: two runs at most", check: func(s *sandbox) {
		server, config := s.ready()
		s.use(config.withExec(s.login(), nil))
		server.On("", faults.Status(401, "Unauthorized", "Unauthorized"))
		s.refused(s.explain(), "error: You must be logged in to the server (Unauthorized)")
		s.atMost("runs", s.lines("runs"), 2)
	}},
	{number: 77, about: "exits 3 with a token on stdout: told, token never shown", check: func(s *sandbox) {
		server, config := s.ready()
		s.use(config.withExec(s.script("login", printToken("sesame"), exitWith(3)), nil))
		r := s.explain("-v=10")
		s.refused(r, "failed with exit code 3")
		s.lacks("stderr", r.stderr, "sesame")
		s.untouched(server)
	}},
	{number: 78, about: "missing, hint with ESC: U+001B", check: func(s *sandbox) {
		_, config := s.ready()
		s.use(config.withExec("no-such-login", fields{"installHint": "install \x1b[31mit\x1b[0m please"}))
		r := s.explain()
		s.refused(r, "no-such-login", "not found", "U+001B", "please")
		s.lacks("stderr", r.stderr, "\x1b")
	}},
	{number: 79, about: "v1beta1 printed, v1 configured: mismatch", check: func(s *sandbox) {
		server, config := s.ready()
		s.use(config.withExec(s.script("login", says(strings.ReplaceAll(credential("sesame"), "k8s.io/v1", "k8s.io/v1beta1"))), nil))
		r := s.explain()
		s.refused(r, "client.authentication.k8s.io/v1", "returned version", "v1beta1")
		s.lacks("stderr", r.stderr, "sesame")
		s.untouched(server)
	}},
	{number: 80, about: "apiVersion v1alpha1: invalid", check: func(s *sandbox) {
		server, config := s.ready()
		s.use(config.withExec(s.login(), fields{"apiVersion": "client.authentication.k8s.io/v1alpha1"}))
		s.refused(s.explain(), "invalid apiVersion", "v1alpha1")
		s.untouched(server)
	}},
	{number: 81, about: "v1 without interactiveMode: fatal", check: func(s *sandbox) {
		_, config := s.ready()
		s.use(config.withExec(s.login(), fields{"interactiveMode": nil}))
		s.refused(s.explain(), "interactiveMode must be specified")
		s.equal("runs", s.lines("runs"), 0)
	}},
	{number: 82, about: "Always, stdin is no terminal: error, not started", check: func(s *sandbox) {
		_, config := s.ready()
		s.use(config.withExec(s.login(), fields{"interactiveMode": "Always"}))
		s.refused(s.explain(), "terminal")
		s.equal("runs", s.lines("runs"), 0)
	}},
	{number: 83, about: "Never on a terminal: EOF on stdin; IfAvailable: the terminal", check: func(s *sandbox) {
		_, config := s.ready()
		login := s.script("login", seeStdin, printToken("T"))
		s.use(config.withExec(login, nil))
		s.answered(s.runOnTerminal("explain", "-A"))
		s.equal("stdin", s.seen(), "eof")
		s.use(config.withExec(login, fields{"interactiveMode": "IfAvailable"}))
		s.answered(s.runOnTerminal("explain", "-A"))
		s.equal("stdin", s.seen(), "terminal")
	}},
	{number: 84, about: "provideClusterInfo with a CA file: its base64", check: func(s *sandbox) {
		server, config := s.ready()
		delete(config.cluster, "certificate-authority-data")
		config.cluster["certificate-authority"] = s.write("ca.crt", string(authority.PEM))
		config.withExec(s.script("login", keep("KUBERNETES_EXEC_INFO", "info"), printToken("T")), fields{"provideClusterInfo": true})
		s.use(config)
		s.answered(s.explain())
		var info struct {
			APIVersion string
			Spec       struct {
				Interactive bool
				Cluster     struct {
					Server string
					CA     string `json:"certificate-authority-data"`
				}
			}
		}
		s.must(mustJSON(s.read("info"), &info))
		s.equal("the CA", info.Spec.Cluster.CA, base64.StdEncoding.EncodeToString(authority.PEM))
		s.equal("the server", info.Spec.Cluster.Server, server.URL)
		s.equal("interactive", info.Spec.Interactive, false)
	}},
	{number: 85, about: "env sets PATH: the command sees it, its lookup uses ours", check: func(s *sandbox) {
		_, config := s.ready()
		s.script("path/login", keep("PATH", "seen"), printToken("T"))
		s.findsIn("path")
		s.use(config.withExec("login", fields{"env": []fields{{"name": "PATH", "value": "/elsewhere"}}}))
		s.answered(s.explain())
		s.equal("PATH", s.seen(), "/elsewhere")
	}},
	{number: 86, about: "kuberc DenyAll: not started", check: func(s *sandbox) {
		server, config := s.ready()
		s.use(config.withExec(s.login(), nil))
		s.kuberc("credentialPluginPolicy: DenyAll\n")
		s.refused(s.explain(), `not allowed: policy set to "DenyAll"`)
		s.equal("runs", s.lines("runs"), 0)
		s.untouched(server)
	}},
	{number: 87, about: "kuberc Allowlist with the base name of the same file: allowed, others not", check: func(s *sandbox) {
		_, config := s.ready()
		login := s.script("path/login", countRun, printToken("T"))
		s.findsIn("path")
		s.use(config.withExec(login, nil))
		s.kuberc(allowsLogin)
		s.answered(s.explain())
		s.equal("runs", s.lines("runs"), 1)
		s.kuberc("credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist:\n- command: other\n")
		s.refused(s.explain(), "is not permitted by the credential plugin allowlist")
		s.equal("runs", s.lines("runs"), 1)
	}},
	{number: 88, about: "kuberc Allowlist without a list: configuration error", check: func(s *sandbox) {
		_, config := s.ready()
		s.use(config.withExec(s.login(), nil))
		s.kuberc("credentialPluginPolicy: Allowlist\n")
		s.refused(s.explain(), "llowlist")
		s.equal("runs", s.lines("runs"), 0)
	}},
	{number: 89, about: "KUBERC=off with DenyAll at home: runs", check: func(s *sandbox) {
		_, config := s.ready()
		s.use(config.withExec(s.login(), nil))
		s.kuberc("credentialPluginPolicy: DenyAll\n")
		s.env["KUBERC"] = "off"
		s.answered(s.explain())
		s.equal("runs", s.lines("runs"), 1)
	}},
}

func (s *sandbox) kuberc(policy string) {
	s.Helper()
	s.write("home/.kube/kuberc", "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n"+policy)
}

// onlyFor answers requests with that Authorization, and sends 401 to all others.
func onlyFor(authorization string) faults.Answer {
	return func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
		if r.Header.Get("Authorization") == authorization {
			cluster.ServeHTTP(w, r)
			return
		}
		faults.Status(401, "Unauthorized", "Unauthorized")(w, r, cluster)
	}
}

func (s *sandbox) atMost(what string, got, most int) {
	s.Helper()
	if got > most {
		s.Errorf("%s: %d, at most %d are allowed", what, got, most)
	}
}

// runOnTerminal runs the binary with its own terminal as standard input.
func (s *sandbox) runOnTerminal(arguments ...string) result {
	s.Helper()
	controller, terminal, err := openTerminal()
	s.must(err)
	defer controller.Close()
	defer terminal.Close()
	if windows != nil { // the console drops text that was typed before it is open
		go func() {
			for closed := error(nil); closed == nil; time.Sleep(300 * time.Millisecond) {
				_, closed = controller.WriteString("typed\r")
			}
		}()
	}
	return s.runWith(func(c *exec.Cmd) { c.Stdin = terminal }, binary, arguments...)
}

func openTerminal() (controller, terminal *os.File, err error) {
	if controller, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	number, err := unlockTerminal(controller)
	if err != nil {
		return nil, nil, err
	}
	terminal, err = os.OpenFile(filepath.Join("/dev/pts", fmt.Sprint(number)), os.O_RDWR, 0)
	return controller, terminal, err
}
