// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"fmt"
	"io"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dsdoctor.dev/oracle"
	"dsdoctor.dev/oracle/release"
)

// Number of cases in one run of the binary; large, because starting it takes time.
const casesPerRun = 1000

const (
	namespace     = "default"
	daemonSetName = "agent"
	daemonSetUID  = types.UID("6d5ab0a1-6f0e-4c4e-9c3f-3c2a3a1d1b11")
)

var daemonSetLabels = map[string]string{"app": daemonSetName}

// daemonSet is eligible on every node.
func daemonSet() *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: daemonSetName, UID: daemonSetUID, CreationTimestamp: created, Generation: 1,
		},
	}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: daemonSetLabels}
	ds.Spec.Template.Labels = daemonSetLabels
	ds.Spec.Template.Spec.Containers = []v1.Container{{Name: "c0", Image: "example/c0:1"}}
	return ds
}

// A pod in a different namespace on a node that is not in the list. Without it all pods would be in
// one namespace, as for users who cannot list the others: then the binary relies on the scheduler's
// messages about amounts and ports, and computes nothing that could be compared.
func elsewhere() *v1.Pod {
	pod := &v1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "elsewhere", CreationTimestamp: created},
	}
	pod.Spec.NodeName = "elsewhere"
	pod.Spec.Containers = []v1.Container{{Name: "c0", Image: "example/c0:1"}}
	pod.Status.Phase = v1.PodRunning
	return pod
}

func clusterOf(cases ...*Case) *oracle.List {
	items := []any{daemonSet(), elsewhere()}
	for _, c := range cases {
		items = append(items, c.Node, c.Pod)
		for _, other := range c.Others {
			items = append(items, other)
		}
	}
	return oracle.NewList(items...)
}

// explanation is the part of the binary's answer that is read.
type explanation struct {
	DaemonSets []struct {
		Nodes []struct {
			Name, Verdict string
			Findings      []struct{ ID string }
		}
	}
}

// answers are the binary's answers by node. A node without a pending pod in the answer is missing.
func answers(binary *oracle.Binary, cases ...*Case) (map[string]Obstacles, error) {
	var e explanation
	if err := binary.Explain(clusterOf(cases...), &e); err != nil {
		return nil, err
	}
	byNode := map[string]Obstacles{}
	for _, ds := range e.DaemonSets {
		for _, node := range ds.Nodes {
			if node.Verdict != "pending" {
				continue
			}
			var obstacles Obstacles
			for _, finding := range node.Findings {
				obstacles |= ofFinding(finding.ID)
			}
			byNode[node.Name] = obstacles
		}
	}
	return byNode, nil
}

// judged is a case with Kubernetes' answer.
type judged struct {
	*Case
	node      string
	obstacles Obstacles
	sound     bool
}

// run is the cases of one file.
type run struct {
	seed  uint64
	cases []judged
	err   error
}

// makeRun alternates between valid and wild cases.
func makeRun(seed, index uint64, cases int, kubelets string) run {
	made, err := Generate(seed+index, cases, index%2 == 1, kubelets)
	r := run{seed: seed + index, err: err}
	for i, c := range made {
		obstacles, sound, err := Judge(c)
		if err != nil {
			r.err = fmt.Errorf("seed %d, case %d: %w", r.seed, i, err)
			return r
		}
		r.cases = append(r.cases, judged{c, nodeName(i), obstacles, sound})
	}
	return r
}

// tally counts the compared cases, to show that they differ.
type tally struct {
	cases, fitting, unsound int
	by                      map[Obstacles]int // for each bit
}

func (t *tally) add(j judged) {
	t.cases++
	if !j.sound {
		t.unsound++
		return
	}
	if j.obstacles == 0 {
		t.fitting++
	}
	for _, f := range findings {
		if j.obstacles&f.obstacle != 0 {
			t.by[f.obstacle]++
		}
	}
}

// Options are those of the command.
type Options struct {
	Cases    int
	Seed     uint64
	All      bool   // do not stop at the first difference
	Kubelets string // the version of the nodes' kubelets
}

// Compare checks at least this many cases. It stops at the first difference, shrinks it and reports
// it; found is true if there was one. With All it counts the other differences as well, and reports
// those about further obstacles.
func Compare(out io.Writer, binary *oracle.Binary, o Options) (found bool, err error) {
	begin := time.Now()
	runs := make(chan run)
	done := make(chan struct{})
	defer close(done)
	go func() { // generates the next cases while the binary runs
		for index := uint64(0); ; index++ {
			select {
			case runs <- makeRun(o.Seed, index, casesPerRun, o.Kubelets):
			case <-done:
				return
			}
		}
	}()
	t := tally{by: map[Obstacles]int{}}
	differing := 0
	reported := Obstacles(0) // on which the two did not agree
	for t.cases < o.Cases {
		r := <-runs
		if r.err != nil {
			return false, r.err
		}
		list, err := differences(binary, r, &t, o.All)
		if err != nil {
			return false, fmt.Errorf("seed %d: %w", r.seed, err)
		}
		for _, d := range list {
			differing++
			if d.disputed&^reported == 0 && differing > 1 {
				continue
			}
			reported |= d.disputed
			fmt.Fprintf(out, "seed %d: after %d cases a difference; shrinking it\n", r.seed, t.cases)
			if err := report(out, binary, d.judged); err != nil || !o.All {
				return true, err
			}
		}
	}
	seconds := time.Since(begin).Seconds()
	if differing > 0 {
		fmt.Fprintf(out, "%d of %d cases differ from the scheduler of Kubernetes %s (seed %d)\n", differing, t.cases, release.Version(), o.Seed)
		return true, nil
	}
	fmt.Fprintf(out, "%d cases agree with the scheduler of Kubernetes %s (%d fit; seed %d; %.1f s, %.0f cases/s)\n",
		t.cases-t.unsound, release.Version(), t.fitting, o.Seed, seconds, float64(t.cases)/seconds)
	for _, f := range findings {
		fmt.Fprintf(out, "%9d %s\n", t.by[f.obstacle], f.id)
	}
	fmt.Fprintf(out, "%9d more were answered, but not compared: with sums beyond 64 bits Kubernetes' own answer is an accident\n", t.unsound)
	return false, nil
}

// disagreement is a case and the obstacles that only one of the two found.
type disagreement struct {
	*judged
	disputed Obstacles
}

// differences are the first one of a run, or all.
func differences(binary *oracle.Binary, r run, t *tally, all bool) (list []disagreement, err error) {
	var cases []*Case
	for _, j := range r.cases {
		cases = append(cases, j.Case)
	}
	byNode, err := answers(binary, cases...)
	if err != nil {
		return nil, err
	}
	for i, j := range r.cases {
		got, ok := byNode[j.node]
		if !ok || (j.sound && got != j.obstacles) {
			list = append(list, disagreement{&r.cases[i], got ^ j.obstacles})
			if !all {
				return list, nil
			}
		}
		t.add(j)
	}
	return list, nil
}
