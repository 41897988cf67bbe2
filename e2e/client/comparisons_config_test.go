// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"sigs.k8s.io/yaml"
)

// configComparisons are about files, contexts, overrides and conflicts.
var configComparisons = []comparison{
	// files
	{"--kubeconfig of a missing file", changed(nil, "--kubeconfig", "/nope")},
	{"--kubeconfig= and KUBECONFIG", changed(nil, "--kubeconfig=")},
	{"--kubeconfig beats a broken KUBECONFIG", func(s *sandbox) invocation {
		s.ready()
		kc := s.env["KUBECONFIG"]
		s.env["KUBECONFIG"] = s.write("broken", "{{{")
		return with("--kubeconfig", kc)
	}},
	{"a missing file in KUBECONFIG", listed(func(s *sandbox, kc string) string { return s.list("/missing", kc) })},
	{"only missing files in KUBECONFIG", func(s *sandbox) invocation {
		atHome(s)
		s.env["KUBECONFIG"] = s.list("/m1", "/m2")
		return with()
	}},
	{"KUBECONFIG is a colon", func(s *sandbox) invocation { atHome(s); s.env["KUBECONFIG"] = s.list("", ""); return with() }},
	{"KUBECONFIG is empty", func(s *sandbox) invocation { atHome(s); s.env["KUBECONFIG"] = ""; return with() }},
	{"no KUBECONFIG", func(s *sandbox) invocation { atHome(s); return with() }},
	{"a file twice in KUBECONFIG", listed(func(s *sandbox, kc string) string { return s.list(kc, "", kc) })},
	{"a broken file in KUBECONFIG", listed(func(s *sandbox, kc string) string { return s.list(s.write("a", "{{{"), kc) })},
	{"KUBECONFIG is a folder", func(s *sandbox) invocation { s.env["KUBECONFIG"] = s.dir + "/"; return with() }},
	{"no HOME, a file in the working directory", func(s *sandbox) invocation {
		s.write(".kube/config", configFor(s.server()).String())
		delete(s.env, "HOME")
		return with()
	}},
	{"the legacy file", func(s *sandbox) invocation {
		s.write("home/.kube/.kubeconfig", configFor(s.server()).String())
		return with()
	}},
	{"an empty file first", listed(func(s *sandbox, kc string) string { return s.list(s.write("e", ""), kc) })},
	{"a file of comments first", listed(func(s *sandbox, kc string) string { return s.list(s.write("e", "# no\n"), kc) })},
	{"two YAML documents", text(func(kc string) string { return kc + "---\ncurrent-context: other\n" })},
	{"JSON", text(func(kc string) string { j, _ := yaml.YAMLToJSON([]byte(kc)); return string(j) })},
	{"apiVersion v2", changed(func(_ *sandbox, k *kubeconfig) { k.more["apiVersion"] = "v2" })},
	{"kind Pod", changed(func(_ *sandbox, k *kubeconfig) { k.more["kind"] = "Pod" })},
	{"neither apiVersion nor kind", changed(func(_ *sandbox, k *kubeconfig) { k.more = nil })},
	{"a byte order mark", text(func(kc string) string { return "\ufeff" + kc })},
	{"unknown fields", changed(func(_ *sandbox, k *kubeconfig) { k.more["Clusters"] = 1; k.cluster["Server"] = "x" })},
	{"a user of two files", func(s *sandbox) invocation {
		server, config := s.ready()
		b := s.write("b", configFor(server).withCertificate(certificateOf(s, "of-b")).String())
		s.env["KUBECONFIG"] = s.list(s.use(config), b)
		return with()
	}},
	{"current-context of the second file", func(s *sandbox) invocation {
		_, config := s.ready()
		config.current = ""
		b := s.write("b", `{"current-context": "c2", "contexts": [{"name": "c2", "context": {"cluster": "k1", "user": "u1", "namespace": "of-c2"}}]}`)
		s.env["KUBECONFIG"] = s.list(s.use(config), b)
		return with()
	}},
	{"the context is defined in the second file", func(s *sandbox) invocation {
		s.ready()
		s.env["KUBECONFIG"] = s.list(s.write("a", "current-context: c1"), s.env["KUBECONFIG"])
		return with()
	}},
	{"a relative CA beside its file", func(s *sandbox) invocation {
		_, config := s.ready()
		noCA(config)
		config.cluster["certificate-authority"] = "pki/ca.crt"
		s.write("x/pki/ca.crt", string(authority.PEM))
		s.env["KUBECONFIG"] = s.write("x/a", config.String())
		return with()
	}},
	{"--certificate-authority of the working directory", changed(func(s *sandbox, k *kubeconfig) {
		noCA(k)
		s.write("pki/ca.crt", string(authority.PEM))
	}, "--certificate-authority", "pki/ca.crt")},
	{"a relative login command", func(s *sandbox) invocation {
		_, config := s.ready()
		s.script("x/bin/login", printToken("beside"))
		s.env["KUBECONFIG"] = s.write("x/a", config.withExec("./bin/login", nil).String())
		return with()
	}},
	{"a login command of PATH", changed(func(s *sandbox, k *kubeconfig) {
		s.script("path/login", printToken("of-path"))
		s.findsIn("path")
		k.withExec("login", nil)
	})},
	{"a cluster twice in one file", changed(func(_ *sandbox, k *kubeconfig) {
		k.more["clusters"] = []fields{{"name": "k1", "cluster": k.cluster}, {"name": "k1", "cluster": k.cluster}}
	})},
	{"insecure: yes", changed(func(_ *sandbox, k *kubeconfig) { noCA(k); k.cluster["insecure-skip-tls-verify"] = true })},
	{`insecure: "true"`, changed(func(_ *sandbox, k *kubeconfig) { noCA(k); k.cluster["insecure-skip-tls-verify"] = "true" })},
	{"CA data with line breaks", changed(func(_ *sandbox, k *kubeconfig) {
		data := base64.StdEncoding.EncodeToString(authority.PEM)
		k.cluster["certificate-authority-data"] = data[:40] + "\n" + data[40:]
	})},
	{"CA data with a blank", changed(func(_ *sandbox, k *kubeconfig) {
		data := base64.StdEncoding.EncodeToString(authority.PEM)
		k.cluster["certificate-authority-data"] = data[:40] + " " + data[40:]
	})},
	{"the kubeconfig is a pipe", func(s *sandbox) invocation {
		_, config := s.ready()
		delete(s.env, "KUBECONFIG")
		return invocation{[]string{"--kubeconfig", "/dev/fd/3"}, func(c *exec.Cmd) { pipeTo(config.String())(c) }}
	}},
	{"the kubeconfig is a link", func(s *sandbox) invocation {
		_, config := s.ready()
		noCA(config)
		config.cluster["certificate-authority"] = "ca.crt"
		s.write("link/ca.crt", string(authority.PEM))
		s.env["KUBECONFIG"] = s.path("link/kc")
		s.write("real/kc", config.String())
		s.must(os.Symlink("../real/kc", s.env["KUBECONFIG"]))
		return with()
	}},
	// contexts and overrides
	{"--context unknown", changed(nil, "--context", "nope")},
	{"current-context unknown", changed(func(_ *sandbox, k *kubeconfig) { k.current = "nope" })},
	{"--cluster unknown", changed(nil, "--cluster", "nope")},
	{"--user unknown", changed(nil, "--user", "nope")},
	{"--user and --context unknown", changed(nil, "--user", "nope", "--context", "nope2")},
	{"the context's cluster is missing", changed(func(_ *sandbox, k *kubeconfig) { k.context["cluster"] = "gone" })},
	{"the context's user is missing", changed(func(_ *sandbox, k *kubeconfig) { k.context["user"] = "gone" })},
	{"no current context", changed(func(_ *sandbox, k *kubeconfig) { k.current = "" })},
	{"no current context, --cluster and --user", changed(func(_ *sandbox, k *kubeconfig) { k.current = "" }, "--cluster", "k1", "--user", "u1")},
	{"--server drops tls-server-name", func(s *sandbox) invocation {
		server, config := s.ready()
		config.cluster["tls-server-name"] = "a.example.com"
		s.use(config)
		return with("--server", server.URL)
	}},
	{"--tls-server-name", changed(nil, "--tls-server-name", "b.example.com")},
	{"tls-server-name", changed(func(_ *sandbox, k *kubeconfig) { k.cluster["tls-server-name"] = "a.example.com" })},
	{"tls-server-name not in the certificate", changed(func(_ *sandbox, k *kubeconfig) { k.cluster["tls-server-name"] = "a.b.example.com" })},
	{"--insecure-skip-tls-verify=false does not undo", changed(insecure, "--insecure-skip-tls-verify=false")},
	{"--certificate-authority undoes insecure", func(s *sandbox) invocation {
		_, config := s.ready()
		insecure(s, config)
		s.use(config)
		return with("--certificate-authority", s.write("other.crt", string(stranger.PEM)))
	}},
	{"--insecure-skip-tls-verify undoes the CA", changed(func(_ *sandbox, k *kubeconfig) {
		k.cluster["certificate-authority-data"] = base64.StdEncoding.EncodeToString(stranger.PEM)
	}, "--insecure-skip-tls-verify")},
	{"--insecure-skip-tls-verify and --certificate-authority", func(s *sandbox) invocation {
		s.ready()
		return with("--insecure-skip-tls-verify", "--certificate-authority", s.write("ca.crt", string(authority.PEM)))
	}},
	{"a client certificate", changed(func(s *sandbox, k *kubeconfig) { k.withCertificate(certificateOf(s, "mine")) })},
	{"--client-certificate of another key", func(s *sandbox) invocation {
		_, config := s.ready()
		s.use(config.withCertificate(certificateOf(s, "mine")))
		return with("--client-certificate", s.write("other.crt", string(certificateOf(s, "other").Cert)))
	}},
	{"a certificate without key", changed(func(s *sandbox, k *kubeconfig) {
		k.withCertificate(certificateOf(s, "mine"))
		delete(k.user, "client-key-data")
	})},
	{"a key without certificate", changed(func(s *sandbox, k *kubeconfig) {
		k.withCertificate(certificateOf(s, "mine"))
		delete(k.user, "client-certificate-data")
		k.user["token"] = token
	})},
	{"token and username", changed(func(_ *sandbox, k *kubeconfig) { k.user["username"] = "x" })},
	{"username and password", changed(func(_ *sandbox, k *kubeconfig) { k.user = fields{"username": "x", "password": "y"} })},
	{"token and certificate", changed(func(s *sandbox, k *kubeconfig) {
		k.withCertificate(certificateOf(s, "mine"))
		k.user["token"] = token
	})},
	{"--token", changed(nil, "--token", "T2")},
	{"token and a tokenFile that is not there", changed(func(_ *sandbox, k *kubeconfig) { k.user["tokenFile"] = "/nope" })},
	{"tokenFile and username", changed(func(s *sandbox, k *kubeconfig) {
		k.user = fields{"tokenFile": s.write("t", "T3\n"), "username": "x", "password": "y"}
	})},
	{"an encrypted key", changed(func(s *sandbox, k *kubeconfig) {
		k.withCertificate(certificateOf(s, "mine"))
		k.user["client-key-data"] = base64.StdEncoding.EncodeToString(encryptedKey)
	})},
	{"a login command with an encrypted key", changed(func(s *sandbox, k *kubeconfig) {
		pair, err := json.Marshal(fields{
			"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
			"status": fields{"clientCertificateData": string(certificateOf(s, "mine").Cert), "clientKeyData": string(encryptedKey)},
		})
		s.must(err)
		k.withExec(s.script("login", says(string(pair))), nil)
	})},
	{"an id-token with a line break", changed(func(_ *sandbox, k *kubeconfig) {
		k.user = fields{"auth-provider": fields{"name": "oidc", "config": fields{
			"client-id": "c", "idp-issuer-url": "https://127.0.0.1:1", "id-token": "e30.eyJleHAiOjQwMDAwMDAwMDB9.c\r\nX-Injected: yes",
		}}}
	})},
	{"a name twice in a user's extensions", changed(func(_ *sandbox, k *kubeconfig) {
		k.user["extensions"] = []fields{{"name": "a", "extension": 1}, {"name": "a", "extension": 2}}
	})},
	{"a file below a file in KUBECONFIG", listed(func(s *sandbox, kc string) string { return s.list(kc+"/x", kc) })},
	{"sixteen thousand contexts", changed(func(_ *sandbox, k *kubeconfig) {
		contexts := []fields{{"name": "c1", "context": k.context}}
		for i := range 16000 {
			contexts = append(contexts, fields{"name": fmt.Sprint("other-", i), "context": fields{"cluster": "k1", "user": "u1", "namespace": fmt.Sprint("ns-", i)}})
		}
		k.more["contexts"] = contexts
	})},
	{"a server without scheme and with a slash", func(s *sandbox) invocation {
		server, config := s.ready(plainHTTP)
		config.cluster["server"] = server.Addr + "/"
		s.use(config)
		return with()
	}},
	{"--request-timeout with a plus", changed(nil, "--request-timeout=+5")},
	{"--request-timeout beyond reason", changed(nil, "--request-timeout=9999999999")},
	{"-A beside a namespace that is none", changed(nil, "-A", "-n", "../x")},
	{"--token beside exec", changed(func(s *sandbox, k *kubeconfig) { k.withExec(s.script("login", printToken("T3")), nil) }, "--token", "T2")},
	{"--token beside tokenFile", changed(func(s *sandbox, k *kubeconfig) { k.user = fields{"tokenFile": s.write("t", "T3\n")} }, "--token", "T2")},
	{"tokenFile", changed(func(s *sandbox, k *kubeconfig) { k.user = fields{"tokenFile": s.write("t", " T3\n")} })},
	{"token and tokenFile", changed(func(s *sandbox, k *kubeconfig) { k.user["tokenFile"] = s.write("t", "T3\n") })},
	{"two problems", changed(func(s *sandbox, k *kubeconfig) {
		k.withCertificate(certificateOf(s, "mine"))
		delete(k.user, "client-key-data")
		noCA(k)
		k.cluster["certificate-authority"] = "/nope.crt"
	})},
	{"the CA file is missing", changed(func(_ *sandbox, k *kubeconfig) { noCA(k); k.cluster["certificate-authority"] = "/nope.crt" })},
	{"another user is broken", changed(func(_ *sandbox, k *kubeconfig) {
		k.more["users"] = []fields{{"name": "u1", "user": k.user}, {"name": "b", "user": fields{"token": "x", "username": "y"}}}
	})},
	{"server without scheme", func(s *sandbox) invocation {
		server, config := s.ready(plainHTTP)
		config.cluster["server"] = server.Addr
		s.use(config)
		return with()
	}},
	{"server with a path", changed(func(_ *sandbox, k *kubeconfig) { k.cluster["server"] = fmt.Sprint(k.cluster["server"], "/") })},
	{"server with query and fragment", changed(func(_ *sandbox, k *kubeconfig) { k.cluster["server"] = fmt.Sprint(k.cluster["server"], "?x=1#f") })},
	{"server with u:p over https", changed(func(_ *sandbox, k *kubeconfig) {
		k.user = fields{"client-certificate-data": "", "token": "T1"}
		k.cluster["server"] = "https://u:p@" + fmt.Sprint(k.cluster["server"])[len("https://"):]
	})},
	{"server with u:p over http", func(s *sandbox) invocation {
		server, config := s.ready(plainHTTP)
		config.cluster = fields{"server": "http://u:p@" + server.Addr}
		s.use(config)
		return with()
	}},
	{"--request-timeout 30s", changed(nil, "--request-timeout", "30s")},
	{"--request-timeout 90", changed(nil, "--request-timeout", "90")},
	{"--request-timeout abc", changed(nil, "--request-timeout", "abc")},
	{"--request-timeout -5", changed(nil, "--request-timeout=-5")},
	{"--request-timeout -5s", changed(nil, "--request-timeout=-5s")},
	{"--as and groups", changed(nil, "--as", "x", "--as-group", "a,b", "--as-group", "c", "--as-uid", "7")},
	{"--as-group without --as", changed(nil, "--as-group", "g")},
	{"--as-user-extra", changed(nil, "--as", "x", "--as-user-extra", "scopes/é=v", "--as-user-extra", "b=w")},
	{"--as-user-extra without =", changed(nil, "--as", "x", "--as-user-extra", "scopes")},
	{"as in the kubeconfig, --as", changed(func(_ *sandbox, k *kubeconfig) {
		k.user["as"], k.user["as-groups"] = "a", []string{"g"}
	}, "--as", "x")},
	{"a token with a line break", changed(func(_ *sandbox, k *kubeconfig) { k.user["token"] = "T1\n" })},
	{"an expired OIDC token", changed(func(_ *sandbox, k *kubeconfig) {
		payload := base64.RawURLEncoding.EncodeToString([]byte(`{"exp":1000000000}`))
		k.user = fields{"auth-provider": fields{"name": "oidc", "config": fields{"id-token": "e30." + payload + ".x",
			"client-id": "c", "idp-issuer-url": "https://127.0.0.1:1", "refresh-token": "r"}}}
	})},
	{"a removed auth-provider", changed(func(_ *sandbox, k *kubeconfig) {
		k.user = fields{"auth-provider": fields{"name": "gcp", "config": fields{}}}
	})},
}

// encryptedKey is an unused key; the client must not ask for its passphrase.
var encryptedKey = []byte(`-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhcF0g6RiywRQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEH/vh/n1he85+S5LwGhXROwEgZAu
/WgOr1RkRjc2z0kfHWdHFjEgNuNh2IUC/IQxqhMDbuZykh0X0zPtSq6u0BjHJI8K
TWsHkI67a5yY9A8t6axoZiw9yGKIgjolEpBx9RylARqvpk5ym3l4I4947W2EOyc7
Oje+CYSHBIBBBXWBgviGl88Z/XEJ+qdtsfmMHTN5jCNWeow7PwbuKXmvzJDTYAs=
-----END ENCRYPTED PRIVATE KEY-----
`)
