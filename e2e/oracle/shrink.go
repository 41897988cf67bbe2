package oracle

import (
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

// What identifies the objects is never dropped.
var kept = map[string]bool{"apiVersion": true, "kind": true, "metadata": true, "name": true, "namespace": true}

// shrinker holds the two objects as trees, because dropping a field is the same step anywhere.
type shrinker struct {
	judge    Judge
	binary   *Binary
	numeric  bool
	node, ds map[string]any
}

// report prints the smallest pair that still differs, with both answers.
func report(out io.Writer, judge Judge, binary *Binary, d *difference) error {
	s := &shrinker{judge: judge, binary: binary, numeric: d.numericTolerations}
	if err := errors.Join(toTree(d.node, &s.node), toTree(d.ds, &s.ds)); err != nil {
		return err
	}
	if _, _, differ := s.answers(); differ {
		for s.dropIn(s.node) || s.dropIn(s.ds) {
		}
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

// answers asks both sides about the trees as they are now.
func (s *shrinker) answers() (judged, answered Answer, differ bool) {
	node, ds := new(v1.Node), new(appsv1.DaemonSet)
	if fromTree(s.node, node) != nil || fromTree(s.ds, ds) != nil {
		return 0, 0, false
	}
	answers, err := s.binary.answers(&list{APIVersion: "v1", Kind: "List", Items: []any{s.node, s.ds}}, s.numeric)
	if err != nil {
		return 0, 0, false // refusing the input is another matter than answering it wrongly
	}
	judged = s.judge.answer(node, ds)
	answered, ok := answers[pair{ds.Namespace, ds.Name, node.Name}]
	if !ok {
		answered = Absent
	}
	return judged, answered, judged != answered
}

// dropIn drops whatever it can below tree, the largest parts first; true if anything went.
func (s *shrinker) dropIn(tree any) (dropped bool) {
	switch t := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(t)) {
			value := t[key]
			if !kept[key] {
				delete(t, key)
				if s.stillDiffers() {
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

func (s *shrinker) dropItems(parent map[string]any, key string, items []any) (dropped bool) {
	for i := len(items) - 1; i >= 0; i-- {
		shorter := append(append([]any{}, items[:i]...), items[i+1:]...)
		parent[key] = shorter
		if s.stillDiffers() {
			items, dropped = shorter, true
		}
		parent[key] = items
	}
	return dropped
}

func (s *shrinker) stillDiffers() bool {
	_, _, differ := s.answers()
	return differ
}

func toTree(object any, tree *map[string]any) error {
	content, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, tree)
}

func fromTree(tree map[string]any, object any) error {
	content, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, object)
}
