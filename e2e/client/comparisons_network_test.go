// SPDX-License-Identifier: Apache-2.0

package client

import (
	"crypto/x509/pkix"
	"encoding/base64"
	"time"

	"dsdoctor.dev/e2e/faults"
	"dsdoctor.dev/e2e/pki"
)

// networkComparisons are about namespaces, pods, policies, TLS and proxies.
var networkComparisons = []comparison{
	// namespaces and pods
	{"no namespace", changed(nil)},
	{"the context's namespace", changed(func(_ *sandbox, k *kubeconfig) { k.context["namespace"] = "x" })},
	{"-n beats the context's", changed(func(_ *sandbox, k *kubeconfig) { k.context["namespace"] = "x" }, "-n", "y")},
	{"-n a -A", changed(nil, "-n", "a", "-A")},
	{"-n ''", changed(func(_ *sandbox, k *kubeconfig) { k.context["namespace"] = "x" }, "-n", "")},
	{"-n ../secrets", changed(nil, "-n", "../secrets")},
	{"in a pod, nothing", podded(nil)},
	{"in a pod, --token", podded(nil, "--token", "T2")},
	{"in a pod, --request-timeout", podded(nil, "--request-timeout", "5s")},
	{"in a pod, --as", podded(nil, "--as", "x")},
	{"in a pod, a kubeconfig without namespace", podded(func(*sandbox, *kubeconfig) {})},
	{"in a pod, POD_NAMESPACE", podded(func(s *sandbox, _ *kubeconfig) { s.env["POD_NAMESPACE"] = "p" })},
	{"in a pod, namespace: default", podded(func(s *sandbox, k *kubeconfig) {
		s.env["POD_NAMESPACE"] = "p"
		k.context["namespace"] = "default"
	})},
	{"a pod's variables without its files", func(s *sandbox) invocation { s.servicePod(s.server()); return with() }},
	{"KUBERNETES_MASTER", func(s *sandbox) invocation { s.env["KUBERNETES_MASTER"] = s.server(plainHTTP).URL; return with() }},
	// the policy about login commands
	{"kuberc DenyAll", policed("credentialPluginPolicy: DenyAll\n")},
	{"kuberc AllowAll", policed("credentialPluginPolicy: AllowAll\n")},
	{"kuberc Allowlist of the command", policed(allowsLogin)},
	{"kuberc Allowlist of the command, a folder of PATH that ends in a slash", changed(func(s *sandbox, k *kubeconfig) {
		s.script("path/login", printToken("T2"))
		k.withExec("path/login", nil)
		s.env["PATH"] = s.path("path") + "/"
		s.kuberc(allowsLogin)
	})},
	{"kuberc Allowlist of another command", policed("credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist:\n- command: other\n")},
	{"kuberc Allowlist without a list", policed("credentialPluginPolicy: Allowlist\n")},
	{"KUBERC=off", func(s *sandbox) invocation {
		s.env["KUBERC"] = "off"
		return policed("credentialPluginPolicy: DenyAll\n")(s)
	}},
	// transport
	{"only TLS 1.1", func(s *sandbox) invocation { s.ready(tls11); return with() }},
	{"a common name only", of(func(a *pki.Authority) (pki.Identity, error) {
		template := pki.ServerTemplate()
		template.Subject = pkix.Name{CommonName: "localhost"}
		return a.Sign(template)
	}, "localhost")},
	{"another host's certificate", of(func(a *pki.Authority) (pki.Identity, error) { return a.Server("other.example") }, "127.0.0.1")},
	{"a wildcard certificate for localhost", of(func(a *pki.Authority) (pki.Identity, error) { return a.Server("*.example", "localhost") }, "localhost")},
	{"an expired certificate", of(serverAt(-30*24*time.Hour), "127.0.0.1")},
	{"a certificate of the future", of(serverAt(30*24*time.Hour), "127.0.0.1")},
	{"a strange authority", changed(func(s *sandbox, k *kubeconfig) {
		k.cluster["certificate-authority-data"] = base64.StdEncoding.EncodeToString(stranger.PEM)
		s.env["SSL_CERT_FILE"] = s.write("system.crt", string(authority.PEM))
	})},
	{"SSL_CERT_FILE", changed(func(s *sandbox, k *kubeconfig) {
		noCA(k)
		s.env["SSL_CERT_FILE"] = s.write("system.crt", string(authority.PEM))
	})},
	{"SSL_CERT_DIR with names that are no hashes", changed(func(s *sandbox, k *kubeconfig) {
		noCA(k)
		s.write("roots/my.pem", string(authority.PEM))
		s.env["SSL_CERT_FILE"] = "/nope"
		s.env["SSL_CERT_DIR"] = s.path("roots")
	})},
	{"a broken certificate before the authority's", changed(func(_ *sandbox, k *kubeconfig) {
		broken := "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"
		k.cluster["certificate-authority-data"] = base64.StdEncoding.EncodeToString([]byte(broken + string(authority.PEM)))
	})},
	{"a client certificate is demanded, none there", func(s *sandbox) invocation {
		s.ready(func(o *faults.Options) { o.ClientCAs = authority.PEM })
		return with()
	}},
	{"a client certificate is demanded and there", func(s *sandbox) invocation {
		_, config := s.ready(func(o *faults.Options) { o.ClientCAs = authority.PEM })
		s.use(config.withCertificate(certificateOf(s, "mine")))
		return with()
	}},
	{"plain HTTP on a TLS port", func(s *sandbox) invocation {
		server, config := s.ready(plainHTTP)
		config.cluster["server"] = "https://" + server.Addr
		s.use(config)
		return with()
	}},
	{"TLS on a plain port", func(s *sandbox) invocation {
		server, config := s.ready()
		config.cluster["server"] = "http://" + server.Addr
		s.use(config)
		return with()
	}},
	{"nothing listens", changed(func(s *sandbox, k *kubeconfig) { s.refusing(k) })},
	{"proxy-url http", proxied(faults.ProxyOptions{}, inKubeconfig)},
	{"proxy-url http with password", proxied(faults.ProxyOptions{User: "u", Password: "p"}, inKubeconfig)},
	{"proxy-url http with a wrong password", proxied(faults.ProxyOptions{User: "u", Password: "p"}, func(_ *sandbox, k *kubeconfig, p *faults.Proxy) {
		k.cluster["proxy-url"] = "http://u:wrong@" + p.Addr
	})},
	{"proxy-url socks5", proxied(faults.ProxyOptions{SOCKS5: true}, inKubeconfig)},
	{"proxy-url https", func(s *sandbox) invocation {
		return proxied(faults.ProxyOptions{Identity: identity}, inKubeconfig)(s)
	}},
	{"proxy-url beats NO_PROXY", proxied(faults.ProxyOptions{}, func(s *sandbox, k *kubeconfig, p *faults.Proxy) {
		s.env["NO_PROXY"] = "*"
		inKubeconfig(s, k, p)
	})},
	{"proxy-url socks5h", changed(func(_ *sandbox, k *kubeconfig) { k.cluster["proxy-url"] = "socks5h://127.0.0.1:1" })},
	{"proxy-url ftp", changed(func(_ *sandbox, k *kubeconfig) { k.cluster["proxy-url"] = "ftp://p" })},
	{"a proxy that does not listen", changed(func(_ *sandbox, k *kubeconfig) { k.cluster["proxy-url"] = "http://127.0.0.1:1" })},
	{"HTTPS_PROXY without scheme", proxied(faults.ProxyOptions{}, func(s *sandbox, _ *kubeconfig, p *faults.Proxy) { s.env["HTTPS_PROXY"] = p.Addr })},
	{"https_proxy", proxied(faults.ProxyOptions{}, func(s *sandbox, _ *kubeconfig, p *faults.Proxy) { s.env["https_proxy"] = p.URL })},
	{"HTTPS_PROXY beside a server on loopback", changed(func(s *sandbox, _ *kubeconfig) { s.env["HTTPS_PROXY"] = "http://127.0.0.1:1" })},
	{"DISABLE_HTTP2", changed(func(s *sandbox, _ *kubeconfig) { s.env["DISABLE_HTTP2"] = "1" })},
	{"~/.netrc", changed(func(s *sandbox, k *kubeconfig) {
		s.write("home/.netrc", "machine 127.0.0.1 login u password p\n")
	})},
	{"a redirect to another server", func(s *sandbox) invocation {
		server, _ := s.ready()
		other := s.server()
		server.On("daemonsets", faults.Redirect(other.URL+"/apis/apps/v1/namespaces/default/daemonsets"))
		s.servers = []*faults.Server{other}
		return with()
	}},
}
