// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"dsdoctor.dev/e2e/faults"
)

// contextRows are about contexts, overrides by flags, and conflicts.
var contextRows = []row{
	{number: 31, about: "--context nope: does not exist", check: func(s *sandbox) {
		server, _ := s.ready()
		s.refused(s.explain("--context", "nope"), `error: context "nope" does not exist`)
		s.untouched(server)
	}},
	{number: 32, about: "current-context: nope: error in configuration", check: func(s *sandbox) {
		_, config := s.ready()
		config.current = "nope"
		s.use(config)
		s.refused(s.explain(), "Error in configuration: context was not found for specified context: nope")
	}},
	{number: 33, about: "--cluster nope / --user nope: does not exist", check: func(s *sandbox) {
		s.ready()
		s.refused(s.explain("--cluster", "nope"), `error: cluster "nope" does not exist`)
		s.refused(s.explain("--user", "nope"), `error: auth info "nope" does not exist`)
	}},
	{number: 34, about: "--user nope --context nope2: the user's error", check: func(s *sandbox) {
		s.ready()
		r := s.explain("--context", "nope2", "--user", "nope")
		s.refused(r, `auth info "nope" does not exist`)
		s.lacks("stderr", r.stderr, "nope2")
	}},
	{number: 35, about: "context with a missing cluster: D4 error; none with --server", check: func(s *sandbox) {
		server, config := s.ready()
		config.context["cluster"] = "gone"
		s.use(config)
		s.refused(s.explain(), "c1", "gone")
		s.untouched(server)
		ca := s.write("ca.crt", string(authority.PEM))
		s.answered(s.explain("--server", server.URL, "--certificate-authority", ca))
	}},
	{number: 36, about: "context with a missing user: anonymous request", check: func(s *sandbox) {
		server, config := s.ready()
		config.context["user"] = "gone"
		s.use(config)
		s.answered(s.explain())
		s.asked(server, "", header("Authorization", ""))
	}},
	{number: 37, about: "tls-server-name a, --server: SNI is not a", check: func(s *sandbox) {
		server, config := s.ready()
		config.cluster["tls-server-name"] = "a.example.com"
		s.use(config)
		s.answered(s.explain("--server", server.URL))
		s.asked(server, "", serverName(""))
	}},
	{number: 38, about: "and --tls-server-name b: SNI b, Host the address", check: func(s *sandbox) {
		server, config := s.ready()
		config.cluster["tls-server-name"] = "a.example.com"
		s.use(config)
		s.answered(s.explain("--server", server.URL, "--tls-server-name", "b.example.com"))
		s.asked(server, "", serverName("b.example.com"))
		s.asked(server, "", hostIs(server.Addr))
		r := s.explain("--server", server.URL, "--tls-server-name", "b.elsewhere.com")
		s.refused(r, "b.elsewhere.com", "x509")
	}},
	{number: 39, about: "kubeconfig insecure, --insecure-skip-tls-verify=false: still insecure", check: func(s *sandbox) {
		_, config := s.ready()
		delete(config.cluster, "certificate-authority-data")
		config.cluster["insecure-skip-tls-verify"] = true
		s.use(config)
		s.answeredSaying(s.explain("--insecure-skip-tls-verify=false"), "not verified")
	}},
	{number: 40, about: "kubeconfig insecure, --certificate-authority: verified", check: func(s *sandbox) {
		server, config := s.ready()
		delete(config.cluster, "certificate-authority-data")
		config.cluster["insecure-skip-tls-verify"] = true
		s.use(config)
		s.answered(s.explain("--certificate-authority", s.write("ca.crt", string(authority.PEM))))
		server.Forget()
		s.refused(s.explain("--certificate-authority", s.write("other.crt", string(stranger.PEM))), "unknown authority")
		s.untouched(server)
	}},
	{number: 41, about: "CA data, --insecure-skip-tls-verify: connects, one warning", check: func(s *sandbox) {
		_, config := s.ready()
		config.cluster["certificate-authority-data"] = base64.StdEncoding.EncodeToString(stranger.PEM)
		s.use(config)
		r := s.explain("--insecure-skip-tls-verify")
		s.answeredSaying(r, "not verified")
		s.equal("lines on stderr", strings.Count(r.stderr, "\n"), 1)
	}},
	{number: 42, about: "both flags: fatal", check: func(s *sandbox) {
		server, _ := s.ready()
		ca := s.write("ca.crt", string(authority.PEM))
		s.refused(s.explain("--insecure-skip-tls-verify", "--certificate-authority", ca), "insecure")
		s.untouched(server)
	}},
	{number: 43, about: "--client-certificate beside an inline key: mismatch is said", check: func(s *sandbox) {
		server, config := s.ready()
		mine, err := authority.Client("mine")
		s.must(err)
		other, err := authority.Client("other")
		s.must(err)
		s.use(config.withCertificate(mine))
		s.answered(s.explain("--client-certificate", s.write("mine.crt", string(mine.Cert))))
		s.asked(server, "", clientName("mine"))
		server.Forget()
		s.refused(s.explain("--client-certificate", s.write("other.crt", string(other.Cert))), "private key does not match")
		s.untouched(server)
	}},
	{number: 44, about: "certificate without key: fatal", check: func(s *sandbox) {
		server, config := s.ready()
		id, err := authority.Client("mine")
		s.must(err)
		config.withCertificate(id)
		delete(config.user, "client-key-data")
		s.use(config)
		s.refused(s.explain(), "Error in configuration", "client-key-data or client-key must be specified for u1")
		s.untouched(server)
	}},
	{number: 45, about: "token and username: fatal", check: func(s *sandbox) {
		server, config := s.ready()
		config.user["username"] = "somebody"
		s.use(config)
		s.refused(s.explain(), "more than one authentication method found for u1", "[token basicAuth]")
		s.untouched(server)
	}},
	{number: 46, about: "token and client certificate: both", check: func(s *sandbox) {
		server, config := s.ready()
		id, err := authority.Client("mine")
		s.must(err)
		config.withCertificate(id)
		config.user["token"] = token
		s.use(config)
		s.answered(s.explain())
		s.asked(server, "", clientName("mine"))
		s.asked(server, "", header("Authorization", "Bearer T1"))
	}},
	{number: 47, about: "--token T2: T2", check: func(s *sandbox) {
		server, _ := s.ready()
		s.answered(s.explain("--token", "T2"))
		s.asked(server, "", header("Authorization", "Bearer T2"))
	}},
	{number: 48, about: "--token T2 with exec: not started", check: func(s *sandbox) {
		server, config := s.ready()
		s.use(config.withExec(s.script("login", leave("ran"), printToken("T3")), nil))
		s.answered(s.explain("--token", "T2"))
		s.asked(server, "", header("Authorization", "Bearer T2"))
		s.lacksFile("ran")
	}},
	{number: 49, about: "--token T2 with tokenFile: T2 (D5)", check: func(s *sandbox) {
		server, config := s.ready()
		config.user = fields{"tokenFile": s.write("token", "T3\n")}
		s.use(config)
		s.answered(s.explain("--token", "T2"))
		s.asked(server, "", header("Authorization", "Bearer T2"))
		server.Forget()
		s.answered(s.explain())
		s.asked(server, "", header("Authorization", "Bearer T3"))
	}},
	{number: 50, about: "two problems: a prefix line and two * lines", check: func(s *sandbox) {
		_, config := s.ready()
		id, err := authority.Client("mine")
		s.must(err)
		config.withCertificate(id)
		delete(config.user, "client-key-data")
		delete(config.cluster, "certificate-authority-data")
		config.cluster["certificate-authority"] = "nope.crt"
		s.use(config)
		r := s.explain()
		s.refused(r, "Error in configuration:", "\n* client-key-data", "\n* unable to read certificate-authority "+s.shown("nope.crt"))
		s.equal("problems", strings.Count(r.stderr, "\n* "), 2)
	}},
	{number: 51, about: "another user is broken: no error", check: func(s *sandbox) {
		_, config := s.ready()
		config.more["users"] = []fields{{"name": "u1", "user": config.user},
			{"name": "broken", "user": fields{"client-certificate": "/nope", "token": "x", "username": "y"}}}
		s.use(config)
		s.answered(s.explain())
	}},
	{number: 52, about: "server without scheme: plain http, no Authorization", check: func(s *sandbox) {
		server, config := s.ready(plainHTTP)
		config.cluster["server"] = server.Addr
		s.use(config)
		s.answered(s.explain())
		s.asked(server, "", header("Authorization", ""))
	}},
	{number: 53, about: "server with a path prefix: kept, no //", check: func(s *sandbox) {
		server, config := s.ready()
		config.cluster["server"] = server.URL + "/prefix/"
		s.use(config)
		s.explain()
		s.asked(server, "", func(r faults.Request) error {
			if !strings.HasPrefix(r.Path, "/prefix/") || strings.Contains(r.Path, "//") {
				return fmt.Errorf("the path is %s", r.Path)
			}
			return nil
		})
	}},
	{number: 54, about: "server with query and fragment: dropped", check: func(s *sandbox) {
		server, config := s.ready()
		config.cluster["server"] = server.URL + "/p?x=1#f"
		s.use(config)
		s.explain()
		s.asked(server, "", func(r faults.Request) error {
			if !strings.HasPrefix(r.Path, "/p/") || r.Query.Has("x") || strings.Contains(r.RawQuery, "#") {
				return fmt.Errorf("query or fragment was kept")
			}
			return nil
		})
	}},
	{number: 55, about: "u:p in the URL: Basic over https, never printed; refused over http (D12)", check: func(s *sandbox) {
		server, config := s.ready()
		config.user = fields{}
		config.cluster["server"] = "https://u:sesame@" + server.Addr
		s.use(config)
		r := s.explain("-v=10", "-o", "json")
		s.answeredSaying(r)
		s.asked(server, "", header("Authorization", faults.BasicAuth("u", "sesame")))
		s.lacks("output", r.stdout+r.stderr, "sesame", faults.BasicAuth("u", "sesame")[6:])
		plain := s.server(plainHTTP)
		config.cluster["server"] = "http://u:sesame@" + plain.Addr
		s.use(config)
		r = s.explain("-v=10")
		s.refused(r, "https")
		s.lacks("stderr", r.stderr, "sesame")
		s.untouched(plain)
	}},
	{number: 56, about: "--request-timeout 1, the server waits 3 s: fails after 1 s, timeout=1s was asked", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("", faults.After(6*time.Second, faults.Healthy)) // longer than a run takes on a slow machine
		r := s.explain("--request-timeout", "1")
		s.refused(r, "imeout")
		s.between(r.took, 900*time.Millisecond, 4*time.Second)
		s.asked(server, "", func(r faults.Request) error {
			if r.Query.Get("timeout") != "1s" {
				return fmt.Errorf("timeout=1s is missing")
			}
			return nil
		})
	}},
	{number: 57, about: "--request-timeout abc / -5 / -5s / 0: error / error / none / none", check: func(s *sandbox) {
		server, _ := s.ready()
		for _, wrong := range []string{"abc", "-5"} {
			s.refused(s.explain("--request-timeout="+wrong), "nvalid", "imeout")
		}
		s.untouched(server)
		for _, none := range []string{"-5s", "0"} {
			s.answered(s.explain("--request-timeout=" + none))
		}
		s.asked(server, "", func(r faults.Request) error {
			if r.Query.Has("timeout") {
				return fmt.Errorf("a timeout was sent")
			}
			return nil
		})
	}},
	{number: 58, about: "--as-group a,b --as x: one header a,b", check: func(s *sandbox) {
		server, _ := s.ready()
		s.answered(s.explain("--as-group", "a,b", "--as", "x"))
		s.asked(server, "", header("Impersonate-Group", "a,b"))
		s.asked(server, "", header("Impersonate-User", "x"))
		server.Forget()
		s.answered(s.explain("--as-group", "a", "--as-group", "b", "--as", "x"))
		s.asked(server, "", header("Impersonate-Group", "a|b"))
	}},
	{number: 59, about: "--as-group without --as: fatal", check: func(s *sandbox) {
		server, _ := s.ready()
		s.refused(s.explain("--as-group", "g"), "without impersonating a user")
		s.untouched(server)
	}},
	{number: 60, about: "--as-user-extra scopes/é=v: escaped header name", check: func(s *sandbox) {
		server, _ := s.ready()
		s.answered(s.explain("--as", "x", "--as-user-extra", "scopes/é=v"))
		s.asked(server, "", func(r faults.Request) error {
			for name, values := range r.Header {
				if strings.EqualFold(name, "Impersonate-Extra-scopes%2F%C3%A9") && values[0] == "v" {
					return nil
				}
			}
			return fmt.Errorf("the header is missing: %v", r.Header)
		})
	}},
	{number: 61, about: `token "abc\n" in the kubeconfig: fatal, not shown`, check: func(s *sandbox) {
		server, config := s.ready()
		config.user["token"] = "sesame\n"
		s.use(config)
		r := s.explain("-v=10")
		s.refused(r, "u1", "header")
		s.lacks("stderr", r.stderr, "sesame")
		s.untouched(server)
	}},
}

func serverName(want string) func(faults.Request) error {
	return func(r faults.Request) error {
		if r.ServerName != want {
			return fmt.Errorf("SNI is %q, not %q", r.ServerName, want)
		}
		return nil
	}
}

func hostIs(want string) func(faults.Request) error {
	return func(r faults.Request) error {
		if r.Host != want {
			return fmt.Errorf("Host is %q, not %q", r.Host, want)
		}
		return nil
	}
}

func (s *sandbox) between(took, least, most time.Duration) {
	s.Helper()
	if sanitized || windows != nil {
		most *= 4
	}
	if took < least || took > most {
		s.Errorf("it took %s, not %s to %s", took, least, most)
	}
}

// lacksFile expects that the file was not created in the sandbox.
func (s *sandbox) lacksFile(name string) {
	s.Helper()
	if s.hasFile(name) {
		s.Errorf("%s is there: something ran that must not", name)
	}
}
