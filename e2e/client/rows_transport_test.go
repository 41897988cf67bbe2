// SPDX-License-Identifier: Apache-2.0

package client

import (
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"strings"

	"dsdoctor.dev/e2e/faults"
	"dsdoctor.dev/e2e/pki"
)

// transportRows are about TLS, proxies and HTTP.
var transportRows = []row{
	{number: 90, about: "only TLS 1.1: handshake failure", check: func(s *sandbox) {
		server, _ := s.ready(tls11)
		s.refused(s.explain(), "Unable to connect to the server", "tls")
		s.untouched(server)
	}},
	{number: 91, about: "CN only: name error", check: func(s *sandbox) {
		template := pki.ServerTemplate()
		template.Subject = pkix.Name{CommonName: "localhost"}
		id, err := authority.Sign(template)
		s.must(err)
		server, config := s.ready(func(o *faults.Options) { o.Identity = id })
		config.cluster["server"] = "https://localhost:" + portOf(server.Addr)
		s.use(config)
		s.refused(s.explain(), "x509", "localhost")
		s.untouched(server)
	}},
	{number: 92, about: "kubeconfig CA, certificate of a system authority: unknown authority", check: func(s *sandbox) {
		server, config := s.ready()
		config.cluster["certificate-authority-data"] = base64.StdEncoding.EncodeToString(stranger.PEM)
		s.use(config)
		s.env["SSL_CERT_FILE"] = s.write("system.crt", string(authority.PEM))
		s.refused(s.explain(), "x509: certificate signed by unknown authority")
		s.untouched(server)
	}},
	{number: 93, about: "SSL_CERT_FILE, no CA: trusted", check: func(s *sandbox) {
		server, config := s.ready()
		delete(config.cluster, "certificate-authority-data")
		s.use(config)
		s.refused(s.explain(), "x509: certificate signed by unknown authority")
		s.untouched(server)
		s.env["SSL_CERT_FILE"] = s.write("system.crt", string(authority.PEM))
		s.answered(s.explain())
	}},
	{number: 94, about: "proxy-url and NO_PROXY=*: the proxy", check: func(s *sandbox) {
		server, config := s.ready()
		proxy := s.proxy(server, faults.ProxyOptions{})
		config.cluster["proxy-url"] = proxy.URL
		s.use(config)
		s.env["NO_PROXY"] = "*"
		s.answered(s.explain())
		s.proxied(proxy, server.Addr)
	}},
	{number: 95, about: "HTTPS_PROXY without scheme: http proxy, CONNECT", check: func(s *sandbox) {
		server, config := s.ready()
		proxy := s.proxy(server, faults.ProxyOptions{})
		s.use(config.through(""))
		s.env["HTTPS_PROXY"] = proxy.Addr
		s.answered(s.explain())
		s.proxied(proxy, proxiedName+":443")
		s.asked(server, "", hostIs(proxiedName))
	}},
	{number: 96, about: "ALL_PROXY only: direct", check: func(s *sandbox) {
		server, config := s.ready()
		proxy := s.proxy(server, faults.ProxyOptions{})
		s.use(config.through(""))
		s.env["ALL_PROXY"] = proxy.URL
		s.env["all_proxy"] = proxy.URL
		s.direct(proxy, proxiedName)
	}},
	{number: 97, about: "NO_PROXY=10.0.0.0/8: 10.1.2.3 direct, a name proxied", check: func(s *sandbox) {
		server, config := s.ready()
		proxy := s.proxy(server, faults.ProxyOptions{})
		s.env["HTTPS_PROXY"] = proxy.URL
		s.env["NO_PROXY"] = "10.0.0.0/8"
		config.cluster["server"] = "https://10.1.2.3"
		s.use(config)
		s.direct(proxy, "10.1.2.3")
		config.cluster["server"] = "https://11.1.2.3"
		config.cluster["tls-server-name"] = proxiedName
		s.use(config)
		s.answered(s.explain())
		s.proxied(proxy, "11.1.2.3:443")
		named := s.proxy(server, faults.ProxyOptions{}) // names are not resolved for the comparison
		s.env["HTTPS_PROXY"] = named.URL
		s.use(configFor(server).through(""))
		s.answered(s.explain())
		s.proxied(named, proxiedName+":443")
	}},
	{number: 98, about: "NO_PROXY=.example.com: example.com proxied, a.example.com direct", check: func(s *sandbox) {
		server, config := s.ready()
		proxy := s.proxy(server, faults.ProxyOptions{})
		s.env["HTTPS_PROXY"] = proxy.URL
		s.env["NO_PROXY"] = ".example.com"
		config.cluster["server"] = "https://a.example.com"
		s.use(config)
		s.direct(proxy, "a.example.com")
		config.cluster["server"] = "https://example.com"
		s.use(config)
		s.answered(s.explain())
		s.proxied(proxy, "example.com:443")
	}},
	{number: 99, about: "HTTPS_PROXY, server 127.0.0.1: direct", check: func(s *sandbox) {
		server, _ := s.ready()
		proxy := s.proxy(server, faults.ProxyOptions{})
		s.env["HTTPS_PROXY"] = proxy.URL
		s.answered(s.explain())
		s.equal("requests at the proxy", len(proxy.Requests()), 0)
	}},
	{number: 100, about: "proxy-url socks5, a name only the proxy knows: works", check: func(s *sandbox) {
		server, config := s.ready()
		proxy := s.proxy(server, faults.ProxyOptions{SOCKS5: true})
		s.use(config.through(proxy.URL))
		s.answered(s.explain())
		s.proxied(proxy, proxiedName+":443")
		secret := s.proxy(server, faults.ProxyOptions{SOCKS5: true, User: "u", Password: "sesame"})
		s.use(config.through(secret.URL))
		s.answered(s.explain())
		s.proxied(secret, proxiedName+":443")
	}},
	{number: 101, about: "proxy-url ftp://p: unsupported scheme", check: func(s *sandbox) {
		server, config := s.ready()
		config.cluster["proxy-url"] = "ftp://p"
		s.use(config)
		s.refused(s.explain(), "proxy-url", "ftp://p", "k1")
		s.untouched(server)
	}},
	{number: 102, about: "proxy-url without port: 80", check: func(s *sandbox) {
		_, config := s.ready()
		config.cluster["proxy-url"] = "http://127.0.0.1"
		s.use(config)
		s.refused(s.runWith(withoutNetwork, binary, "explain", "-A"), "127.0.0.1:80")
	}},
	{number: 103, about: "CONNECT: no Authorization, no Impersonate", check: func(s *sandbox) {
		server, config := s.ready()
		secure, err := authority.Server("127.0.0.1")
		s.must(err)
		for _, o := range []faults.ProxyOptions{{}, {User: "u", Password: "sesame"}, {Identity: secure, User: "u", Password: "sesame"}} {
			proxy := s.proxy(server, o)
			s.use(config.through(proxy.URL))
			s.answered(s.explain("--as", "x"))
			s.proxied(proxy, proxiedName+":443")
			for _, r := range proxy.Requests() {
				for name := range r.Header {
					if strings.EqualFold(name, "Authorization") || strings.HasPrefix(name, "Impersonate") {
						s.Errorf("the proxy saw %s", name)
					}
				}
				s.equal("the proxy's user", r.User+" "+r.Password, o.User+" "+o.Password)
			}
		}
		s.asked(server, "", header("Impersonate-User", "x"))
	}},
	{number: 104, about: "--disable-compression: no Accept-Encoding; else gzip", check: func(s *sandbox) {
		server, _ := s.ready()
		s.answered(s.explain("--disable-compression"))
		s.asked(server, "", header("Accept-Encoding", ""))
		server.Forget()
		s.answered(s.explain())
		s.asked(server, "nodes", header("Accept-Encoding", "gzip"))
	}},
	{number: 105, about: "redirect to another host: error, no request there", check: func(s *sandbox) {
		server, _ := s.ready()
		other := s.server()
		server.On("", faults.Redirect(other.URL+"/api/v1/nodes"))
		s.refused(s.explain(), "redirect")
		s.untouched(other)
	}},
	{number: 106, about: "~/.netrc has an entry: ignored", check: func(s *sandbox) {
		server, config := s.ready()
		config.user = fields{}
		s.use(config)
		s.write("home/.netrc", "machine 127.0.0.1 login u password sesame\ndefault login u password sesame\n")
		s.answered(s.explain())
		s.asked(server, "", header("Authorization", ""))
	}},
	{number: 107, about: "DISABLE_HTTP2=1: HTTP/1.1; else HTTP/2", check: func(s *sandbox) {
		server, _ := s.ready()
		s.answered(s.explain())
		s.asked(server, "", protocol("HTTP/2.0"))
		server.Forget()
		s.env["DISABLE_HTTP2"] = "1"
		s.answered(s.explain())
		s.asked(server, "", protocol("HTTP/1.1"))
	}},
}

func protocol(want string) func(faults.Request) error {
	return func(r faults.Request) error {
		if r.Proto != want {
			return fmt.Errorf("the protocol is %s, not %s", r.Proto, want)
		}
		return nil
	}
}

// proxied expects tunnels to this target only.
func (s *sandbox) proxied(proxy *faults.Proxy, target string) {
	s.Helper()
	requests := proxy.Requests()
	if len(requests) == 0 {
		s.Errorf("the proxy was not used")
	}
	for _, r := range requests {
		s.equal("the proxy's target", r.Target, target)
	}
}

// direct expects an attempt to reach the host itself, which fails, because there is no network.
func (s *sandbox) direct(proxy *faults.Proxy, host string) {
	s.Helper()
	r := s.runWith(withoutNetwork, binary, "explain", "-A")
	s.refused(r, "Unable to connect to the server", host)
	s.lacks("stderr", r.stderr, "proxyconnect", proxy.Addr)
	s.equal("requests at the proxy", len(proxy.Requests()), 0)
}
