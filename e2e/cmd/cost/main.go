// Command cost measures what reading a large cluster costs, in one run: the CPU of the binary,
// the CPU of the API server for the same lists, and kubectl's CPU and memory beside them.
//
// It imports nothing of Kubernetes: a child's peak memory, as the kernel counts it, is never
// less than what its parent had when it started it.
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
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type options struct {
	cluster, binary, kubectl, like string
	nodes, daemonSets, rounds      int
}

func main() {
	var o options
	flag.StringVar(&o.cluster, "cluster", "", "the rig's cluster program")
	flag.StringVar(&o.binary, "binary", "", "the kubectl-dsdoctor to measure")
	flag.StringVar(&o.kubectl, "kubectl", "", "the kubectl to measure beside it")
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
	get := []string{"get", what, "-A", "-o", "json"}
	runs := []*run{
		{name: "dsdoctor explain -A", program: o.binary, words: []string{"explain", "-A"}},
		{name: "kubectl get " + what + " -o json", program: o.kubectl, words: get},
		{name: "  the same, --disable-compression", program: o.kubectl,
			words: append(slices.Clone(get), "--disable-compression")},
		{name: "curl, the same as protobuf", program: "curl", words: raw},
		{name: "  the same, --compressed", program: "curl", words: append(slices.Clone(raw), "--compressed")},
	}
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
	show(o, runs)
	return nil
}

// write changes a node and a pod, as kubelets do all the time. A server whose objects have not changed since
// etcd's last compaction has no snapshot of them in memory, and reads every page from etcd.
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

// startServer waits until the cluster's nodes are there.
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
			time.Sleep(2 * time.Second) // what start-up has left to do is not ours to measure
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

// run is one command and the least that it has cost.
type run struct {
	name, program      string
	words              []string
	client, server     time.Duration // CPU, user and system
	wall               time.Duration
	memory, outputSize int64 // bytes
}

func (r *run) once(ctx context.Context, dir string, server int) error {
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		return err
	}
	defer output.Close()
	command := exec.CommandContext(ctx, r.program, r.words...)
	command.Env = environment(dir)
	var complaint strings.Builder
	command.Stdout, command.Stderr = output, &complaint
	before, begin := processCPU(server), time.Now()
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", r.name, err, complaint.String())
	}
	wall := time.Since(begin)
	serverCPU := processCPU(server) - before
	client := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	memory := command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	if info, err := output.Stat(); err == nil {
		r.outputSize = info.Size()
	}
	if r.client == 0 || client < r.client {
		r.client = client
	}
	if r.wall == 0 || wall < r.wall {
		r.wall = wall
	}
	if r.server == 0 || serverCPU < r.server {
		r.server = serverCPU
	}
	if r.memory == 0 || memory < r.memory {
		r.memory = memory
	}
	return nil
}

// processCPU is what a process has used so far, user and system; negative when it has ended.
func processCPU(pid int) time.Duration {
	const perSecond = 100 // USER_HZ, fixed on Linux
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return -1
	}
	// The command name, in parentheses, may itself hold spaces and parentheses.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 || fields[0] == "Z" {
		return -1
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / perSecond
}

func show(o options, runs []*run) {
	fmt.Printf("\n%d nodes, %d DaemonSets with a pod on each, the cheapest of %d runs each\n", o.nodes, o.daemonSets, o.rounds)
	fmt.Printf("%-34s %11s %11s %11s %9s %10s\n", "", "client CPU", "server CPU", "max RSS", "wall", "output")
	for _, r := range runs {
		fmt.Printf("%-34s %8d ms %8d ms %7.1f MiB %6d ms %6.1f MiB\n", r.name, r.client.Milliseconds(),
			r.server.Milliseconds(), float64(r.memory)/(1<<20), r.wall.Milliseconds(), float64(r.outputSize)/(1<<20))
	}
	ours, kubectl, raw, packed := runs[0], runs[1], runs[3], runs[4]
	fmt.Printf("\nclient CPU is %.2f of the server's for the same lists, %.2f of kubectl's; memory is %.3f of kubectl's; wall is %.2f of curl's, %.2f of --compressed\n",
		ratio(ours.client, ours.server), ratio(ours.client, kubectl.client), ratio(ours.memory, kubectl.memory),
		ratio(ours.wall, raw.wall), ratio(ours.wall, packed.wall))
}

func ratio[T ~int64](a, b T) float64 { return float64(a) / float64(b) }
