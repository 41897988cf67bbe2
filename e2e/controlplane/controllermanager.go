// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
)

// The controllers that the scenarios of DaemonSets depend on. Others would only cost start-up time.
var controllers = []string{
	names.DaemonSetController,
	names.NodeLifecycleController,
	names.TaintEvictionController,
	names.PodGarbageCollectorController,
	names.GarbageCollectorController,
	names.NamespaceController,
	names.ResourceQuotaController,
	names.ServiceAccountController,
	names.ServiceAccountTokenController,
	names.ResourceClaimController,
	names.DeviceTaintEvictionController,
}

func startControllerManager(ctx context.Context, o Options, kubeconfig string, keys *keyFiles) (<-chan error, error) {
	s, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	all, disabled, aliases := app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases()
	sets := s.Flags(all, disabled, aliases)
	s.ParsedFlags = &sets
	flags := pflag.NewFlagSet("kube-controller-manager", pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		flags.AddFlagSet(set)
	}
	grace := "8s"
	if o.PatientWithNodes {
		grace = "5m"
	}
	err = flags.Parse([]string{
		"--kubeconfig=" + kubeconfig,
		"--secure-port=0",
		"--leader-elect=false",
		"--controllers=" + strings.Join(controllers, ","),
		// Each controller acts with its own account's permissions, as in a real cluster.
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + keys.serviceAccount,
		"--root-ca-file=" + keys.caFile,
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		// A node that does not report is detected in seconds instead of most of a minute; the rules
		// that follow from it are unchanged.
		"--node-monitor-period=1s",
		"--node-monitor-grace-period=" + grace,
		"--node-startup-grace-period=10s",
		"--node-eviction-rate=100",
		"--secondary-node-eviction-rate=100",
		"--large-cluster-size-threshold=1",
	})
	if err != nil {
		return nil, err
	}
	config, err := s.Config(ctx, all, disabled, aliases)
	if err != nil {
		return nil, fmt.Errorf("kube-controller-manager: %w", err)
	}
	return run(func() error { return app.Run(ctx, config.Complete()) }), nil
}
