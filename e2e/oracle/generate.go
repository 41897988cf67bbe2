// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"math/rand/v2"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// generator makes one cluster. Wildness is the percentage of words that the API would reject: such
// objects exist in files and in stores that are older than a rule.
type generator struct {
	r        *rand.Rand
	wildness int
	nodes    []*v1.Node
}

// Generate makes a cluster; the same arguments make the same cluster.
func Generate(seed uint64, nodes, daemonSets, wildness int) *Cluster {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x6473646f63746f72)), wildness: wildness}
	for i := range nodes {
		g.nodes = append(g.nodes, g.node(i))
	}
	c := &Cluster{Nodes: g.nodes}
	for i := range daemonSets {
		c.DaemonSets = append(c.DaemonSets, g.daemonSet(i))
	}
	return c
}

func (g *generator) node(i int) *v1.Node {
	node := &v1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%04d", i), Labels: map[string]string{}},
	}
	node.Labels[v1.LabelHostname] = node.Name
	for range g.r.IntN(7) {
		node.Labels[g.labelKey()] = g.labelValue()
	}
	// The rules ignore these fields: a reader that uses them is wrong.
	node.Spec.Unschedulable = Chance(g.r, 10)
	if Chance(g.r, 10) {
		node.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionFalse}}
	}
	if Chance(g.r, 50) {
		for range 1 + g.r.IntN(3) {
			node.Spec.Taints = append(node.Spec.Taints, g.taint())
		}
	}
	if len(node.Spec.Taints) > 0 && Chance(g.r, 15) {
		twin := Pick(g.r, node.Spec.Taints)
		if g.wildness == 0 || Chance(g.r, 50) {
			twin.Effect = v1.TaintEffectNoExecute
		}
		node.Spec.Taints = append(node.Spec.Taints, twin)
	}
	return node
}

func (g *generator) taint() v1.Taint {
	return v1.Taint{
		Key:    pickWild(g.r, g.wildness, taintKeys, wildKeys),
		Value:  pickWild(g.r, g.wildness, taintValues, wildValues),
		Effect: v1.TaintEffect(pickWild(g.r, g.wildness, effects, wildEffects)),
	}
}

func (g *generator) daemonSet(i int) *appsv1.DaemonSet {
	labels := map[string]string{"app": fmt.Sprintf("ds-%04d", i)}
	ds := &appsv1.DaemonSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
		ObjectMeta: metav1.ObjectMeta{Name: labels["app"], Namespace: Pick(g.r, []string{"kube-system", "monitoring", "default"})},
	}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	ds.Spec.Template.Labels = labels
	spec := &ds.Spec.Template.Spec
	spec.Containers = []v1.Container{{Name: "agent", Image: "example/agent:1"}}
	spec.HostNetwork = Chance(g.r, 25)
	if Chance(g.r, 4) {
		spec.NodeName = Pick(g.r, g.nodes).Name
	}
	if Chance(g.r, 25) {
		spec.NodeSelector = g.nodeSelector()
	}
	if Chance(g.r, 45) {
		spec.Affinity = g.affinity()
	}
	if Chance(g.r, 70) {
		for range 1 + g.r.IntN(5) {
			spec.Tolerations = append(spec.Tolerations, g.toleration())
		}
	}
	return ds
}

// nodeSelector usually selects labels that some node has, so that some nodes match.
func (g *generator) nodeSelector() map[string]string {
	selector := map[string]string{}
	for range 1 + g.r.IntN(2) {
		key, value := g.labelOfSomeNode()
		selector[key] = value
	}
	return selector
}

func (g *generator) labelKey() string   { return pickWild(g.r, g.wildness, labelKeys, wildKeys) }
func (g *generator) labelValue() string { return pickWild(g.r, g.wildness, labelValues, wildValues) }

func (g *generator) labelOfSomeNode() (key, value string) {
	key = g.labelKey()
	if have, ok := Pick(g.r, g.nodes).Labels[key]; ok && Chance(g.r, 80) {
		return key, have
	}
	return key, g.labelValue()
}
