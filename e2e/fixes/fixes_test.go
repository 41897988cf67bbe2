// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	mostRounds = 12
	// Every kubectlEvery-th treatment only uses kubectl; the others send the same bytes as API
	// requests, which is cheaper.
	kubectlEvery = 20
	// Number of forms in treatments without kubectl; the forms change from one treatment to the
	// next.
	formsWithoutKubectl = 3
	// Number of fixes without --for that are applied to one DaemonSet.
	mostOfEach = 3
)

func TestFixes(t *testing.T) {
	total := newFigures()
	for number := 0; total.cases < *caseCount; number++ {
		if number == mostRounds {
			t.Fatalf("only %d cases in %d rounds", total.cases, number)
		}
		r := &round{T: t, source: newSource(uint64(number)), number: number, figures: total}
		for _, part := range []func(){r.build, r.fixAll, r.changeNodes, r.askWhatIf, r.clear} {
			began := time.Now()
			part()
			r.took = append(r.took, time.Since(began).Round(time.Millisecond))
		}
		t.Logf("round %d: %d cases so far; building, fixes, commands about nodes, what-if, clearing took %v", number, total.cases, r.took)
	}
	fmt.Println(total, "\n  all accepted, all as predicted; seed", *seed)
}

func (r *round) fixAll() {
	r.inParallel(func(i int) error {
		p := &practice{round: r, source: newSource(uint64(1000*(r.number+1) + i)), set: i}
		for _, target := range p.source.targets(r.nodes) {
			if r.figures.reached(*caseCount) {
				return nil
			}
			if err := p.fix(target); err != nil {
				return err
			}
		}
		return p.alternatives()
	})
}

// practice tests one DaemonSet, one fix after the other.
type practice struct {
	*round
	source source
	set    int
	turn   int
}

func (p *practice) ask(target string) (*settled, *fixesOf, error) {
	before, err := settle(p.sets[p.set], p.nodes)
	if err != nil {
		return nil, nil, err
	}
	words := []string{"suggest", before.ds.Name, "-n", before.ds.Namespace}
	if target != "" {
		words = append(words, "--for", target)
	}
	answer, err := askJSON[suggestions](words...)
	if err != nil {
		return nil, nil, err
	}
	if len(answer.DaemonSets) != 1 {
		return nil, nil, fmt.Errorf("%q: %d DaemonSets in the answer", words, len(answer.DaemonSets))
	}
	return before, &answer.DaemonSets[0], nil
}

func (p *practice) fix(target string) error {
	before, answer, err := p.ask(target)
	if err != nil {
		return err
	}
	found := slices.Clone(answer.Suggestions)
	p.source.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	for i := range min(len(found), mostOfEach) {
		if i > 0 { // the previous treatment may have left pods
			if before, answer, err = p.ask(target); err != nil {
				return err
			}
		}
		if err := p.treat(before, answer, target, found[i].ID); err != nil {
			return err
		}
	}
	return nil
}

func (p *practice) treat(before *settled, answer *fixesOf, target, id string) error {
	at := slices.IndexFunc(answer.Suggestions, func(c fix) bool { return c.ID == id })
	if at < 0 {
		return nil // its pods are deleted
	}
	c := &treatment{p.round, before, target, answer.Suggestions[at], false}
	p.turn++
	ways := rotated(forms(), p.turn+p.set)
	withKubectl := (p.turn+p.set)%kubectlEvery == 0
	if !withKubectl {
		ways = ways[:formsWithoutKubectl]
	}
	if err := c.treat(ways, true, withKubectl); err != nil {
		return errors.New(c.report(err))
	}
	p.figures.add(&p.figures.cases, 1)
	p.figures.add(&p.figures.fixes, 1)
	if p.turn%5 == 0 {
		if err := c.isGuarded(); err != nil {
			return errors.New(c.report(err))
		}
	}
	if p.source.chance(50) {
		return p.forget(c)
	}
	return nil
}

// forget deletes the pods that a treatment left on nodes that are not eligible.
func (p *practice) forget(c *treatment) error {
	now := int64(0)
	for _, node := range c.fix.NodesGained {
		if _, had := c.before.pods[node]; had {
			continue
		}
		err := client.CoreV1().Pods(c.before.ds.Namespace).DeleteCollection(context.Background(),
			metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
		if err != nil {
			return err
		}
	}
	return nil
}

func rotated(all []form, by int) []form {
	by %= len(all)
	return slices.Concat(all[by:], all[:by])
}

// isGuarded changes the list before the patch is applied; then the patch must be rejected.
func (c *treatment) isGuarded() error {
	sets := client.AppsV1().DaemonSets(c.before.ds.Namespace)
	patch := func(list []v1.Toleration, options metav1.PatchOptions) error {
		body, err := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"tolerations": list}}}})
		if err == nil {
			_, err = sets.Patch(context.Background(), c.before.ds.Name, types.StrategicMergePatchType, body, options)
		}
		return err
	}
	old := c.before.ds.Spec.Template.Spec.Tolerations
	guarded := []json.RawMessage{c.fix.GuardedPatch}
	if len(old) == 0 {
		guarded = append(guarded, c.fix.Patch) // replacing the list would lose the new one
	}
	for _, changed := range changedLists(old) {
		if err := patch(changed, metav1.PatchOptions{}); err != nil {
			return err
		}
		for _, body := range guarded {
			_, err := sets.Patch(context.Background(), c.before.ds.Name, types.JSONPatchType, body,
				metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
			if err == nil {
				return fmt.Errorf("%s is accepted although the list has become %s", body, asYAML(changed))
			}
			c.figures.add(&c.figures.refused, 1)
		}
	}
	return patch(old, metav1.PatchOptions{})
}

// changedLists are lists that differ from the old one.
func changedLists(old []v1.Toleration) [][]v1.Toleration {
	more := append(slices.Clone(old), v1.Toleration{Key: "meanwhile", Operator: v1.TolerationOpExists})
	result := [][]v1.Toleration{more}
	if len(old) > 0 {
		result = append(result, old[1:])
	}
	return result
}

// alternatives applies the patches that are offered instead of a toleration.
func (p *practice) alternatives() error {
	for _, target := range []string{"", "all"} {
		_, answer, err := p.ask(target)
		if err != nil {
			return err
		}
		for _, offered := range answer.Alternatives {
			if string(offered.StrategicPatch) == "null" || target != "" && p.source.chance(70) {
				continue
			}
			before, err := settle(p.sets[p.set], p.nodes)
			if err != nil {
				return err
			}
			_, answer, err := p.ask(target)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(answer.Alternatives, func(c fix) bool { return c.ID == offered.ID })
			if at < 0 {
				continue
			}
			c := &treatment{p.round, before, target, answer.Alternatives[at], true}
			p.turn++
			if err := c.treat(rotated([]form{bash, strategic, manifest, kustomize, powershell}, p.turn), true, p.turn%kubectlEvery == 0); err != nil {
				return errors.New(c.report(err))
			}
			p.figures.add(&p.figures.alternatives, 1)
		}
	}
	return nil
}
