// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"io"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

// One run of the binary answers nodesPerRun x daemonSetsPerRun pairs, because starting it takes
// time.
const (
	nodesPerRun      = 500
	daemonSetsPerRun = 100
)

// difference is a pair on which the judge and the binary disagree.
type difference struct {
	node               *v1.Node
	ds                 *appsv1.DaemonSet
	numericTolerations bool
	judge, binary      Answer
}

// Compare checks at least pairs pairs. It stops at the first difference, shrinks it and reports it;
// found is true if there was one.
func Compare(out io.Writer, judge Judge, binary *Binary, pairs int, seed uint64) (found bool, err error) {
	begin := time.Now()
	checked := 0
	tally := map[Answer]int{}
	for run := uint64(0); checked < pairs; run++ {
		// Alternates between valid and wild clusters; the feature gate changes every second time.
		wildness := int(run%2) * 20
		numeric := judge.SetNumericTolerations != nil && run%4 >= 2
		if judge.SetNumericTolerations != nil {
			if err := judge.SetNumericTolerations(numeric); err != nil {
				return false, err
			}
		}
		cluster := Generate(seed+run, nodesPerRun, daemonSetsPerRun, wildness)
		answers, err := binary.answers(cluster, numeric)
		if err != nil {
			return false, fmt.Errorf("seed %d: %w", seed+run, err)
		}
		if d := firstDifference(judge, cluster, answers, tally); d != nil {
			d.numericTolerations = numeric
			fmt.Fprintf(out, "seed %d: after %d equal pairs a difference; shrinking it\n", seed+run, checked)
			return true, report(out, judge, binary, d)
		}
		checked += nodesPerRun * daemonSetsPerRun
	}
	seconds := time.Since(begin).Seconds()
	fmt.Fprintf(out, "%d pairs agree with Kubernetes %s (%d wanted, %d kept, %d excluded; seed %d; %.1f s, %.0f pairs/s)\n",
		checked, judge.Release, tally[Wanted], tally[Kept], tally[Excluded], seed, seconds, float64(checked)/seconds)
	return false, nil
}

func firstDifference(judge Judge, c *Cluster, answers map[pair]Answer, tally map[Answer]int) *difference {
	for _, ds := range c.DaemonSets {
		for _, node := range c.Nodes {
			want := judge.answer(node, ds)
			got, ok := answers[pair{ds.Namespace, ds.Name, node.Name}]
			if !ok {
				got = Absent
			}
			if got != want {
				return &difference{node: node, ds: ds, judge: want, binary: got}
			}
			tally[want]++
		}
	}
	return nil
}
