// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// Every request is recorded with its user agent and verb; bodies are not needed.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
`

type apiServer struct {
	url  string
	done <-chan error
}

func startAPIServer(ctx context.Context, o Options, home string, keys *keyFiles, etcd string) (*apiServer, error) {
	policy := filepath.Join(home, "audit-policy.yaml")
	tokens := filepath.Join(home, "tokens.csv")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(tokens, tokenFile(o.Tokens), 0o600); err != nil {
		return nil, err
	}
	// The socket is opened here and passed on, so that no other program can take the port in
	// between.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no free port on loopback: %w", err)
	}

	s := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range s.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	args := []string{
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none",
		"--etcd-servers=" + etcd,
		"--tls-cert-file=" + keys.certFile,
		"--tls-private-key-file=" + keys.keyFile,
		"--client-ca-file=" + keys.caFile,
		"--token-auth-file=" + tokens,
		"--authorization-mode=RBAC",
		"--audit-policy-file=" + policy,
		"--audit-log-path=" + filepath.Join(home, auditLogName),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + keys.serviceAccount,
		"--service-account-key-file=" + keys.serviceAccount,
		"--service-cluster-ip-range=10.0.0.0/16",
		"--allow-privileged=true",
		"--enable-priority-and-fairness=false",
	}
	if len(o.AdmissionPlugins) > 0 {
		args = append(args, "--enable-admission-plugins="+strings.Join(o.AdmissionPlugins, ","))
	}
	if o.Admission != "" {
		file := filepath.Join(home, "admission.yaml")
		if err := os.WriteFile(file, []byte(o.Admission), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "--admission-control-config-file="+file)
	}
	if o.FeatureGates != "" {
		args = append(args, "--feature-gates="+o.FeatureGates)
	}
	if o.RuntimeConfig != "" {
		args = append(args, "--runtime-config="+o.RuntimeConfig)
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	s.SecureServing.Listener = listener
	s.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port

	if err := s.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	completed, err := s.Complete(ctx)
	if err != nil {
		return nil, err
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return nil, fmt.Errorf("kube-apiserver: %w", errs[0])
	}
	done := run(func() error { return app.Run(ctx, completed) })
	return &apiServer{url: "https://" + listener.Addr().String(), done: done}, nil
}

// tokenFile has a line for each user: token, name, uid. The token of a user is "token-NAME".
func tokenFile(users []string) []byte {
	var b strings.Builder
	for _, user := range users {
		fmt.Fprintf(&b, "%s,%s,%s\n", tokenOf(user), user, user)
	}
	return []byte(b.String())
}

func tokenOf(user string) string { return "token-" + user }
