// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"dsdoctor.dev/e2e/faults"
)

// namespaceRows are about namespaces, and the service account of a pod.
var namespaceRows = []row{
	{number: 62, about: "no namespace anywhere: default", check: func(s *sandbox) {
		server, _ := s.ready()
		s.run("explain")
		s.asked(server, "daemonsets", inNamespace("default"))
	}},
	{number: 63, about: "-n a -A: cluster-wide", check: func(s *sandbox) {
		server, _ := s.ready()
		s.answered(s.explain("-n", "a"))
		s.asked(server, "daemonsets", inNamespace(""))
	}},
	{number: 64, about: "-n '' with the context's namespace x: x", check: func(s *sandbox) {
		server, config := s.ready()
		config.context["namespace"] = "x"
		s.use(config)
		s.run("explain", "-n", "")
		s.asked(server, "daemonsets", inNamespace("x"))
	}},
	{number: 65, about: "-n ../secrets: rejected before any request", check: func(s *sandbox) {
		server, _ := s.ready()
		s.refused(s.run("explain", "-n", "../secrets"), "invalid namespace")
		s.untouched(server)
	}},
	{number: 66, about: "in a pod, context without namespace, POD_NAMESPACE=p: p", check: func(s *sandbox) {
		server, _ := s.ready()
		s.env["POD_NAMESPACE"] = "p"
		s.inPod(server, "explain")
		s.asked(server, "daemonsets", inNamespace("p"))
		server.Forget()
		delete(s.env, "POD_NAMESPACE")
		s.inPod(server, "explain")
		s.asked(server, "daemonsets", inNamespace("of-the-pod"))
	}},
	{number: 67, about: "in a pod, the context says default: default", check: func(s *sandbox) {
		server, config := s.ready()
		s.env["POD_NAMESPACE"] = "p"
		config.context["namespace"] = "default"
		s.use(config)
		s.inPod(server, "explain")
		s.asked(server, "daemonsets", inNamespace("default"))
	}},
	{number: 68, about: "in a pod, no kubeconfig: service account", check: func(s *sandbox) {
		server := s.server()
		s.answered(s.inPod(server, "explain", "-A"))
		s.asked(server, "", header("Authorization", "Bearer pod-token"))
	}},
	{number: 69, about: "and --request-timeout 5s or --as x: still (D6)", check: func(s *sandbox) {
		server := s.server()
		s.answered(s.inPod(server, "explain", "-A", "--request-timeout", "5s"))
		s.answered(s.inPod(server, "explain", "-A", "--as", "x"))
		s.asked(server, "", header("Authorization", "Bearer pod-token"))
		s.equal("impersonated", server.Requests("nodes")[1].Header.Get("Impersonate-User"), "x")
	}},
	{number: 70, about: "IPv6 service host: brackets", check: func(s *sandbox) {
		server := s.server()
		s.servicePod(server)
		s.env["KUBERNETES_SERVICE_HOST"] = "::1" // nothing listens on this address and port
		r := s.runInPod("explain", "-A")
		s.refused(r, "[::1]:"+portOf(server.Addr))
	}},
	{number: 71, about: "host variable, no token file: not in-cluster", check: func(s *sandbox) {
		server := s.server()
		s.servicePod(server)
		s.refused(s.explain(), "localhost:8080") // outside of the pod's mounts
		s.untouched(server)
	}},
	{number: 72, about: "token file rotated while pages are read: later pages carry the new one", check: func(s *sandbox) {
		server, config := s.ready()
		config.user = fields{"tokenFile": s.write("token", "first")}
		s.use(config)
		server.On("nodes", func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
			s.write("token", "second")
			cluster.ServeHTTP(w, r)
		}, faults.After(52*time.Second, faults.Healthy), faults.Healthy)
		s.answered(s.explain("--chunk-size", "10"))
		nodes := server.Requests("nodes")
		if len(nodes) != 3 {
			s.Fatalf("%d pages, not 3", len(nodes))
		}
		s.equal("the first page's", nodes[0].Header.Get("Authorization"), "Bearer first")
		s.equal("the last page's", nodes[2].Header.Get("Authorization"), "Bearer second")
	}},
}

// inNamespace checks the namespace of a path; "" for all.
func inNamespace(want string) func(faults.Request) error {
	return func(r faults.Request) error {
		got := ""
		if _, rest, found := strings.Cut(r.Path, "/namespaces/"); found {
			got, _, _ = strings.Cut(rest, "/")
		}
		if got != want {
			return fmt.Errorf("the namespace is %q, not %q", got, want)
		}
		return nil
	}
}

// servicePod writes the files that a kubelet mounts into every pod, and sets the variables.
func (s *sandbox) servicePod(server *faults.Server) {
	s.Helper()
	s.write("pod/token", "pod-token\n")
	s.write("pod/ca.crt", string(authority.PEM))
	s.write("pod/namespace", "of-the-pod")
	s.env["KUBERNETES_SERVICE_HOST"] = "127.0.0.1"
	s.env["KUBERNETES_SERVICE_PORT"] = portOf(server.Addr)
}

// inPod runs the binary as if in a pod of the server's cluster.
func (s *sandbox) inPod(server *faults.Server, arguments ...string) result {
	s.Helper()
	s.servicePod(server)
	return s.runInPod(arguments...)
}

func (s *sandbox) runInPod(arguments ...string) result {
	s.Helper()
	return s.runWith(s.becomePod, binary, arguments...)
}
