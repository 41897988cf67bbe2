// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dsdoctor.dev/e2e/faults"
	"dsdoctor.dev/e2e/pki"
)

// causes are failures beyond the numbered rows whose message has to name the cause.
var causes = []struct {
	name  string
	check func(s *sandbox)
}{
	{"a server that takes the connection and says nothing: the time limit is named", func(s *sandbox) {
		_, config := s.ready()
		address, stop, err := faults.Mute()
		s.must(err)
		defer stop()
		config.cluster["server"] = "https://" + address
		s.use(config)
		r := s.explain("--request-timeout=700ms")
		s.refused(r, "--request-timeout")
		s.between(r.took, 600*time.Millisecond, 5*second)
	}},
	{"an answer that never comes: the time limit is named", func(s *sandbox) {
		server, _ := s.ready()
		server.On("nodes", faults.Silence)
		s.refused(s.explain("--request-timeout=700ms"), "--request-timeout")
	}},
	{"half an answer that never goes on: the time limit is named", func(s *sandbox) {
		server, _ := s.ready(http1)
		server.On("nodes", faults.Trickle(faults.Healthy, 1000))
		s.refused(s.explain("--request-timeout=700ms"), "--request-timeout")
	}},
	{"an expired certificate: both dates", func(s *sandbox) {
		r := s.explainAgainst(serverAt(-30 * 24 * time.Hour))
		s.refused(r, "expired or is not yet valid", "current time "+time.Now().UTC().Format("2006-01-02"), "is after ")
		s.saysDay(r, time.Now().Add(-23*24*time.Hour))
	}},
	{"a certificate of the future: both dates", func(s *sandbox) {
		r := s.explainAgainst(serverAt(30 * 24 * time.Hour))
		s.refused(r, "expired or is not yet valid", "current time", "is before ")
		s.saysDay(r, time.Now().Add(30*24*time.Hour-time.Hour))
	}},
	{"another host's certificate: its names, the wanted one, the flag", func(s *sandbox) {
		s.refused(s.explainAgainst(func(a *pki.Authority) (pki.Identity, error) {
			return a.Server("one.example", "two.example", "10.0.0.1")
		}),
			"one.example", "two.example", "10.0.0.1", "127.0.0.1", "--tls-server-name")
	}},
	{"a strange authority: where the trust comes from", func(s *sandbox) {
		_, config := s.ready()
		delete(config.cluster, "certificate-authority-data")
		config.cluster["certificate-authority"] = s.write("other.crt", string(stranger.PEM))
		s.use(config)
		s.refused(s.explain(), "unknown authority", s.path("other.crt"))
	}},
	{"plain HTTP on a TLS port: said", func(s *sandbox) {
		server, config := s.ready(plainHTTP)
		config.cluster["server"] = "https://" + server.Addr
		s.use(config)
		s.refused(s.explain(), "HTTP response to HTTPS client")
		s.untouched(server)
	}},
	{"TLS on a plain port: https:// is missing", func(s *sandbox) {
		server, config := s.ready()
		config.cluster["server"] = "http://" + server.Addr
		s.use(config)
		s.refused(s.explain(), "https://")
	}},
	{"a client certificate is demanded: said", func(s *sandbox) {
		s.ready(func(o *faults.Options) { o.ClientCAs = authority.PEM })
		s.refused(s.explain(), "client certificate")
	}},
	{"a strange client certificate: said", func(s *sandbox) {
		_, config := s.ready(func(o *faults.Options) { o.ClientCAs = authority.PEM })
		id, err := stranger.Client("stranger")
		s.must(err)
		s.use(config.withCertificate(id))
		s.refused(s.explain(), "client certificate")
	}},
	{"a wrong proxy password: said, the password not", func(s *sandbox) {
		server, config := s.ready()
		proxy := s.proxy(server, faults.ProxyOptions{User: "u", Password: "right"})
		s.use(config.through("http://u:sesame@" + proxy.Addr))
		r := s.explain()
		s.refused(r, "Proxy Authentication Required")
		s.lacks("stderr", r.stderr, "sesame")
		s.untouched(server)
	}},
	{"a login page: the content type and what it may be", func(s *sandbox) {
		server, _ := s.ready()
		server.On("", faults.LoginPage)
		s.refused(s.explain(), "text/html", "login page")
	}},
	{"redirects within the origin: followed a few times, or refused", func(s *sandbox) {
		server, _ := s.ready()
		server.On("nodes", faults.Redirect("/api/v1/nodes?again=1"))
		s.refused(s.explain(), "redirect")
		s.atMost("requests", len(server.Requests("nodes")), 11)
		server.Forget()
		server.On("nodes", faults.Redirect("/api/v1/nodes?limit=500"), faults.Healthy)
		if r := s.explain(); r.code == 0 {
			s.answered(r)
			s.asked(server, "nodes", header("Authorization", "Bearer T1"))
		} else {
			s.refused(r, "redirect")
		}
	}},
	{"a server that repeats its continue token: not for ever", func(s *sandbox) {
		server, _ := s.ready()
		again := faults.JSON(`{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1","continue":"same"},"items":[]}`)
		enough := faults.Status(500, "InternalError", "enough")
		server.On("nodes", append(slices.Repeat([]faults.Answer{again}, 1000), enough)...)
		s.refused(s.explain())
		s.atMost("requests", len(server.Requests("nodes")), 1000)
	}},
	{"many warnings and a large header: taken", func(s *sandbox) {
		server, _ := s.ready()
		server.On("", faults.With(faults.Healthy, "X-Padding", strings.Repeat("x", 30000), "Warning", `299 - "one", 299 - "two \"quoted\""`, "Warning", "299 - broken", "Warning", "199 - \"other code\""))
		r := s.explain()
		s.answeredSaying(r, "Warning: one", `Warning: two "quoted"`)
		s.lacks("stderr", r.stderr, "broken", "other code")
	}},
}

// TestCauses checks that each cause is named.
func TestCauses(t *testing.T) {
	t.Parallel()
	for _, c := range causes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			findings := collect(t, c.check)
			symptom, isKnown := knownCauses[c.name]
			if reason, listed := failsOnWindows(t.Name()); listed {
				symptom, isKnown = reason, true
			}
			switch {
			case len(findings) > 0 && isKnown:
				t.Logf("known: %s\n%s", symptom, strings.Join(findings, "\n"))
			case len(findings) > 0:
				t.Error(strings.Join(findings, "\n"))
			case isKnown:
				t.Errorf("passes now: take it off the list of known failures (%s)", symptom)
			}
		})
	}
}

// explainAgainst runs explain against a server with a certificate of this kind.
func (s *sandbox) explainAgainst(sign func(*pki.Authority) (pki.Identity, error)) result {
	s.Helper()
	id, err := sign(authority)
	s.must(err)
	server, _ := s.ready(func(o *faults.Options) { o.Identity = id })
	r := s.explain()
	if n := len(server.Requests("")); n > 0 {
		s.Errorf("%s", fmt.Sprint(n, " requests went to a server that could not be trusted"))
	}
	return r
}

// saysDay expects a date in the format of Go or OpenSSL.
func (s *sandbox) saysDay(r result, day time.Time) {
	s.Helper()
	day = day.UTC()
	if !strings.Contains(r.stderr, day.Format("2006-01-02")) && !strings.Contains(r.stderr, day.Format("Jan _2")) {
		s.Errorf("the date %s is missing: %v", day.Format("2006-01-02"), r)
	}
}
