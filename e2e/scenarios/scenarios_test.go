// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
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

func runScenarios(t *testing.T, groups ...[]scenario) {
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
