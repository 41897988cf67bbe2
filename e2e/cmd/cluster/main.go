// SPDX-License-Identifier: Apache-2.0

// Command cluster runs a Kubernetes control plane with simulated kubelets on this machine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dsdoctor.dev/e2e/controlplane"
)

const usage = `usage:
  cluster up   --dir DIR [--nodes N [--like FILE]] [--daemon-sets M] [--server-only] [--detach]
               [--enable-admission-plugins A,B] [--feature-gates A=true]
  cluster down --dir DIR

up writes DIR/kubeconfig and stays until it is interrupted, or with --detach until "down".
FILE is a NodeList in JSON: the nodes are made like those, in turn. --server-only leaves out
the controllers, the scheduler and the kubelets: nothing happens unless somebody asks. M
DaemonSets have a ready pod on every node; only with --server-only, or the pods would be made twice.
`

func main() {
	if err := dispatch(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func dispatch(args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	flags := flag.NewFlagSet("cluster "+args[0], flag.ExitOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	dir := flags.String("dir", "", "where the kubeconfig is written")
	switch args[0] {
	case "up":
		nodes := flags.Int("nodes", 0, "make this many nodes")
		like := flags.String("like", "", "a NodeList whose nodes are the model")
		daemonSets := flags.Int("daemon-sets", 0, "make this many DaemonSets, with their pods")
		serverOnly := flags.Bool("server-only", false, "no controllers, scheduler, kubelets")
		detach := flags.Bool("detach", false, "return when ready")
		plugins := flags.String("enable-admission-plugins", "", "admission plugins beside the default ones")
		gates := flags.String("feature-gates", "", "feature gates of all components")
		flags.Parse(args[1:])
		if err := absolute(dir); err != nil {
			return err
		}
		o := controlplane.Options{AdmissionPlugins: splitList(*plugins), FeatureGates: *gates, ServerOnly: *serverOnly}
		models, err := readNodes(*like)
		if err != nil {
			return err
		}
		if *daemonSets > 0 && !*serverOnly {
			return errors.New("--daemon-sets needs --server-only")
		}
		if *detach {
			return detached(*dir, args[1:])
		}
		return up(*dir, shape{*nodes, models, *daemonSets}, o)
	case "down":
		flags.Parse(args[1:])
		if err := absolute(dir); err != nil {
			return err
		}
		return down(*dir)
	default:
		return fmt.Errorf("unknown command %q: it is up or down", args[0])
	}
}

func splitList(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// absolute makes the printed KUBECONFIG usable from any folder.
func absolute(dir *string) (err error) {
	if *dir == "" {
		return errors.New("--dir is missing: say where the kubeconfig goes")
	}
	*dir, err = filepath.Abs(*dir)
	return err
}
