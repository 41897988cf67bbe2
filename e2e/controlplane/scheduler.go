// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
)

func startScheduler(ctx context.Context, kubeconfig string) (<-chan error, error) {
	s := options.NewOptions()
	flags := pflag.NewFlagSet("kube-scheduler", pflag.ContinueOnError)
	for _, set := range s.Flags.FlagSets {
		flags.AddFlagSet(set)
	}
	err := flags.Parse([]string{
		"--kubeconfig=" + kubeconfig,
		"--secure-port=0",
		"--leader-elect=false",
	})
	if err != nil {
		return nil, err
	}
	config, scheduler, err := app.Setup(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("kube-scheduler: %w", err)
	}
	return run(func() error { return app.Run(ctx, config, scheduler) }), nil
}
