// SPDX-License-Identifier: Apache-2.0

// Command oracle is the oracle with a release of Kubernetes that is about two years older. It shows
// that the rules have not changed since.
package main

import (
	"os"

	"k8s.io/kubernetes/pkg/controller/daemon"

	"dsdoctor.dev/oracle"
	"dsdoctor.dev/oracle/release"
)

func main() {
	os.Exit(oracle.Command(oracle.Judge{
		Release:   release.Version(),
		ShouldRun: daemon.NodeShouldRunDaemonPod,
	}, os.Args[1:]))
}
