// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// Number of commands about nodes that are executed in one round; the others are dry runs.
const mostNodeCommands = 4

// changeNodes tests the commands that label or untaint nodes instead of changing the DaemonSet.
// They affect all DaemonSets, so they run one after the other.
func (r *round) changeNodes() {
	carriedOut := 0
	for i := range r.sets {
		p := &practice{round: r, source: r.source, set: i}
		target := pick(r.source, []string{"misscheduled", "node/" + pick(r.source, r.nodes).Name, "pool=" + pick(r.source, pools)})
		before, answer, err := p.ask(target)
		r.must(err)
		answer.Alternatives = slices.DeleteFunc(answer.Alternatives, func(c fix) bool { return string(c.StrategicPatch) != "null" })
		if len(answer.Alternatives) == 0 {
			continue
		}
		c := &treatment{r, before, target, pick(r.source, answer.Alternatives), true}
		if err := c.changeNodes(carriedOut < mostNodeCommands); err != nil {
			r.Fatal(c.report(err))
		}
		carriedOut++
	}
}

// changeNodes runs the command as a dry run, and also for real if real is set; then it restores the
// nodes.
func (c *treatment) changeNodes(real bool) error {
	if _, err := execute("", "bash", "-c", c.fix.Command+" --dry-run=server"); err != nil {
		return err
	}
	c.figures.add(&c.figures.nodeCommands, 1)
	if !real {
		return nil
	}
	old := c.nodes
	if _, err := execute("", "bash", "-c", c.fix.Command); err != nil {
		return err
	}
	c.readNodes()
	err := errors.Join(c.compareOtherNodes(old), touch(c.before.ds))
	if err == nil {
		err = c.compareEffect()
	}
	for _, node := range old {
		c.changeNode(node.Name, func(changed *v1.Node) {
			changed.Labels = node.Labels
			changed.Spec.Taints = node.Spec.Taints
		})
	}
	c.readNodes()
	return errors.Join(err, touch(c.before.ds))
}

// compareOtherNodes expects that only the nodes in the command have changed.
func (c *treatment) compareOtherNodes(old []v1.Node) error {
	words := strings.Fields(c.fix.Command)
	for i, node := range c.nodes {
		same := fmt.Sprint(node.Labels, node.Spec.Taints) == fmt.Sprint(old[i].Labels, old[i].Spec.Taints)
		if named := slices.Contains(words, node.Name); named == same {
			return fmt.Errorf("%s is changed: %v, the command names it: %v", node.Name, !same, named)
		}
	}
	return nil
}
