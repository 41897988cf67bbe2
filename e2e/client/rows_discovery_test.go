// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"sigs.k8s.io/yaml"

	"dsdoctor.dev/e2e/faults"
)

// discoveryRows are about the files that are read, and how they are merged.
var discoveryRows = []row{
	{number: 1, about: "--kubeconfig /nope: error, no request", check: func(s *sandbox) {
		server, _ := s.ready()
		s.refused(s.explain("--kubeconfig", "/nope"), "stat /nope: no such file or directory")
		s.untouched(server)
	}},
	{number: 2, about: "--kubeconfig= and KUBECONFIG=kc: kc", check: func(s *sandbox) {
		s.ready()
		s.answered(s.explain("--kubeconfig="))
	}},
	{number: 3, about: "--kubeconfig kc, broken KUBECONFIG: never opened", check: func(s *sandbox) {
		_, config := s.ready()
		s.env["KUBECONFIG"] = s.write("broken.yaml", "{{{")
		s.answered(s.explain("--kubeconfig", s.write("kc", config.String())))
	}},
	{number: 4, about: "KUBECONFIG=/missing:kc: kc, nothing printed", check: func(s *sandbox) {
		s.ready()
		s.env["KUBECONFIG"] = s.list("/missing", s.env["KUBECONFIG"])
		s.answered(s.explain())
	}},
	{number: 5, about: "KUBECONFIG=/m1:/m2, both missing: home not used; -v=1 names both", check: func(s *sandbox) {
		server, config := s.ready()
		s.write("home/.kube/config", config.String())
		s.env["KUBECONFIG"] = s.list("/m1", "/m2")
		s.refused(s.explain("-v=1"), "/m1, /m2", "localhost:8080")
		r := s.explain()
		s.refused(r, "localhost:8080")
		s.lacks("stderr", r.stderr, "/m1")
		s.untouched(server)
	}},
	{number: 6, about: "KUBECONFIG=: no files; home not used", check: func(s *sandbox) {
		server, config := s.ready()
		s.write("home/.kube/config", config.String())
		s.env["KUBECONFIG"] = s.list("", "")
		s.refused(s.explain(), "localhost:8080")
		s.untouched(server)
	}},
	{number: 7, about: "KUBECONFIG set and empty: home file", check: func(s *sandbox) {
		_, config := s.ready()
		s.write("home/.kube/config", config.String())
		s.env["KUBECONFIG"] = ""
		s.answered(s.explain())
	}},
	{number: 8, about: "KUBECONFIG=kc::kc: works", check: func(s *sandbox) {
		s.ready()
		s.env["KUBECONFIG"] = s.list(s.env["KUBECONFIG"], "", s.env["KUBECONFIG"])
		s.answered(s.explain())
	}},
	{number: 9, about: "a unparsable, b fine: fatal, names a", check: func(s *sandbox) {
		server, _ := s.ready()
		a := s.write("a", "{{{")
		s.env["KUBECONFIG"] = s.list(a, s.env["KUBECONFIG"])
		s.refused(s.explain(), a)
		s.untouched(server)
	}},
	{number: 10, about: "both unparsable: both named", check: func(s *sandbox) {
		a, b := s.write("a", "{{{"), s.write("b", "}")
		s.env["KUBECONFIG"] = s.list(a, b)
		s.refused(s.explain(), a, b)
	}},
	{number: 11, about: "KUBECONFIG=dir/: is a directory", check: func(s *sandbox) {
		s.env["KUBECONFIG"] = s.dir + "/"
		s.refused(s.explain(), s.dir, "is a directory")
	}},
	{number: 12, about: "mode 000, not root: permission denied, not missing", check: func(s *sandbox) {
		server, _ := s.ready()
		s.must(os.Chmod(s.env["KUBECONFIG"], 0))
		content, err := os.ReadFile(binary)
		s.must(err)
		program := s.executable(filepath.Base(binary), content) // in a folder where user nobody can execute it
		r := s.runWith(func(c *exec.Cmd) {
			if os.Getuid() == 0 {
				becomeNobody(c)
			}
		}, program, "explain", "-A")
		s.refused(r, s.env["KUBECONFIG"], "permission denied")
		s.untouched(server)
	}},
	{number: 13, about: "HOME unset, ./.kube/config exists: not used (D1), note at -v=1", check: func(s *sandbox) {
		server, config := s.ready()
		s.write(".kube/config", config.String())
		delete(s.env, "KUBECONFIG")
		delete(s.env, "HOME")
		s.refused(s.explain("-v=1"), "HOME", "localhost:8080")
		s.untouched(server)
	}},
	{number: 14, about: "zero-byte file first: the second is used", check: func(s *sandbox) {
		s.ready()
		s.env["KUBECONFIG"] = s.list(s.write("empty", ""), s.env["KUBECONFIG"])
		s.answered(s.explain())
	}},
	{number: 15, about: "comments only: as empty", check: func(s *sandbox) {
		s.ready()
		s.env["KUBECONFIG"] = s.list(s.write("comments", "# nothing\n\n  # here\n"), s.env["KUBECONFIG"])
		s.answered(s.explain())
	}},
	{number: 16, about: "two YAML documents: the first only", check: func(s *sandbox) {
		_, config := s.ready()
		other := configFor(s.server())
		other.user["token"] = "second"
		s.write("kc", config.String()+"---\n"+other.String())
		s.answered(s.explain())
	}},
	{number: 17, about: "JSON kubeconfig: accepted", check: func(s *sandbox) {
		_, config := s.ready()
		text, err := yaml.YAMLToJSON([]byte(config.String()))
		s.must(err)
		s.write("kc", string(text))
		s.answered(s.explain())
	}},
	{number: 18, about: "apiVersion: v2: fatal, names the file", check: func(s *sandbox) {
		server, config := s.ready()
		config.more["apiVersion"] = "v2"
		s.refused(func() result { s.use(config); return s.explain() }(), s.path("kc"))
		s.untouched(server)
	}},
	{number: 19, about: "no apiVersion and kind: accepted", check: func(s *sandbox) {
		_, config := s.ready()
		config.more = nil
		s.use(config)
		s.answered(s.explain())
	}},
	{number: 20, about: "u1 in a (token) and b (certificate): only a's token", check: func(s *sandbox) {
		server, config := s.ready()
		id, err := authority.Client("from-b")
		s.must(err)
		b := s.write("b", configFor(server).withCertificate(id).String())
		s.env["KUBECONFIG"] = s.list(s.use(config), b)
		s.answered(s.explain())
		s.asked(server, "nodes", header("Authorization", "Bearer T1"))
		s.asked(server, "nodes", clientName(""))
	}},
	{number: 21, about: "current-context empty in a, c2 in b: c2", check: func(s *sandbox) {
		server, config := s.ready()
		config.current = ""
		a := s.use(config)
		b := s.write("b", `{"current-context": "c2", "contexts": [{"name": "c2", "context": {"cluster": "k1", "user": "u2"}}],
			"users": [{"name": "u2", "user": {"token": "T2"}}]}`)
		s.env["KUBECONFIG"] = s.list(a, b)
		s.answered(s.explain())
		s.asked(server, "nodes", header("Authorization", "Bearer T2"))
	}},
	{number: 22, about: "a's current-context is defined only in b: works", check: func(s *sandbox) {
		_, config := s.ready()
		a := s.write("a", "current-context: c1\n")
		config.current = "other"
		s.env["KUBECONFIG"] = s.list(a, s.use(config))
		s.answered(s.explain())
	}},
	{number: 23, about: "relative certificate-authority: beside its file, from any folder", check: func(s *sandbox) {
		_, config := s.ready()
		delete(config.cluster, "certificate-authority-data")
		config.cluster["certificate-authority"] = "pki/ca.crt"
		s.write("x/pki/ca.crt", string(authority.PEM))
		s.env["KUBECONFIG"] = s.write("x/a.yaml", config.String())
		s.answered(s.explain())
		s.env["KUBECONFIG"] = "x/a.yaml"
		s.answered(s.explain())
	}},
	{number: 24, about: "--certificate-authority pki/ca.crt: of the working directory", check: func(s *sandbox) {
		_, config := s.ready()
		delete(config.cluster, "certificate-authority-data")
		s.env["KUBECONFIG"] = s.write("x/a.yaml", config.String())
		s.write("pki/ca.crt", string(authority.PEM))
		s.answered(s.explain("--certificate-authority", "pki/ca.crt"))
	}},
	{number: 25, about: "exec.command ./bin/login in /x/a.yaml: /x/bin/login; login: PATH", check: func(s *sandbox) {
		server, config := s.ready()
		s.script("x/bin/login", printToken("beside"))
		s.script("path/login", printToken("of-path"))
		s.findsIn("path")
		s.env["KUBECONFIG"] = s.write("x/a.yaml", config.withExec("./bin/login", nil).String())
		s.answered(s.explain())
		s.asked(server, "nodes", header("Authorization", "Bearer beside"))
		server.Forget()
		s.write("x/a.yaml", config.withExec("login", nil).String())
		s.answered(s.explain())
		s.asked(server, "nodes", header("Authorization", "Bearer of-path"))
	}},
	{number: 26, about: "cluster name twice in one file: fatal", check: func(s *sandbox) {
		server, config := s.ready()
		config.more["clusters"] = []fields{{"name": "k1", "cluster": config.cluster}, {"name": "k1", "cluster": config.cluster}}
		s.use(config)
		s.refused(s.explain(), "k1", s.path("kc"))
		s.untouched(server)
	}},
	{number: 27, about: `insecure-skip-tls-verify: yes / "true": true / error`, check: func(s *sandbox) {
		server, config := s.ready()
		delete(config.cluster, "certificate-authority-data")
		config.cluster["insecure-skip-tls-verify"] = "PLACE"
		s.write("kc", strings.Replace(config.String(), "PLACE", "yes", 1))
		s.answeredSaying(s.explain(), "insecure-skip-tls-verify")
		server.Forget()
		s.write("kc", strings.Replace(config.String(), "PLACE", `"true"`, 1))
		s.refused(s.explain(), "insecure-skip-tls-verify")
		s.untouched(server)
	}},
	{number: 28, about: "CA data with line breaks / with a blank: accepted / error", check: func(s *sandbox) {
		server, config := s.ready()
		data := base64.StdEncoding.EncodeToString(authority.PEM)
		config.cluster["certificate-authority-data"] = data[:40] + "\n" + data[40:90] + "\r\n" + data[90:]
		s.use(config)
		s.answered(s.explain())
		server.Forget()
		config.cluster["certificate-authority-data"] = data[:40] + " " + data[40:]
		s.use(config)
		s.refused(s.explain(), "certificate-authority-data")
		s.untouched(server)
	}},
	{number: 29, about: "--kubeconfig <(cat kc): works", check: func(s *sandbox) {
		_, config := s.ready()
		delete(s.env, "KUBECONFIG")
		s.answered(s.runWith(pipeTo(config.String()), binary, "explain", "-A", "--kubeconfig", "/dev/fd/3"))
	}},
	{number: 30, about: "the kubeconfig is a symlink: relative to the link's folder", check: func(s *sandbox) {
		_, config := s.ready()
		delete(config.cluster, "certificate-authority-data")
		config.cluster["certificate-authority"] = "ca.crt"
		s.write("link/ca.crt", string(authority.PEM))
		s.write("real/kc", config.String())
		s.env["KUBECONFIG"] = s.path("link/kc")
		s.must(os.Symlink("../real/kc", s.env["KUBECONFIG"]))
		s.answered(s.explain())
	}},
}

func becomeNobody(command *exec.Cmd) {
	const nobody = 65534
	change := func(c *exec.Cmd) {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	change(command)
	if forWindows(command) {
		moveTo("nobody", command, func(keeper *exec.Cmd) {
			change(keeper)
			os.Chown(keeper.Dir, nobody, nobody)
		})
	}
}

// clientName checks the name in the client certificate; "" for no certificate.
func clientName(want string) func(faults.Request) error {
	return func(r faults.Request) error {
		if r.ClientName != want {
			return fmt.Errorf("the client certificate is %q's, not %q's", r.ClientName, want)
		}
		return nil
	}
}

func portOf(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		panic(err) // the address is a listener's
	}
	return port
}

func mustJSON(text string, into any) error { return json.Unmarshal([]byte(text), into) }
