// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"flag"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

// scenario is one situation. The nodes exist and are ready before the DaemonSets are created.
type scenario struct {
	name  string
	story string
	nodes []*v1.Node
	sets  []*appsv1.DaemonSet
	// first is expected before the first step; nil if the steps check it themselves.
	first expectation
	steps []step
}

// step changes something and then expects: want if it is set, else do contains the checks; later,
// if it is set, is expected of the same situation after it has lasted for a while.
type step struct {
	name  string
	do    func(w *world)
	want  expectation
	later expectation
}

// share is a part of the scenarios, "1/3" for example. Names decide, so that a new scenario does not
// move the others.
var share = flag.String("share", "1/1", "the part of the scenarios to run")

func inShare(t *testing.T, name string) bool {
	var part, parts uint32
	if _, err := fmt.Sscanf(*share, "%d/%d", &part, &parts); err != nil || part < 1 || part > parts {
		t.Fatalf("-share=%s: it is a part like 1/3", *share)
	}
	hash := fnv.New32a()
	hash.Write([]byte(name))
	return hash.Sum32()%parts == part-1
}

func runScenarios(t *testing.T, groups ...[]scenario) {
	runAll(t, slices.DeleteFunc(slices.Concat(groups...), func(s scenario) bool { return !inShare(t, s.name) }))
}

// runAll ignores the share.
func runAll(t *testing.T, groups ...[]scenario) {
	for _, s := range slices.Concat(groups...) {
		t.Run(s.name, func(t *testing.T) {
			t.Log(s.story)
			w := newWorld(t, s.name)
			w.addNodes(s.nodes...)
			w.addDaemonSets(s.sets...)
			if s.first != nil {
				w.settle(s.first)
			}
			for _, step := range s.steps {
				t.Log("step:", step.name)
				step.do(w)
				if step.want != nil {
					w.settle(step.want)
				}
				if step.later != nil {
					w.settleLater(step.later)
				}
			}
		})
	}
}

func three() []*v1.Node { return []*v1.Node{node("n1"), node("n2"), node("n3")} }

func sets(list ...*appsv1.DaemonSet) []*appsv1.DaemonSet { return list }
