// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

const usage = `usage:
  oracle compare  [--binary PATH] [--pairs N] [--seed S]
  oracle generate [--seed S] [--nodes N] [--daemonsets M] [--wildness PERCENT]
  oracle check    FILE...

compare asks Kubernetes' code and the binary (default: $DSDOCTOR_BINARY) about random pairs of
DaemonSet and node; a difference is printed as small as it gets, exit 1. generate prints a
cluster with Kubernetes' answers. check asks again about printed ones.
`

// Command is the whole program; it returns its exit code: 0 if all answers agree, 1 for a
// difference, 2 for an error.
func Command(judge Judge, args []string) int {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	different, err := dispatch(judge, args[0], args[1:])
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "oracle:", err)
		return 2
	case different:
		return 1
	}
	return 0
}

func dispatch(judge Judge, command string, args []string) (different bool, err error) {
	flags := flag.NewFlagSet("oracle "+command, flag.ExitOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	seed := flags.Uint64("seed", 1, "")
	switch command {
	case "compare":
		path := flags.String("binary", os.Getenv("DSDOCTOR_BINARY"), "")
		pairs := flags.Int("pairs", 200_000, "")
		flags.Parse(args)
		return compare(judge, *path, *pairs, *seed)
	case "generate":
		nodes := flags.Int("nodes", 200, "")
		daemonSets := flags.Int("daemonsets", 100, "")
		wildness := flags.Int("wildness", 0, "")
		flags.Parse(args)
		if *nodes < 1 {
			return false, errors.New("a cluster needs at least one node")
		}
		return false, WriteStored(os.Stdout, judge, *seed, Generate(*seed, *nodes, *daemonSets, *wildness))
	case "check":
		flags.Parse(args)
		return check(judge, flags.Args())
	}
	return false, fmt.Errorf("unknown command %q: it is compare, generate or check", command)
}

func compare(judge Judge, path string, pairs int, seed uint64) (different bool, err error) {
	if pairs < 1 {
		return false, errors.New("comparing no pairs proves nothing: --pairs is at least 1")
	}
	dir, err := os.MkdirTemp("", "dsdoctor-oracle-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	binary, err := OpenBinary(path, dir)
	if err != nil {
		return false, err
	}
	return Compare(os.Stdout, judge, binary, pairs, seed)
}

func check(judge Judge, files []string) (anyDifferent bool, err error) {
	if len(files) == 0 {
		return false, errors.New("check needs files")
	}
	for _, file := range files {
		pairs, different, err := CheckStored(judge, file)
		if err != nil {
			return false, err
		}
		fmt.Printf("%s: %d of %d pairs differ from Kubernetes %s\n", file, different, pairs, judge.Release)
		anyDifferent = anyDifferent || different > 0
	}
	return anyDifferent, nil
}
