package controlplane

import (
	"flag"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// logTo sends what the components log to a file and nothing to the terminal: they complain
// about much that is normal while starting, and ours is the only line a user should read.
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
