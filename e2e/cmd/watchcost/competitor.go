// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// competitor is a program that prints changes until it is interrupted.
type competitor struct {
	name, program string
	words         []string
	// shows reports whether a line that is printed after the change of a pod is about it.
	shows func(line, pod string) bool
	// metrics is a URL to scrape every second while pods change; empty: none.
	metrics string
}

// competitors are the binary, then what a user could run instead.
func competitors(o options) (chosen []*competitor, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	namesPod := func(line, pod string) bool { return slices.Contains(strings.Fields(line), pod) }
	showsChange := func(line, _ string) bool { return isChange(line) }
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	all := []*competitor{
		{"check -A -w", o.binary, []string{"check", "-A", "-w"}, showsChange, ""},
		{"serve", o.binary, []string{"serve", "--listen", address}, showsChange, "http://" + address + "/metrics"},
		{"kubectl get pods -A -w", o.kubectl, []string{"get", "pods", "-A", "-w"}, namesPod, ""},
		{"client-go informers", self, []string{"informer"}, namesPod, ""},
	}
	for _, c := range all {
		if strings.Contains(c.name, o.only) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--only %s: no program has this name", o.only)
	}
	return chosen, nil
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// scrape asks for the URL every second until ctx ends; returns how long the slowest answer took.
func scrape(ctx context.Context, url string) <-chan time.Duration {
	slowest := make(chan time.Duration, 1)
	go func() {
		var longest time.Duration
		for ctx.Err() == nil {
			begin := time.Now()
			if answer, err := http.Get(url); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				longest = max(longest, time.Since(begin))
			} else if ctx.Err() == nil {
				longest = time.Hour
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		slowest <- longest
	}()
	return slowest
}

// isChange: the time, then the mark of a problem that begins, changes or ends.
func isChange(line string) bool {
	_, rest, _ := strings.Cut(line, " ")
	return strings.HasPrefix(rest, "+ ") || strings.HasPrefix(rest, "~ ") || strings.HasPrefix(rest, "- ")
}

// figure is what a competitor costs.
type figure struct {
	name       string
	first      time.Duration
	idle, busy cost
	delays     []time.Duration
	missed     int
	scrape     time.Duration // the slowest one; 0: none
}

// delay is the median and the maximum.
func (f *figure) delay() string {
	if len(f.delays) == 0 {
		return "nothing shown"
	}
	slices.Sort(f.delays)
	text := fmt.Sprintf("%d/%d ms", f.delays[len(f.delays)/2].Milliseconds(), f.delays[len(f.delays)-1].Milliseconds())
	if f.missed > 0 {
		text += fmt.Sprintf(", %d missed", f.missed)
	}
	if f.scrape > 0 {
		text += fmt.Sprintf(", slowest scrape %.1f ms", float64(f.scrape.Microseconds())/1000)
	}
	return text
}

// output keeps the time of the last line, and of the first line that a mark waits for.
type output struct {
	mutex   sync.Mutex
	lines   int
	last    time.Time
	pending func(line string) bool
	shown   chan time.Time
}

func (o *output) read(from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		now := time.Now()
		o.mutex.Lock()
		o.lines++
		o.last = now
		if o.pending != nil && o.pending(lines.Text()) {
			o.shown <- now
			o.pending = nil
		}
		o.mutex.Unlock()
	}
}

// await returns a channel with the time of the first line from now on that matches.
func (o *output) await(matches func(string) bool) <-chan time.Time {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.pending, o.shown = matches, make(chan time.Time, 1)
	return o.shown
}

func (o *output) state() (lines int, last time.Time) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.lines, o.last
}

// measure runs the competitor through both phases.
func (c *competitor) measure(ctx context.Context, o options, dir string, load *load) (*figure, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	command := exec.Command(c.program, c.words...)
	command.Env = environment(dir)
	var complaint bytes.Buffer
	command.Stdout, command.Stderr = writer, &complaint
	started := time.Now()
	running, err := begin(command)
	writer.Close()
	if err != nil {
		return nil, err
	}
	var printed output
	go printed.read(reader)
	f := &figure{name: c.name}
	err = c.phases(ctx, o, running, &printed, load, f, started)
	select {
	case <-running.done:
		err = fmt.Errorf("it ended: %s\n%s", command.ProcessState, complaint.String())
	default:
	}
	running.end()
	return f, err
}

func (c *competitor) phases(ctx context.Context, o options, running *ending, printed *output, load *load, f *figure, started time.Time) error {
	pid := running.command.Process.Pid
	if err := settle(ctx, o, running, printed); err != nil {
		return err
	}
	_, last := printed.state()
	f.first = last.Sub(started)
	before := take(pid)
	if err := pause(ctx, running, o.phase); err != nil {
		return err
	}
	f.idle = take(pid).since(before)

	busy, stop := context.WithCancel(ctx)
	defer stop()
	changing := load.start(busy)
	var slowest <-chan time.Duration
	if c.metrics != "" {
		slowest = scrape(busy, c.metrics)
	}
	before = take(pid)
	end := time.Now().Add(o.phase)
	for i := range o.marks {
		// The changes are spread over the phase.
		next := end.Add(-o.phase + time.Duration(i)*o.phase/time.Duration(o.marks) + time.Second/2)
		if err := pause(ctx, running, time.Until(next)); err != nil {
			return err
		}
		if err := c.mark(ctx, printed, load, f); err != nil {
			return err
		}
	}
	if err := pause(ctx, running, time.Until(end)); err != nil {
		return err
	}
	f.busy = take(pid).since(before)
	stop()
	if slowest != nil {
		f.scrape = <-slowest
	}
	return <-changing
}

// mark makes a pod not ready, and waits for the line about it.
func (c *competitor) mark(ctx context.Context, printed *output, load *load, f *figure) error {
	pod := load.reserve()
	shown := printed.await(func(line string) bool { return c.shows(line, pod) })
	begin := time.Now()
	if err := load.set(ctx, pod, false); err != nil {
		return err
	}
	select {
	case at := <-shown:
		f.delays = append(f.delays, at.Sub(begin))
	case <-time.After(20 * time.Second):
		f.missed++
	case <-ctx.Done():
		return ctx.Err()
	}
	return load.set(ctx, pod, true)
}

// settle waits until the program has printed something and is at rest.
func settle(ctx context.Context, o options, running *ending, printed *output) error {
	pid := running.command.Process.Pid
	for deadline := time.Now().Add(o.settle); ; {
		before := take(pid)
		if err := pause(ctx, running, 3*time.Second); err != nil {
			return err
		}
		lines, last := printed.state()
		if lines > 0 && time.Since(last) > 2*time.Second && take(pid).since(before).cpu < 10 {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.New("it does not come to rest after the first state: see --settle")
		}
	}
}

// pause lets the time pass in which the program is measured.
func pause(ctx context.Context, running *ending, length time.Duration) error {
	select {
	case <-running.done:
		return errors.New("it ended")
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}
