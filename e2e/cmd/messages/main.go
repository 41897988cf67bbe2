// SPDX-License-Identifier: Apache-2.0

// Command messages extracts from Kubernetes' sources the texts with which the scheduler and kubelets
// reject pods, and compares them with the table that the program's parser is tested with. It reads
// sources only and builds nothing of them, so that it works for any release.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const usage = `usage: messages [-write] VERSION...

Compares testdata/messages.tsv with the sources of these versions of k8s.io/kubernetes, such as
1.37.2, and prints what differs: "+" a text that the table lacks, "-" one that the source lacks.
`

var errDiffers = errors.New("the table differs from the sources")

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	path := flag.String("table", "../testdata/messages.tsv", "the table")
	tree := flag.String("tree", "", "folder with the sources of the one version; default: the module cache")
	write := flag.Bool("write", false, "correct the releases and add new texts, whose finding is ?, instead of printing them")
	flag.Parse()
	if flag.NArg() == 0 || (*tree != "" && flag.NArg() > 1) {
		flag.Usage()
		os.Exit(2)
	}
	err := run(*path, *tree, flag.Args(), *write)
	if errors.Is(err, errDiffers) {
		os.Exit(1)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "messages:", err)
		os.Exit(2)
	}
}

func run(path, tree string, versions []string, write bool) error {
	rows, err := readTable(path)
	if err != nil {
		return err
	}
	differs := false
	for _, version := range versions {
		release, err := releaseOf(version)
		if err != nil {
			return err
		}
		from := tree
		if from == "" {
			if from, err = cached(version); err != nil {
				return err
			}
		}
		texts, err := extract(from)
		if err != nil {
			return err
		}
		if write {
			rows.update(release, texts)
			continue
		}
		for _, line := range rows.differences(release, texts) {
			fmt.Println(line)
			differs = true
		}
		fmt.Fprintf(os.Stderr, "messages: %s has %d texts\n", version, len(texts))
	}
	if differs {
		return errDiffers
	}
	if write {
		return rows.write(path)
	}
	return nil
}

// cached returns the folder of the module in Go's cache.
func cached(version string) (string, error) {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return "", err
	}
	name := "kubernetes@v" + strings.TrimPrefix(version, "v")
	folder := filepath.Join(strings.TrimSpace(string(out)), "k8s.io", name)
	if _, err := os.Stat(folder); err != nil {
		return "", fmt.Errorf("%w; to fetch it: go mod download k8s.io/%s", err, name)
	}
	return folder, nil
}
