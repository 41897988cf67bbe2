// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/yaml"
)

// treatment is one fix of one DaemonSet, which is applied and reverted.
type treatment struct {
	*round
	before *settled
	target string
	fix    fix
	// alternative is true for a fix that may remove something.
	alternative bool
}

func (c *treatment) String() string {
	return fmt.Sprintf("%s/%s --for %q --id %s", c.before.ds.Namespace, c.before.ds.Name, c.target, c.fix.ID)
}

// question is the command line that prints this fix in some form.
func (c *treatment) question(words ...string) []string {
	words = append([]string{"suggest", c.before.ds.Name, "-n", c.before.ds.Namespace, "--id", c.fix.ID}, words...)
	if c.target != "" {
		words = append(words, "--for", c.target)
	}
	return words
}

func (c *treatment) print(f form) (*printed, error) {
	text, err := execute("", binary, c.question(f.words()...)...)
	p := &printed{f, c.before.ds, text}
	if err == nil && f == script && p.isLive() != c.fix.Recommended {
		return nil, fmt.Errorf("it is recommended: %v; as a script it has a live line: %v\n%s", c.fix.Recommended, p.isLive(), text)
	}
	return p, err
}

// expected is the template with the announced changes of the fix.
func (c *treatment) expected() v1.PodTemplateSpec {
	template := *c.before.ds.Spec.Template.DeepCopy()
	template.Spec.Tolerations = append(template.Spec.Tolerations, c.fix.Tolerations...)
	return template
}

// treat tests the fix in all ways. `forms` are applied as dry runs; the first one also for real
// afterwards.
func (c *treatment) treat(forms []form, real, withKubectl bool) error {
	first, template, err := c.tryOut(forms, withKubectl)
	if err != nil {
		return err
	}
	if !c.alternative && !equality.Semantic.DeepEqual(*template, c.expected()) {
		return fmt.Errorf("the template becomes\n%s", asYAML(template))
	}
	if !real {
		return nil
	}
	ds, err := c.apply(first, false, withKubectl || forms[0].isForKubectl())
	if err != nil {
		return fmt.Errorf("%s is not accepted: %w", forms[0], err)
	}
	if !equality.Semantic.DeepEqual(ds.Spec.Template, *template) {
		return fmt.Errorf("with %s the template becomes another one than announced:\n%s", forms[0], asYAML(ds.Spec.Template))
	}
	if err := c.compareEffect(); err != nil {
		return err
	}
	return c.takeBack(withKubectl)
}

// tryOut sends every form as a dry run; all must lead to the same template. It returns the first
// form as printed.
func (c *treatment) tryOut(forms []form, withKubectl bool) (first *printed, template *v1.PodTemplateSpec, err error) {
	for _, f := range forms {
		p, err := c.print(f)
		if err != nil {
			return nil, nil, err
		}
		ds, err := c.apply(p, true, withKubectl || f.isForKubectl())
		if err != nil {
			return nil, nil, fmt.Errorf("%s is not accepted: %w\n%s", f, err, p.text)
		}
		if template == nil {
			first, template = p, &ds.Spec.Template
		}
		if !equality.Semantic.DeepEqual(ds.Spec.Template, *template) {
			return nil, nil, fmt.Errorf("%s leads to another template than %s:\n%s\nand not\n%s", f, forms[0], asYAML(ds.Spec.Template), asYAML(template))
		}
	}
	return first, template, nil
}

func (c *treatment) apply(p *printed, dry, withKubectl bool) (*appsv1.DaemonSet, error) {
	c.figures.count(p.form, dry, withKubectl)
	if withKubectl {
		return p.run(dry)
	}
	return p.send(dry)
}

// compareEffect waits until the rollout, evictions and deletions are done, and compares the
// controller's counts with the prediction.
func (c *treatment) compareEffect() error {
	after, err := settle(c.before.ds, c.nodes)
	if err != nil {
		return err
	}
	want := c.fix.Effect.After
	if got := after.settledCounts(c.nodes); got != want {
		return fmt.Errorf("the controller counts %+v in the end, predicted was %+v with the pods deleted on %q", got, want, c.fix.PodsDeleted)
	}
	status := c.before.ds.Status
	before := counts{status.DesiredNumberScheduled, status.NumberMisscheduled}
	if before != c.fix.Effect.Before {
		return fmt.Errorf("the controller counted %+v before, said was %+v", before, c.fix.Effect.Before)
	}
	replaced := 0
	for node, pod := range c.before.pods {
		if now, has := after.pods[node]; has && now.UID != pod.UID {
			replaced++
		}
	}
	if foretold := c.fix.RestartedPods; foretold != nil && *foretold != replaced {
		return fmt.Errorf("%d pods are replaced, foretold were %d", replaced, *foretold)
	}
	for _, node := range slices.Concat(c.fix.Nodes, c.fix.NodesGained) {
		if _, has := after.pods[node]; !has {
			return fmt.Errorf("no pod comes to %s", node)
		}
	}
	later := after.leavingLater(c.nodes)
	for _, node := range c.fix.PodsDeleted {
		if _, has := after.pods[node]; has && !slices.Contains(later, node) {
			return fmt.Errorf("the pod stays on %s", node)
		}
	}
	return nil
}

// takeBack runs the printed undo, which must restore the template.
func (c *treatment) takeBack(withKubectl bool) error {
	undo := &printed{bash, c.before.ds, c.fix.Undo}
	ds, err := c.apply(undo, false, withKubectl)
	if err != nil {
		return fmt.Errorf("the undo is not accepted: %w", err)
	}
	// The undo of an exclusion leaves an empty affinity in a template that had none, which is
	// equivalent.
	if !equality.Semantic.DeepEqual(withoutEmptyAffinity(ds.Spec.Template), withoutEmptyAffinity(c.before.ds.Spec.Template)) {
		return fmt.Errorf("after the undo the template is\n%s", asYAML(ds.Spec.Template))
	}
	_, err = settle(ds, c.nodes)
	return err
}

func withoutEmptyAffinity(template v1.PodTemplateSpec) v1.PodTemplateSpec {
	affinity := template.Spec.Affinity
	if affinity != nil && equality.Semantic.DeepEqual(*affinity, v1.Affinity{NodeAffinity: &v1.NodeAffinity{}}) {
		template.Spec.Affinity = nil
	}
	return template
}

// report is the context of a failure.
func (c *treatment) report(err error) string {
	var nodes strings.Builder
	for _, node := range c.nodes {
		taints, _ := json.Marshal(node.Spec.Taints)
		labels, _ := json.Marshal(node.Labels)
		_, has := c.before.pods[node.Name]
		fmt.Fprintf(&nodes, "  %s pod: %v taints: %s labels: %s\n", node.Name, has, taints, labels)
	}
	answer, _ := json.MarshalIndent(c.fix, "", "  ")
	return fmt.Sprintf("%s: %s\nthe DaemonSet (%s):\n%s\nthe nodes:\n%sthe fix:\n%s", c, err,
		c.before.ds.Spec.UpdateStrategy.Type, asYAML(c.before.ds.Spec.Template), nodes.String(), answer)
}

func asYAML(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
