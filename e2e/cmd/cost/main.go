// SPDX-License-Identifier: Apache-2.0

// Command cost measures the cost of reading a large cluster, in one run: CPU, memory and time of
// the binary, the CPU of the API server for the same lists, and the cost of other programs for the
// same lists: kubectl, a client-go program, curl.
//
// It does not import Kubernetes: the peak memory of a child, as the kernel counts it, is never less
// than that of its parent at the start.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type options struct {
	cluster, binary, kubectl, list, like string
	record, title                        string
	nodes, daemonSets, rounds            int
}

func main() {
	var o options
	flag.StringVar(&o.cluster, "cluster", "", "the rig's cluster program")
	flag.StringVar(&o.binary, "binary", "", "the kubectl-dsdoctor to measure")
	flag.StringVar(&o.kubectl, "kubectl", "", "the kubectl to measure beside it")
	flag.StringVar(&o.list, "list", "", "the rig's program of client-go")
	flag.StringVar(&o.record, "record", "", "append the figures to this file, as Markdown")
	flag.StringVar(&o.title, "title", "", "what the recorded figures are of: date, commit, processor")
	flag.StringVar(&o.like, "like", "", "a NodeList whose nodes are the model")
	flag.IntVar(&o.nodes, "nodes", 5000, "make this many nodes")
	flag.IntVar(&o.daemonSets, "daemon-sets", 0, "make this many DaemonSets, with a pod on every node")
	flag.IntVar(&o.rounds, "rounds", 3, "run everything so often; the cheapest run counts")
	flag.Parse()
	if err := measure(o); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func measure(o options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "dsdoctor-cost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := startServer(ctx, o, dir)
	if err != nil {
		return err
	}
	defer func() {
		server.Process.Signal(syscall.SIGTERM)
		server.Wait()
	}()
	what := "nodes"
	if o.daemonSets > 0 {
		what = "nodes,pods"
	}
	raw, err := curl(dir, strings.Split(what, ","))
	if err != nil {
		return err
	}
	runs := competitors(o, what, raw)
	for round := range o.rounds {
		for i, r := range runs {
			if err := write(ctx, o, dir, fmt.Sprintf("%d-%d", round, i)); err != nil {
				return err
			}
			if err := r.once(ctx, dir, server.Process.Pid); err != nil {
				return err
			}
		}
	}
	fmt.Print("\n" + report(o, runs))
	return record(o, runs)
}

// competitors are the binary, then the programs that a user could run instead for the lists of
// these kinds.
func competitors(o options, what string, raw []string) []*run {
	get := []string{"get", what, "-A", "-o", "json"}
	return []*run{
		{name: "explain -A", program: o.binary, words: []string{"explain", "-A"}},
		{name: "kubectl get " + what + " -o json", program: o.kubectl, words: get},
		{name: "the same, --disable-compression", program: o.kubectl, words: append(get[:len(get):len(get)], "--disable-compression")},
		{name: "client-go, JSON", program: o.list, words: []string{what}},
		{name: "client-go, protobuf", program: o.list, words: []string{"-protobuf", what}},
		{name: "curl, protobuf", program: "curl", words: raw},
		{name: "the same, --compressed", program: "curl", words: append(raw[:len(raw):len(raw)], "--compressed")},
	}
}

// write changes a node and a pod, as kubelets do all the time. A server whose objects have not
// changed since etcd's last compaction has no snapshot of them in memory, and reads every page from
// etcd.
func write(ctx context.Context, o options, dir, value string) error {
	objects := []string{"node/node-000"}
	if o.daemonSets > 0 {
		objects = append(objects, "pod/agent-000-node-000")
	}
	for _, object := range objects {
		command := exec.CommandContext(ctx, o.kubectl, "label", "--overwrite", object, "dsdoctor.dev/round="+value)
		command.Env = environment(dir)
		if said, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("labelling %s: %w\n%s", object, err, said)
		}
	}
	return nil
}

func environment(dir string) []string {
	return []string{"KUBECONFIG=" + filepath.Join(dir, "kubeconfig"), "HOME=" + dir, "PATH=/usr/bin:/bin"}
}

// startServer waits until the cluster's nodes exist.
func startServer(ctx context.Context, o options, dir string) (*exec.Cmd, error) {
	words := []string{"up", "--dir", dir, "--nodes", strconv.Itoa(o.nodes), "--server-only",
		"--daemon-sets", strconv.Itoa(o.daemonSets)}
	if o.like != "" {
		words = append(words, "--like", o.like)
	}
	server := exec.CommandContext(ctx, o.cluster, words...)
	server.Stdout, server.Stderr = os.Stdout, os.Stderr
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	if err := server.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	deadline := time.After(10 * time.Minute)
	for {
		if _, err := os.Stat(filepath.Join(dir, "kubeconfig")); err == nil {
			time.Sleep(2 * time.Second) // do not measure the end of the start-up
			return server, nil
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("the cluster ended: %w", err)
		case <-deadline:
			server.Process.Signal(syscall.SIGTERM)
			return nil, errors.New("the cluster is not ready after ten minutes")
		case <-ctx.Done():
			server.Wait()
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
			if processCPU(server.Process.Pid) < 0 {
				ended <- server.Wait()
			}
		}
	}
}
