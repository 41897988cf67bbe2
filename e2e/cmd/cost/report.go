// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strings"
)

// report has the ratios first, then the figures.
func report(o options, runs []*run) string {
	var text strings.Builder
	ours := runs[0]
	fmt.Fprintf(&text, "%d nodes, %d DaemonSets with a pod on each, the cheapest of %d runs each\n\n", o.nodes, o.daemonSets, o.rounds)
	fmt.Fprintf(&text, "%-34s %11s %9s %9s\n", ours.name+" beside", "client CPU", "memory", "wall")
	for _, r := range runs[1:] {
		fmt.Fprintf(&text, "%-34s %11.3f %9.3f %9.2f\n", r.name,
			ratio(ours.client, r.client), ratio(ours.memory, r.memory), ratio(ours.wall, r.wall))
	}
	fmt.Fprintf(&text, "%-34s %11.3f\n\n", "the server, for the same lists", ratio(ours.client, ours.server))
	fmt.Fprintf(&text, "%-34s %11s %11s %11s %9s %10s\n", "", "client CPU", "server CPU", "max RSS", "wall", "output")
	for _, r := range runs {
		fmt.Fprintf(&text, "%-34s %8d ms %8d ms %7.1f MiB %6d ms %6.1f MiB\n", r.name, r.client.Milliseconds(),
			r.server.Milliseconds(), float64(r.memory)/(1<<20), r.wall.Milliseconds(), float64(r.outputSize)/(1<<20))
	}
	return text.String()
}

// record appends the report to the history of figures if --record names one.
func record(o options, runs []*run) error {
	if o.record == "" {
		return nil
	}
	file, err := os.OpenFile(o.record, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	fmt.Fprintf(file, "\n## %s, a live cluster\n\n```\n%s```\n", o.title, report(o, runs))
	return file.Close()
}

func ratio[T ~int64](a, b T) float64 { return float64(a) / float64(b) }
