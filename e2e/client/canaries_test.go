// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	"dsdoctor.dev/e2e/faults"
	"dsdoctor.dev/e2e/pki"
)

// A secret is a kind of credential whose words must not appear in any output.
type secret struct {
	name string
	// arrange adds it to the kubeconfig and returns the words.
	arrange func(s *sandbox, k *kubeconfig) []string
}

const canary = "canary-4f1e"

var secrets = []secret{
	{"token", func(_ *sandbox, k *kubeconfig) []string {
		k.user = fields{"token": canary}
		return []string{canary}
	}},
	{"token file", func(s *sandbox, k *kubeconfig) []string {
		k.user = fields{"tokenFile": s.write("token", canary+"\n")}
		return []string{canary}
	}},
	{"password", func(_ *sandbox, k *kubeconfig) []string {
		k.user = fields{"username": "somebody", "password": canary}
		return []string{canary, faults.BasicAuth("somebody", canary)[len("Basic "):]}
	}},
	{"client key", func(s *sandbox, k *kubeconfig) []string {
		id := certificateOf(s, "somebody")
		k.withCertificate(id)
		return keyWords(id)
	}},
	{"login command", func(s *sandbox, k *kubeconfig) []string {
		k.withExec(s.script("login", printToken(canary)),
			fields{"env": []fields{{"name": "SECRET", "value": "env-" + canary}}})
		return []string{canary}
	}},
	{"proxy password", func(s *sandbox, k *kubeconfig) []string {
		k.user = fields{"token": "open"}
		s.proxyFor(k, canary)
		return []string{canary, faults.BasicAuth("somebody", canary)[len("Basic "):]}
	}},
}

// keyWords are the lines of a private key, and its base64 in a kubeconfig.
func keyWords(id pki.Identity) []string {
	block, _ := pem.Decode(id.Key)
	data := base64.StdEncoding.EncodeToString(block.Bytes)
	whole := base64.StdEncoding.EncodeToString(id.Key)
	return []string{data[:40], data[40:80], whole[60:100], whole[100:140]}
}

// proxyFor connects the kubeconfig's server through a proxy with a password.
func (s *sandbox) proxyFor(k *kubeconfig, password string) {
	s.Helper()
	proxy := s.proxy(s.servers[0], faults.ProxyOptions{User: "somebody", Password: password})
	k.cluster["proxy-url"] = proxy.URL
}

// failure is a way in which a run can fail; "" succeeds.
type failure struct {
	name    string
	arrange func(s *sandbox, server *faults.Server, k *kubeconfig)
	flags   []string
}

func answering(answer faults.Answer) func(*sandbox, *faults.Server, *kubeconfig) {
	return func(_ *sandbox, server *faults.Server, _ *kubeconfig) { server.On("", answer) }
}

var failures = []failure{
	{"healthy", answering(faults.Healthy), nil},
	{"401", answering(faults.Status(401, "Unauthorized", "Unauthorized")), nil},
	{"403", answering(faults.Status(403, "Forbidden", "forbidden")), nil},
	{"404 as text", answering(faults.Body(404, "text/plain", []byte("404 page not found"))), nil},
	{"429", answering(faults.With(faults.Status(429, "TooManyRequests", "later"), "Retry-After", "0")), nil},
	{"500", answering(faults.Status(500, "InternalError", "broken")), nil},
	{"login page", answering(faults.LoginPage), nil},
	{"redirect", answering(faults.Redirect("https://127.0.0.1:1/")), nil},
	{"no JSON", answering(faults.JSON("{{{")), nil},
	{"Status in a 200", answering(faults.Body(200, "application/json", faults.StatusBody(500, "InternalError", "late"))), nil},
	{"list and Status", answering(faults.Followed(faults.Healthy, faults.StatusBody(500, "", "late"))), nil},
	{"cut body", answering(faults.Cut(faults.Healthy, 0.5)), []string{"--request-timeout=400ms"}},
	{"timeout", answering(faults.After(time.Second, faults.Healthy)), []string{"--request-timeout=100ms"}},
	{"nothing listens", func(s *sandbox, server *faults.Server, k *kubeconfig) {
		server.Stop() // the target of the proxy
		s.refusing(k)
	}, []string{"--request-timeout=900ms"}},
	{"unknown authority", func(_ *sandbox, _ *faults.Server, k *kubeconfig) {
		k.cluster["certificate-authority-data"] = base64.StdEncoding.EncodeToString(stranger.PEM)
	}, nil},
	{"no CA in the data", func(_ *sandbox, _ *faults.Server, k *kubeconfig) {
		k.cluster["certificate-authority-data"] = base64.StdEncoding.EncodeToString([]byte("nothing"))
	}, nil},
	{"wrong name", func(_ *sandbox, _ *faults.Server, k *kubeconfig) { k.cluster["tls-server-name"] = "a.b.example" }, nil},
	{"two ways to log in", func(_ *sandbox, _ *faults.Server, k *kubeconfig) {
		k.user["token"], k.user["username"], k.user["password"] = canary, "somebody", canary
	}, nil},
	{"missing context", func(_ *sandbox, _ *faults.Server, k *kubeconfig) { k.current = "gone" }, nil},
	{"broken kubeconfig", func(_ *sandbox, _ *faults.Server, k *kubeconfig) { k.more["apiVersion"] = "v2" }, nil},
	{"missing CA file", func(_ *sandbox, _ *faults.Server, k *kubeconfig) {
		delete(k.cluster, "certificate-authority-data")
		k.cluster["certificate-authority"] = "/nope.crt"
	}, nil},
	{"secret with a line break", func(_ *sandbox, _ *faults.Server, k *kubeconfig) { k.user["token"] = canary + "\n" }, nil},
	{"wrong type of a secret", func(_ *sandbox, _ *faults.Server, k *kubeconfig) {
		k.user["password"] = map[string]string{canary: canary}
	}, nil},
	{"broken base64 of a key", func(_ *sandbox, _ *faults.Server, k *kubeconfig) { k.user["client-key-data"] = canary + "!" }, nil},
	{"broken proxy URL", func(_ *sandbox, _ *faults.Server, k *kubeconfig) {
		k.cluster["proxy-url"] = "ftp://somebody:" + canary + "@127.0.0.1:1"
	}, nil},
	{"wrong proxy password", func(s *sandbox, _ *faults.Server, k *kubeconfig) {
		s.proxyFor(k, "other")
		k.cluster["proxy-url"] = strings.Replace(fmt.Sprint(k.cluster["proxy-url"]), "other", canary, 1)
	}, nil},
	{"password in the URL", func(_ *sandbox, server *faults.Server, k *kubeconfig) {
		k.cluster["server"] = "https://somebody:" + canary + "@" + server.Addr + "/nowhere"
	}, nil},
	{"login command prints nonsense", login(says(canary)), nil},
	{"login command of another version", login(says(strings.Replace(credential(canary), "k8s.io/v1", "k8s.io/v9", 1))), nil},
	{"login command fails", login(printToken(canary), exitWith(7)), nil},
	{"login command is killed", login(printToken(canary), step{"kill -9 $$", "exit 1"}), nil},
	{"login command prints half a pair", login(says(strings.Replace(credential(canary), `"token"`, `"clientKeyData"`, 1))), nil},
}

func login(steps ...step) func(*sandbox, *faults.Server, *kubeconfig) {
	return func(s *sandbox, _ *faults.Server, k *kubeconfig) {
		k.withExec(s.script("login", steps...), fields{"env": []fields{{"name": "SECRET", "value": canary}}})
	}
}

// TestCanaries puts a marked word into every kind of secret and searches all output for it, at
// every verbosity, in success and in every kind of failure.
func TestCanaries(t *testing.T) {
	t.Parallel()
	for _, f := range failures {
		for _, kind := range secrets {
			t.Run(f.name+"/"+kind.name, func(t *testing.T) {
				t.Parallel()
				lookForCanaries(newSandbox(t), f, kind)
			})
		}
	}
	t.Logf("%d runs: %d kinds of secrets, healthy and in %d kinds of failure, %d verbosities",
		len(failures)*len(secrets)*len(verbosities), len(secrets), len(failures)-1, len(verbosities))
}

var verbosities = []string{"0", "6", "8", "9", "10"}

func lookForCanaries(s *sandbox, f failure, kind secret) {
	server, config := s.ready()
	words := append(kind.arrange(s, config), canary)
	f.arrange(s, server, config)
	s.use(config)
	for _, verbosity := range verbosities {
		r := s.explain(append([]string{"-v=" + verbosity}, f.flags...)...)
		if healthy := f.name == "healthy"; healthy != (r.code == 0) || r.code == -1 {
			s.Errorf("%s at -v=%s: %v", kind.name, verbosity, r)
		}
		for _, word := range words {
			if strings.Contains(r.stdout+r.stderr, word) {
				s.Errorf("%s at -v=%s is shown (%q): %v", kind.name, verbosity, word, r)
			}
		}
	}
}
