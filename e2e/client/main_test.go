// Package client proves the cluster client from outside: the real binary, in an environment of
// its own, against a server that can misbehave (../faults) and beside a real kubectl.
package client

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"dsdoctor.dev/e2e/faults"
	"dsdoctor.dev/e2e/pki"
	"dsdoctor.dev/e2e/wine"
)

// Made once by TestMain, never changed after that.
var (
	binary    string
	testdata  string
	authority *pki.Authority
	stranger  *pki.Authority // nobody trusts it
	identity  pki.Identity   // the server's: its addresses and the names only a proxy knows
	recorded  *faults.Cluster
	larger    *faults.Cluster
)

// A name that resolves nowhere (RFC 6761), so that only a proxy can lead to it.
const proxiedName = "api.test.invalid"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == inPodWord {
		enterPod(os.Args[2], os.Args[3:]) // does not return
	}
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	// Most of the time is spent waiting: for time limits, repetitions, slow answers.
	parallel := "16"
	if wine.IsForWindows(binary) {
		parallel = "4" // its system is a bottleneck
		if err := startWindows(); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			os.Exit(endWindows(1))
		}
	}
	if err := flag.Set("test.parallel", parallel); err != nil {
		panic(err)
	}
	os.Exit(endWindows(m.Run()))
}

func prepare() (err error) {
	// A run without a binary must not look like a run that passed.
	if binary, err = exec.LookPath(os.Getenv("DSDOCTOR_BINARY")); err != nil {
		return fmt.Errorf("DSDOCTOR_BINARY must be the absolute path of the kubectl-dsdoctor to test: %w", err)
	}
	if testdata, err = filepath.Abs("../../testdata"); err != nil {
		return err
	}
	if authority, err = pki.NewAuthority("test authority"); err != nil {
		return err
	}
	if stranger, err = pki.NewAuthority("stranger"); err != nil {
		return err
	}
	if identity, err = authority.Server("127.0.0.1", "::1", "localhost", proxiedName, "example.com", "*.example.com"); err != nil {
		return err
	}
	if recorded, err = faults.LoadCluster(filepath.Join(testdata, "clusters", "autoscaler-taint.json")); err != nil {
		return err
	}
	larger, err = faults.LoadCluster(filepath.Join(testdata, "clusters", "mixed-40-nodes.json"))
	return err
}
