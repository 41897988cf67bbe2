// SPDX-License-Identifier: Apache-2.0

// Package client tests the cluster client from outside: the real binary, in an isolated
// environment, against a server that can misbehave (../faults) and compared with a real kubectl.
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

// Created once by TestMain, then constant.
var (
	binary    string
	testdata  string
	authority *pki.Authority
	stranger  *pki.Authority // not trusted by any kubeconfig
	identity  pki.Identity   // the server's: its addresses and the names that only a proxy can resolve
	recorded  *faults.Cluster
	larger    *faults.Cluster
)

// A name that does not resolve (RFC 6761), so that it is only reachable by a proxy.
const proxiedName = "api.test.invalid"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == inPodWord {
		enterPod(os.Args[2], os.Args[3:]) // does not return
	}
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	// The runs mostly wait: for time limits, retries, slow answers.
	parallel := "16"
	if wine.IsForWindows(binary) {
		parallel = "4" // wine's server is a bottleneck
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
	// Fail without a binary, instead of passing without a test.
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
