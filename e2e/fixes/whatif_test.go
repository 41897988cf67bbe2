// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const whatIfsPerRound = 12

// edit is a what-if flag, and the kubectl command that makes the same change.
type edit struct {
	flags   []string
	kubectl [][]string
	// tolerations are added to every DaemonSet in the question.
	tolerations []v1.Toleration
}

type verdict struct{ run, stay bool }

// askWhatIf asks a what-if question, makes the change, and asks about the result.
func (r *round) askWhatIf() {
	for range whatIfsPerRound {
		e := edit{}
		for range 1 + r.source.IntN(2) {
			r.addEdit(&e)
		}
		for len(e.flags) == 0 {
			r.addEdit(&e)
		}
		asked := r.sets
		words := []string{"explain", "--all-nodes", "-A"}
		if len(e.tolerations) > 0 {
			ds := pick(r.source, r.sets)
			asked = []*appsv1.DaemonSet{ds}
			words = []string{"explain", "--all-nodes", ds.Name, "-n", ds.Namespace}
		}
		compares := len(e.flags) == 2
		if compares {
			r.settleThese(asked)
		}
		foretold, settledThen := r.predicted(append(slices.Clone(words), e.flags...)...)
		for _, command := range e.kubectl {
			_, err := execute("", kubectl(), command...)
			r.must(err)
		}
		for _, ds := range asked {
			r.tolerate(ds, e.tolerations)
		}
		r.readNodes()
		real, _ := r.predicted(words...)
		if len(real) != len(asked)*len(r.nodes) {
			r.Fatalf("%d verdicts about %d DaemonSets and %d nodes", len(real), len(asked), len(r.nodes))
		}
		for of, is := range real {
			if foretold[of] != is {
				ds, _ := json.Marshal(asked)
				nodes, _ := json.Marshal(r.nodes)
				r.Fatalf("%q: %s: foretold %+v, is %+v\n%s\n%s", e.flags, of, foretold[of], is, ds, nodes)
			}
		}
		// With several changes one after the other, the controller also reacts to the states in
		// between.
		if compares {
			r.compareSettled(e, asked, settledThen)
		}
		r.figures.add(&r.figures.whatIfs, 1)
		r.figures.add(&r.figures.verdicts, len(real))
	}
}

// predicted is the answer: verdicts, and the settled counts by DaemonSet.
func (r *round) predicted(words ...string) (map[string]verdict, map[string]counts) {
	r.Helper()
	answer, err := askJSON[explanation](words...)
	r.must(err)
	verdicts := map[string]verdict{}
	for _, ds := range answer.DaemonSets {
		for _, node := range ds.Nodes {
			verdicts[ds.Namespace+"/"+ds.Name+" on "+node.Name] = verdict{node.ShouldRun, node.ShouldContinueRunning}
		}
	}
	settled := map[string]counts{}
	for _, ds := range answer.WhatIf.DaemonSets {
		settled[ds.Namespace+"/"+ds.Name] = ds.After.counts
	}
	return verdicts, settled
}

// settleThese waits until all sets are settled.
func (r *round) settleThese(sets []*appsv1.DaemonSet) {
	r.Helper()
	for _, ds := range sets {
		_, err := settle(ds, r.nodes)
		r.must(err)
	}
}

// compareSettled waits until nothing changes any more and compares the controller's counts.
func (r *round) compareSettled(e edit, asked []*appsv1.DaemonSet, predicted map[string]counts) {
	r.Helper()
	for _, ds := range asked {
		r.must(touch(ds))
		now, err := settle(ds, r.nodes)
		r.must(err)
		want, known := predicted[ds.Namespace+"/"+ds.Name]
		if got := now.settledCounts(r.nodes); !known || got != want {
			nodes, _ := json.Marshal(r.nodes)
			r.Fatalf("%q: %s: the controller counts %+v in the end, predicted was %+v\n%s\n%s", e.flags, ds.Name, got, want, asYAML(now.ds), nodes)
		}
		r.figures.add(&r.figures.settledCounts, 1)
	}
}

func (r *round) tolerate(ds *appsv1.DaemonSet, tolerations []v1.Toleration) {
	if len(tolerations) == 0 {
		return
	}
	now, err := get(ds)
	r.must(err)
	list := append(slices.Clone(now.Spec.Template.Spec.Tolerations), tolerations...)
	body, err := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"tolerations": list}}}})
	r.must(err)
	_, err = client.AppsV1().DaemonSets(ds.Namespace).Patch(
		context.Background(), ds.Name, types.MergePatchType, body, metav1.PatchOptions{})
	r.must(err)
}

// nodes are picked by name, by a glob or by a label.
func (r *round) nodesWord() (flag string, kubectl []string) {
	node := pick(r.source, r.nodes)
	switch r.source.IntN(3) {
	case 0:
		pool := poolLabel + "=" + node.Labels[poolLabel]
		return "@" + pool, []string{"--selector", pool}
	case 1:
		prefix := node.Name[:strings.IndexAny(node.Name, ".-")]
		for _, each := range r.nodes {
			if strings.HasPrefix(each.Name, prefix) {
				kubectl = append(kubectl, each.Name)
			}
		}
		return prefix + "*", kubectl
	}
	return node.Name, []string{node.Name}
}

func (r *round) addEdit(e *edit) {
	flag, nodes := r.nodesWord()
	do := func(flags []string, verb string, words ...string) {
		e.flags = append(e.flags, flags...)
		e.kubectl = append(e.kubectl, slices.Concat([]string{verb, "nodes"}, nodes, words))
	}
	node := pick(r.source, r.nodes)
	switch r.source.IntN(6) {
	case 0, 1:
		taint := r.source.taint(node.Name)
		text := fmt.Sprintf("%s=%s:%s", taint.Key, taint.Value, taint.Effect)
		if taint.Value == "" {
			text = fmt.Sprintf("%s:%s", taint.Key, taint.Effect)
		}
		do([]string{"--taint", flag + "=" + text}, "taint", text, "--overwrite")
	case 2:
		if len(node.Spec.Taints) == 0 || len(e.flags) > 0 {
			return // an earlier edit may have removed it
		}
		taint := pick(r.source, node.Spec.Taints)
		text := taint.Key
		if r.source.chance(50) {
			text += ":" + string(taint.Effect)
		}
		flag, nodes = node.Name, []string{node.Name}
		do([]string{"--untaint", flag + "=" + text}, "taint", text+"-")
	case 3:
		text := pick(r.source, []string{poolLabel + "=" + pick(r.source, pools), v1.LabelTopologyZone + "=" + pick(r.source, zones), "absent=" + pick(r.source, values)})
		if strings.HasPrefix(flag, "@") {
			flag, nodes = node.Name, []string{node.Name} // the label may be the one that selects
		}
		do([]string{"--label", flag + "=" + text}, "label", text, "--overwrite")
	case 4:
		flag, nodes = node.Name, []string{node.Name}
		if _, has := node.Labels[v1.LabelTopologyZone]; has && len(e.flags) == 0 {
			do([]string{"--unlabel", flag + "=" + v1.LabelTopologyZone}, "label", v1.LabelTopologyZone+"-")
		}
	default:
		taint := r.source.taint(node.Name)
		toleration := v1.Toleration{Key: taint.Key, Operator: v1.TolerationOpExists}
		text := taint.Key
		if taint.Value != "" {
			toleration.Operator, toleration.Value = v1.TolerationOpEqual, taint.Value
			text += "=" + taint.Value
		}
		if r.source.chance(70) {
			toleration.Effect = taint.Effect
			text += ":" + string(taint.Effect)
		}
		e.flags = append(e.flags, "--tolerate", text)
		e.tolerations = append(e.tolerations, toleration)
	}
}
