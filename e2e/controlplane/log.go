// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"flag"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// logTo redirects the logs of the components to a file: while starting they log errors that are
// normal, and users should only see our own messages.
func logTo(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{
		"logtostderr": "false", "alsologtostderr": "false", "stderrthreshold": "FATAL",
	} {
		if err := flags.Set(name, value); err != nil {
			return err
		}
	}
	klog.SetOutput(file)
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	return nil
}
