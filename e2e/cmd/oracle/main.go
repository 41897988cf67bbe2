// SPDX-License-Identifier: Apache-2.0

// Command oracle compares kubectl-dsdoctor with Kubernetes' own code: the placement of daemon pods,
// and with "fit" whether they fit on their nodes; "gates" lists the feature gates of the release.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/features"

	"dsdoctor.dev/e2e/fit"
	"dsdoctor.dev/oracle"
	"dsdoctor.dev/oracle/release"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "fit" {
		os.Exit(fit.Command(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "gates" {
		printGates()
		return
	}
	os.Exit(oracle.Command(oracle.Judge{
		Release: release.Version(),
		ShouldRun: func(node *v1.Node, ds *appsv1.DaemonSet) (bool, bool) {
			return daemon.NodeShouldRunDaemonPod(logr.Discard(), node, ds)
		},
		SetNumericTolerations: func(on bool) error {
			return utilfeature.DefaultMutableFeatureGate.Set(
				fmt.Sprintf("%s=%v", features.TaintTolerationComparisonOperators, on))
		},
	}, os.Args[1:]))
}

// printGates prints a line for each feature gate of the release, for e2e/next.sh.
func printGates() {
	all := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		spec := all[name]
		state, stage := "off", string(spec.PreRelease)
		if spec.Default {
			state = "on"
		}
		if spec.LockToDefault {
			state += ", locked"
		}
		if stage == "" {
			stage = "GA"
		}
		fmt.Printf("%s: %s, %s\n", name, stage, state)
	}
}
