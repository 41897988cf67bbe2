// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Shrinker makes objects smaller as long as they still differ. They are decoded JSON, so that
// dropping a field is the same step at any depth.
type Shrinker struct {
	Kept   map[string]bool // keys that are never dropped, because they identify the objects
	Fixed  map[string]bool // keys under which nothing is dropped; may be nil
	Differ func() bool     // asks both sides about the current trees
}

var identity = map[string]bool{"apiVersion": true, "kind": true, "metadata": true, "name": true, "namespace": true}

// twoObjects are a pair on which the judge and the binary disagree.
type twoObjects struct {
	judge    Judge
	binary   *Binary
	numeric  bool
	node, ds map[string]any
}

// report prints the smallest pair that still differs, with both answers.
func report(out io.Writer, judge Judge, binary *Binary, d *difference) error {
	s := &twoObjects{judge: judge, binary: binary, numeric: d.numericTolerations}
	if err := errors.Join(Convert(d.node, &s.node), Convert(d.ds, &s.ds)); err != nil {
		return err
	}
	if _, _, differ := s.answers(); differ {
		shrinker := &Shrinker{Kept: identity, Differ: func() bool { _, _, differ := s.answers(); return differ }}
		shrinker.Shrink(s.node, s.ds)
	} else {
		fmt.Fprintln(out, "alone, the pair does not differ: the rest of the cluster matters")
	}
	judged, answered, differ := s.answers()
	if !differ {
		judged, answered = d.judge, d.binary
	}
	nodeYAML, err := yaml.Marshal(s.node)
	if err != nil {
		return err
	}
	dsYAML, err := yaml.Marshal(s.ds)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# Kubernetes %s: %s\n# the binary: %s\n# TaintTolerationComparisonOperators: %v\n%s---\n%s",
		judge.Release, judged, answered, s.numeric, nodeYAML, dsYAML)
	return nil
}

// answers asks both sides about the current trees.
func (s *twoObjects) answers() (judged, answered Answer, differ bool) {
	node, ds := new(v1.Node), new(appsv1.DaemonSet)
	if Convert(s.node, node) != nil || Convert(s.ds, ds) != nil {
		return 0, 0, false
	}
	answers, err := s.binary.answers(NewList(s.node, s.ds), s.numeric)
	if err != nil {
		return 0, 0, false // rejecting the input is not the same as answering wrongly
	}
	judged = s.judge.answer(node, ds)
	answered, ok := answers[pair{ds.Namespace, ds.Name, node.Name}]
	if !ok {
		answered = Absent
	}
	return judged, answered, judged != answered
}

// Shrink drops parts of the trees until every remaining part matters.
func (s *Shrinker) Shrink(trees ...map[string]any) {
	for dropped := true; dropped; {
		dropped = false
		for _, tree := range trees {
			dropped = s.dropIn(tree) || dropped
		}
	}
}

// dropIn drops parts below tree, the largest first; true if any was dropped.
func (s *Shrinker) dropIn(tree any) (dropped bool) {
	switch t := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(t)) {
			value := t[key]
			if s.Fixed[key] {
				continue
			}
			if !s.Kept[key] {
				delete(t, key)
				if s.Differ() {
					dropped = true
					continue
				}
				t[key] = value
			}
			if items, ok := value.([]any); ok {
				dropped = s.dropItems(t, key, items) || dropped
			}
			dropped = s.dropIn(t[key]) || dropped
		}
	case []any:
		for _, item := range t {
			dropped = s.dropIn(item) || dropped
		}
	}
	return dropped
}

func (s *Shrinker) dropItems(parent map[string]any, key string, items []any) (dropped bool) {
	for i := len(items) - 1; i >= 0; i-- {
		shorter := append(append([]any{}, items[:i]...), items[i+1:]...)
		parent[key] = shorter
		if s.Differ() {
			items, dropped = shorter, true
		}
		parent[key] = items
	}
	return dropped
}

// Convert converts an object by way of JSON; numbers keep their notation.
func Convert(from, into any) error {
	content, err := json.Marshal(from)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	return decoder.Decode(into)
}
