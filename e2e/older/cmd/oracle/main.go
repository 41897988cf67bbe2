// Command oracle is the oracle with a release of Kubernetes that is about two years older: the
// rules have not changed since, and this is how we know.
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
