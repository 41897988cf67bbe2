// SPDX-License-Identifier: Apache-2.0

// Command watchcost measures the cost of watching a large cluster: CPU, memory and delay of the
// binary, of kubectl and of a client-go program, first while nothing changes, then while pods become
// not ready and ready again all the time.
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
	cluster, binary, kubectl, only string
	nodes, daemonSets              int
	rate, marks                    int
	phase, settle                  time.Duration
}

const usage = `usage:
  watchcost --cluster FILE --binary FILE --kubectl FILE [--nodes N] [--daemon-sets M] ...
  watchcost informer    watch with client-go until interrupted: what the first form starts
`

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == "informer" {
		err = inform()
	} else {
		var o options
		flag.Usage = func() { fmt.Fprint(os.Stderr, usage); flag.PrintDefaults() }
		flag.StringVar(&o.cluster, "cluster", "", "the rig's cluster program")
		flag.StringVar(&o.binary, "binary", "", "the kubectl-dsdoctor to measure")
		flag.StringVar(&o.kubectl, "kubectl", "", "the kubectl to measure beside it")
		flag.StringVar(&o.only, "only", "", "measure only the programs whose name has this word")
		flag.IntVar(&o.nodes, "nodes", 5000, "make this many nodes")
		flag.IntVar(&o.daemonSets, "daemon-sets", 10, "make this many DaemonSets, with a pod on every node")
		flag.IntVar(&o.rate, "rate", 100, "change this many pods a second")
		flag.IntVar(&o.marks, "marks", 20, "measure the delay of this many changes")
		flag.DurationVar(&o.phase, "phase", time.Minute, "how long each phase takes")
		flag.DurationVar(&o.settle, "settle", 2*time.Minute, "how long a program may work on the first state")
		flag.Parse()
		err = measure(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "watchcost:", err)
		os.Exit(1)
	}
}

func measure(o options) error {
	if o.daemonSets < 1 || o.nodes < 1 || o.rate < 1 || o.marks < 1 {
		return errors.New("--nodes, --daemon-sets, --rate and --marks are at least 1")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "dsdoctor-watchcost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := startServer(ctx, o, dir)
	if err != nil {
		return err
	}
	defer server.end()
	load, err := newLoad(filepath.Join(dir, "kubeconfig"), o)
	if err != nil {
		return err
	}
	competitors, err := competitors(o)
	if err != nil {
		return err
	}
	var figures []*figure
	for _, c := range competitors {
		fmt.Println("measuring:", c.name)
		f, err := c.measure(ctx, o, dir, load)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		figures = append(figures, f)
	}
	fmt.Print("\n" + report(o, load, figures))
	return nil
}

func environment(dir string) []string {
	return []string{"KUBECONFIG=" + filepath.Join(dir, "kubeconfig"), "HOME=" + dir, "PATH=/usr/bin:/bin"}
}

// ending is a started process and its end.
type ending struct {
	command *exec.Cmd
	done    chan struct{}
}

func begin(command *exec.Cmd) (*ending, error) {
	if err := command.Start(); err != nil {
		return nil, err
	}
	e := &ending{command, make(chan struct{})}
	go func() {
		command.Wait()
		close(e.done)
	}()
	return e, nil
}

// end interrupts the process, and waits for it.
func (e *ending) end() {
	e.command.Process.Signal(os.Interrupt)
	select {
	case <-e.done:
	case <-time.After(time.Minute):
		e.command.Process.Kill()
		<-e.done
	}
}

// startServer waits until the cluster's pods exist.
func startServer(ctx context.Context, o options, dir string) (*ending, error) {
	command := exec.Command(o.cluster, "up", "--dir", dir, "--nodes", strconv.Itoa(o.nodes), "--server-only",
		"--daemon-sets", strconv.Itoa(o.daemonSets))
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	server, err := begin(command)
	if err != nil {
		return nil, err
	}
	// The kubeconfig is written last.
	for deadline := time.After(30 * time.Minute); ; {
		if _, err := os.Stat(filepath.Join(dir, "kubeconfig")); err == nil {
			return server, nil
		}
		select {
		case <-server.done:
			return nil, fmt.Errorf("the cluster ended: %s", command.ProcessState)
		case <-deadline:
			server.end()
			return nil, errors.New("the cluster is not ready after 30 minutes")
		case <-ctx.Done():
			server.end()
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// report is the table of all figures.
func report(o options, load *load, figures []*figure) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d nodes, %d DaemonSets with a pod on each; each phase %s; busy: %.0f of %d changes of pods a second\n\n",
		o.nodes, o.daemonSets, o.phase, load.slowest, o.rate)
	fmt.Fprintf(&text, "%-28s %9s %9s %9s %9s %9s %9s %15s\n", "", "first", "idle CPU", "idle RSS", "busy CPU", "busy RSS", "peak RSS", "delay med/max")
	for _, f := range figures {
		fmt.Fprintf(&text, "%-28s %7.1f s %8.2f%% %6.0f MB %8.2f%% %6.0f MB %6.0f MB %15s\n", f.name, f.first.Seconds(),
			f.idle.cpu, f.idle.memory, f.busy.cpu, f.busy.memory, f.busy.peak, f.delay())
	}
	text.WriteString("\nCPU: of one core. first: from the start to the first state. delay: from a change to the first line\n" +
		"about it; where lines are merged, to the first line after it.\n")
	return text.String()
}
