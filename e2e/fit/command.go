// SPDX-License-Identifier: Apache-2.0

// Package fit compares kubectl-dsdoctor with the scheduler's own plugins for pods that do not fit
// on their nodes.
package fit

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"dsdoctor.dev/oracle"
	"dsdoctor.dev/oracle/release"
)

const usage = `usage:
  oracle fit [--binary PATH] [--cases N] [--seed S] [--all] [--kubelets VERSION]

Asks the scheduler's plugins and the binary (default: $DSDOCTOR_BINARY) what keeps random pods
from their nodes. A difference is printed as small as it gets, exit 1. Without --seed a fresh one
is taken and printed. With --all the other cases are compared nevertheless, and counted. With
--kubelets the nodes have this version, so that the binary takes the rules of that release.
`

// Command returns its exit code: 0 if all answers agree, 1 for a difference, 2 for an error.
func Command(args []string) int {
	different, err := compare(args)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "oracle:", err)
		return 2
	case different:
		return 1
	}
	return 0
}

func compare(args []string) (different bool, err error) {
	flags := flag.NewFlagSet("oracle fit", flag.ExitOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	path := flags.String("binary", os.Getenv("DSDOCTOR_BINARY"), "")
	cases := flags.Int("cases", 100_000, "")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()), "")
	all := flags.Bool("all", false, "")
	kubelets := flags.String("kubelets", release.Version(), "")
	flags.Parse(args)
	if *cases < 1 {
		return false, errors.New("comparing no cases proves nothing: --cases is at least 1")
	}
	dir, err := os.MkdirTemp("", "dsdoctor-oracle-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	binary, err := oracle.OpenBinary(*path, dir)
	if err != nil {
		return false, err
	}
	fmt.Printf("seed %d\n", *seed)
	return Compare(os.Stdout, binary, Options{Cases: *cases, Seed: *seed, All: *all, Kubelets: *kubelets})
}
