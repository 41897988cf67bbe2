// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dsdoctor.dev/e2e/faults"
)

// comparison is a situation in which kubectl and the binary are compared.
type comparison struct {
	name    string
	prepare func(s *sandbox) invocation
}

// invocation is the input of both besides the sandbox: flags, and a change of each command.
type invocation struct {
	flags  []string
	change func(*exec.Cmd)
}

func with(flags ...string) invocation { return invocation{flags: flags} }

// differences are the situations in which the two differ on purpose, each with its reason. D1 to
// D12 are the deliberate deviations; other reasons are spelled out.
var differences = map[string]string{
	"no HOME, a file in the working directory": "D1: a file of an untrusted folder is not read",
	"the context's cluster is missing":         "D4: said instead of asking localhost:8080",
	"the context's user is missing":            "D11: no prompt for user and password, the request is anonymous",
	"--token beside tokenFile":                 "D5: the flag wins",
	"in a pod, --request-timeout":              "D6: unrelated flags do not disturb the fallback",
	"in a pod, --as":                           "D6: unrelated flags do not disturb the fallback",
	"an expired OIDC token":                    "D8: not renewed, since that would have to be written back",
	"a redirect to another server":             "D9: not followed; kubectl takes the token along",
	"server with u:p over http":                "D12: no password in clear",
	"--request-timeout -5s":                    "none to both; kubectl still sends timeout=-5s to the server",
	"--request-timeout beyond reason":          "kubectl's seconds wrap around and end as none; ours end at 31 years",
	"--user and --context unknown":             "of two mistakes we name the user first, kubectl 1.36 the context",
}

// TestBesideKubectl checks for every situation that both reach the same server as the same user in
// the same namespace, or fail for the same reason.
func TestBesideKubectl(t *testing.T) {
	kubectl, err := exec.LookPath(os.Getenv("DSDOCTOR_KUBECTL"))
	if err != nil {
		t.Fatalf("DSDOCTOR_KUBECTL must be the absolute path of a kubectl: %v", err)
	}
	t.Parallel()
	comparisons := slices.Concat(configComparisons, networkComparisons)
	names := map[string]bool{}
	for _, c := range comparisons {
		if names[c.name] {
			t.Fatalf("%q is there twice", c.name)
		}
		names[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			skipOnWindows(t)
			t.Parallel()
			compare(t, kubectl, c)
		})
	}
	for name := range differences {
		if !names[name] {
			t.Errorf("a difference is listed for %q, which is no situation", name)
		}
	}
	t.Logf("%d situations, %d listed differences", len(comparisons), len(differences))
}

func compare(t *testing.T, kubectl string, c comparison) {
	s := newSandbox(t)
	i := c.prepare(s)
	s.env["KUBECACHEDIR"] = s.path("cache")
	theirs := s.outcome(i, kubectl, "get", "daemonsets.apps", "-o", "name")
	ours := s.outcome(i, binary, "explain")
	reason, listed := differences[c.name]
	if onWindows, fails := failsOnWindows(t.Name()); fails {
		reason, listed = onWindows, true
	}
	switch {
	case theirs.summary != ours.summary && !listed:
		t.Errorf("they differ\nkubectl:  %s\ndsdoctor: %s\nkubectl's stderr:  %s\ndsdoctor's stderr: %s",
			theirs.summary, ours.summary, theirs.stderr, ours.stderr)
	case theirs.summary == ours.summary && listed:
		t.Errorf("they no longer differ (%s): %s\ntake %q off the list of differences", ours.summary, reason, c.name)
	case listed:
		t.Logf("%s\nkubectl:  %s\ndsdoctor: %s", reason, theirs.summary, ours.summary)
	}
}

type outcome struct {
	summary, stderr string
}

// outcome runs one program and returns the server that it reached and its user, or the error.
func (s *sandbox) outcome(i invocation, program string, words ...string) outcome {
	for _, server := range s.servers {
		server.Forget()
	}
	r := s.runWith(i.change, program, append(words, i.flags...)...)
	for number, server := range s.servers {
		if lists := server.Requests("daemonsets"); len(lists) > 0 {
			return outcome{fmt.Sprintf("server %d, %s", number+1, asWhom(lists[0])), r.stderr}
		}
	}
	return outcome{kindOf(r.stderr), r.stderr}
}

// asWhom returns everything in a request that matters to a server.
func asWhom(r faults.Request) string {
	said := []string{r.Path, "Host " + r.Host, "SNI " + r.ServerName, r.Proto, "certificate " + r.ClientName}
	for name, values := range r.Header {
		if name == "Authorization" || strings.HasPrefix(name, "Impersonate-") {
			said = append(said, fmt.Sprintf("%s %q", name, values))
		}
	}
	slices.Sort(said[5:])
	if timeout := r.Query.Get("timeout"); timeout != "" {
		said = append(said, "timeout "+timeout)
	}
	return strings.Join(said, ", ")
}

// kinds classifies failures by the messages of both programs; the first match counts.
var kinds = []struct {
	name string
	text *regexp.Regexp
}{
	{"several problems", regexp.MustCompile(`(?s)Error in configuration:.*\* .*\* `)},
	{"unknown context", regexp.MustCompile(`context "[^"]*" does not exist|context was not found for specified context`)},
	{"unknown cluster in flag", regexp.MustCompile(`cluster "[^"]*" does not exist|no server found for cluster`)},
	{"unknown user in flag", regexp.MustCompile(`auth info "[^"]*" does not exist`)},
	{"plugin not allowed", regexp.MustCompile(`not allowed: policy set to|is not permitted by the credential plugin allowlist`)},
	{"plugin policy", regexp.MustCompile(`[Aa]llowlist`)},
	{"auth-provider removed", regexp.MustCompile(`auth plugin has been removed|was removed from Kubernetes`)},
	{"file missing", regexp.MustCompile(`^error: stat .*no such file or directory`)},
	{"insecure and a CA", regexp.MustCompile(`root certificates file with the insecure flag`)},
	{"certificate without key", regexp.MustCompile(`client-key-data or client-key must be specified`)},
	{"unreadable CA", regexp.MustCompile(`unable to read certificate-authority`)},
	{"two ways to log in", regexp.MustCompile(`more than one authentication method`)},
	{"impersonates nobody", regexp.MustCompile(`without impersonating a user`)},
	{"bad proxy-url", regexp.MustCompile(`invalid 'proxy-url'`)},
	{"bad timeout", regexp.MustCompile(`[Ii]nvalid timeout value|invalid argument .* for "--request-timeout"`)},
	{"bad namespace", regexp.MustCompile(`invalid namespace`)},
	{"bad token", regexp.MustCompile(`invalid header field value`)},
	{"interactiveMode missing", regexp.MustCompile(`interactiveMode must be specified`)},
	{"a private key that is none", regexp.MustCompile(`failed to parse private key`)},
	{"password and token file", regexp.MustCompile(`username/password or bearer token may be set`)},
	{"certificate and key do not match", regexp.MustCompile(`private key does not match|cannot be used together`)},
	{"unknown authority", regexp.MustCompile(`signed by unknown authority`)},
	{"wrong name", regexp.MustCompile(`certificate is valid for|not valid for any names|cannot validate certificate|legacy Common Name`)},
	{"expired or not yet valid", regexp.MustCompile(`has expired or is not yet valid`)},
	{"no TLS spoken", regexp.MustCompile(`server gave HTTP response to HTTPS client`)},
	{"TLS expected", regexp.MustCompile(`must begin with https|rejected our request for an unknown reason`)},
	{"TLS version", regexp.MustCompile(`protocol version`)},
	{"client certificate demanded", regexp.MustCompile(`certificate required|rejected the client certificate`)},
	{"proxy authentication", regexp.MustCompile(`Proxy Authentication Required`)},
	{"proxy refused", regexp.MustCompile(`proxyconnect tcp: dial tcp`)},
	{"refused by localhost:8080", regexp.MustCompile(`The connection to the server localhost:8080 was refused`)},
	{"refused", regexp.MustCompile(`The connection to the server \S+ was refused`)},
	{"unknown host", regexp.MustCompile(`no such host|server misbehaving|Temporary failure|network is unreachable`)},
	{"is a directory", regexp.MustCompile(`error loading config file.*is a directory`)},
	{"unreadable file", regexp.MustCompile(`error loading config file`)},
	{"both files broken", regexp.MustCompile(`(?s)error loading config file.*error loading config file`)},
}

func kindOf(stderr string) string {
	for _, kind := range kinds {
		if kind.text.MatchString(stderr) {
			return "failure: " + kind.name
		}
	}
	return "failure in other words: " + clip(stderr)
}
