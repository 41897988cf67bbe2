// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"

	"dsdoctor.dev/oracle"
	"dsdoctor.dev/oracle/release"
)

// Fields that identify the objects, or from which the pod's target and age are read, are not
// changed.
var (
	kept  = map[string]bool{"apiVersion": true, "kind": true, "name": true, "nodeName": true, "spec": true, "status": true}
	fixed = map[string]bool{"metadata": true, "affinity": true}
)

// difference is a case as trees, to be shrunk.
type difference struct {
	binary    *oracle.Binary
	node, pod map[string]any
	others    []map[string]any
}

// report prints the smallest objects on which the two still differ, with both answers.
func report(out io.Writer, binary *oracle.Binary, j *judged) error {
	d := &difference{binary: binary, others: make([]map[string]any, len(j.Others))}
	err := errors.Join(oracle.Convert(j.Node, &d.node), oracle.Convert(j.Pod, &d.pod))
	for i, other := range j.Others {
		err = errors.Join(err, oracle.Convert(other, &d.others[i]))
	}
	if err != nil {
		return err
	}
	want, got := j.obstacles.String(), "no answer for this pod"
	if judged, answered, differ := d.answers(); differ {
		d.shrink(judged, answered)
		judged, answered, _ = d.answers()
		want, got = judged.String(), answered.String()
	} else if byNode, err := answers(binary, j.Case); err == nil {
		if answered, ok := byNode[j.node]; ok {
			got = answered.String()
			fmt.Fprintln(out, "alone, the case does not differ: the rest of the cluster matters")
		}
	}
	fmt.Fprintf(out, "# Kubernetes %s: %s\n# the binary: %s\n", release.Version(), want, got)
	var ds map[string]any
	if err := oracle.Convert(daemonSet(), &ds); err != nil {
		return err
	}
	for _, object := range append([]map[string]any{ds, d.node, d.pod}, d.others...) {
		text, err := asYAML(object)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "---\n%s", text)
	}
	return nil
}

// asYAML falls back to JSON, which is YAML, for an object with a number whose notation would be
// lost.
func asYAML(object map[string]any) ([]byte, error) {
	asJSON, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	text, err := yaml.JSONToYAML(asJSON)
	if err != nil {
		return nil, err
	}
	if back, err := yaml.YAMLToJSON(text); err != nil || !bytes.Equal(back, asJSON) {
		return append(asJSON, '\n'), nil
	}
	return text, nil
}

// shrink keeps the bits on which the two did not agree, and does not allow new ones.
func (d *difference) shrink(firstJudged, firstAnswered Obstacles) {
	differ := func() bool {
		judged, answered, differ := d.answers()
		return differ && (judged^answered)&(firstJudged^firstAnswered) != 0 &&
			(judged|answered)&^(firstJudged|firstAnswered) == 0
	}
	d.dropOthers(differ)
	shrinker := &oracle.Shrinker{Kept: kept, Fixed: fixed, Differ: differ}
	shrinker.Shrink(append(append([]map[string]any{}, d.others...), d.pod, d.node)...)
	d.dropOthers(differ)
}

func (d *difference) dropOthers(differ func() bool) {
	for i := len(d.others) - 1; i >= 0; i-- {
		all := d.others
		d.others = append(append([]map[string]any{}, all[:i]...), all[i+1:]...)
		if !differ() {
			d.others = all
		}
	}
}

// answers asks both sides about the current trees. A case that one of them rejects is not a
// difference: rejecting it is not the same as answering wrongly.
func (d *difference) answers() (judged, answered Obstacles, differ bool) {
	c := new(Case)
	var err error
	put := func(tree map[string]any) json.RawMessage {
		content, failure := json.Marshal(tree)
		err = errors.Join(err, failure)
		return content
	}
	c.Node, c.Pod = put(d.node), put(d.pod)
	for _, other := range d.others {
		c.Others = append(c.Others, put(other))
	}
	if err != nil {
		return 0, 0, false
	}
	judged, sound, err := Judge(c)
	if err != nil || !sound {
		return 0, 0, false
	}
	byNode, err := answers(d.binary, c)
	if err != nil || len(byNode) != 1 {
		return 0, 0, false
	}
	for _, answered = range byNode {
	}
	return judged, answered, judged != answered
}
