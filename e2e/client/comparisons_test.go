// SPDX-License-Identifier: Apache-2.0

package client

import (
	"time"

	"dsdoctor.dev/e2e/faults"
	"dsdoctor.dev/e2e/pki"
)

// changed uses the usual kubeconfig with one change.
func changed(change func(s *sandbox, k *kubeconfig), flags ...string) func(*sandbox) invocation {
	return func(s *sandbox) invocation {
		_, config := s.ready()
		if change != nil {
			change(s, config)
		}
		s.use(config)
		return with(flags...)
	}
}

// listed uses the usual kubeconfig in a KUBECONFIG of several files.
func listed(list func(s *sandbox, kc string) string) func(*sandbox) invocation {
	return func(s *sandbox) invocation {
		s.ready()
		s.env["KUBECONFIG"] = list(s, s.env["KUBECONFIG"])
		return with()
	}
}

// text uses the usual kubeconfig with changed bytes.
func text(change func(string) string) func(*sandbox) invocation {
	return func(s *sandbox) invocation {
		_, config := s.ready()
		s.write("kc", change(config.String()))
		return with()
	}
}

// of uses a server with another certificate.
func of(sign func(*pki.Authority) (pki.Identity, error), host string) func(*sandbox) invocation {
	return func(s *sandbox) invocation {
		id, err := sign(authority)
		s.must(err)
		server, config := s.ready(func(o *faults.Options) { o.Identity = id })
		config.cluster["server"] = "https://" + host + ":" + portOf(server.Addr)
		s.use(config)
		return with()
	}
}

// proxied uses a server behind a proxy; only the proxy can resolve its name.
func proxied(o faults.ProxyOptions, change func(s *sandbox, k *kubeconfig, proxy *faults.Proxy)) func(*sandbox) invocation {
	return func(s *sandbox) invocation {
		server, config := s.ready()
		proxy := s.proxy(server, o)
		config.cluster["server"] = "https://" + proxiedName
		change(s, config, proxy)
		s.use(config)
		return with()
	}
}

// podded runs in a pod of the server's cluster.
func podded(kubeconfig func(s *sandbox, k *kubeconfig), flags ...string) func(*sandbox) invocation {
	return func(s *sandbox) invocation {
		server := s.server()
		s.servicePod(server)
		if kubeconfig != nil {
			config := configFor(server)
			kubeconfig(s, config)
			s.use(config)
		}
		return invocation{flags, s.becomePod}
	}
}

// policed uses a login command in a folder of PATH that is named with the folder, and a policy.
func policed(policy string) func(*sandbox) invocation {
	return changed(func(s *sandbox, k *kubeconfig) {
		s.script("path/login", printToken("T2"))
		k.withExec("path/login", nil)
		s.findsIn("path")
		s.kuberc(policy)
	})
}

func atHome(s *sandbox) (config *kubeconfig) {
	config = configFor(s.server())
	s.write("home/.kube/config", config.String())
	return config
}

func noCA(k *kubeconfig) { delete(k.cluster, "certificate-authority-data") }

func insecure(_ *sandbox, k *kubeconfig) {
	noCA(k)
	k.cluster["insecure-skip-tls-verify"] = true
}

func certificateOf(s *sandbox, name string) pki.Identity {
	s.Helper()
	id, err := authority.Client(name)
	s.must(err)
	return id
}

func serverAt(offset time.Duration) func(*pki.Authority) (pki.Identity, error) {
	return func(a *pki.Authority) (pki.Identity, error) {
		template := pki.ServerTemplate("127.0.0.1")
		template.NotBefore = template.NotBefore.Add(offset)
		template.NotAfter = template.NotAfter.Add(offset)
		return a.Sign(template)
	}
}

func inKubeconfig(_ *sandbox, k *kubeconfig, p *faults.Proxy) { k.cluster["proxy-url"] = p.URL }
