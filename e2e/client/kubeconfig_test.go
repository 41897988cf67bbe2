// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/base64"

	"sigs.k8s.io/yaml"

	"dsdoctor.dev/e2e/faults"
	"dsdoctor.dev/e2e/pki"
)

// fields is a YAML mapping.
type fields map[string]any

// kubeconfig has the content of the specification's table: context c1, cluster k1 with the server's
// URL and its CA, user u1 with token T1. A check changes the fields that its row is about.
type kubeconfig struct {
	cluster, user, context fields
	current                string
	more                   fields // top-level fields
}

const token = "T1"

func configFor(server *faults.Server) *kubeconfig {
	return &kubeconfig{
		cluster: fields{"server": server.URL, "certificate-authority-data": base64.StdEncoding.EncodeToString(authority.PEM)},
		user:    fields{"token": token},
		context: fields{"cluster": "k1", "user": "u1"},
		current: "c1",
		more:    fields{"apiVersion": "v1", "kind": "Config"},
	}
}

func (k *kubeconfig) String() string {
	document := fields{
		"current-context": k.current,
		"clusters":        []fields{{"name": "k1", "cluster": k.cluster}},
		"users":           []fields{{"name": "u1", "user": k.user}},
		"contexts":        []fields{{"name": "c1", "context": k.context}},
	}
	for name, value := range k.more {
		document[name] = value
	}
	text, err := yaml.Marshal(document)
	if err != nil {
		panic(err) // plain values always marshal
	}
	return string(text)
}

// use writes the kubeconfig and sets KUBECONFIG to it.
func (s *sandbox) use(k *kubeconfig) string {
	s.Helper()
	path := s.write("kc", k.String())
	s.env["KUBECONFIG"] = path
	return path
}

// ready starts a server and uses a kubeconfig for it.
func (s *sandbox) ready(change ...func(*faults.Options)) (*faults.Server, *kubeconfig) {
	s.Helper()
	server := s.server(change...)
	config := configFor(server)
	s.use(config)
	return server, config
}

// withCertificate gives the user a client certificate instead of a token.
func (k *kubeconfig) withCertificate(id pki.Identity) *kubeconfig {
	k.user = fields{
		"client-certificate-data": base64.StdEncoding.EncodeToString(id.Cert),
		"client-key-data":         base64.StdEncoding.EncodeToString(id.Key),
	}
	return k
}

// withExec gives the user a login command instead of a token.
func (k *kubeconfig) withExec(command string, more fields) *kubeconfig {
	exec := fields{"apiVersion": "client.authentication.k8s.io/v1", "command": command, "interactiveMode": "Never"}
	for name, value := range more {
		if value == nil {
			delete(exec, name)
		} else {
			exec[name] = value
		}
	}
	k.user = fields{"exec": exec}
	return k
}

// through replaces the server by a name that only a proxy can resolve.
func (k *kubeconfig) through(proxyURL string) *kubeconfig {
	k.cluster["server"] = "https://" + proxiedName
	if proxyURL != "" {
		k.cluster["proxy-url"] = proxyURL
	}
	return k
}
