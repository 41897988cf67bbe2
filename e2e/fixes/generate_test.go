// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"fmt"
	"math/rand/v2"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"dsdoctor.dev/e2e/kubelet"
)

const poolLabel = "eks.amazonaws.com/nodegroup"

// The words include those that YAML, JSON and shells may parse as something else.
var (
	taintKeys = []string{
		"dedicated", "team", "nvidia.com/gpu", "example.com/own-name", "123", "node-role.kubernetes.io/control-plane",
		"ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "node.cilium.io/agent-not-ready", "on",
	}
	values = []string{
		"", "", "true", "no", "null", "0123", "1e3", "1_000", "0x1F", "1.0", "1700000000", "2026-01-01", "a.b_c-d", "gpu",
	}
	pools   = []string{"gpu", "system", "1e3"}
	zones   = []string{"a", "b", "null"}
	effects = []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule}
	// Names of DaemonSets.
	names = []string{"agent", "true", "null", "1e3", "0x10", "log.shipper-2", "010", "y"}
)

// source generates random objects.
type source struct{ *rand.Rand }

func newSource(stream uint64) source { return source{rand.New(rand.NewPCG(*seed, stream))} }

func (s source) chance(percent int) bool { return s.IntN(100) < percent }

func pick[T any](s source, from []T) T { return from[s.IntN(len(from))] }

func (s source) taint(node string) v1.Taint {
	taint := v1.Taint{Key: pick(s, taintKeys), Value: pick(s, values), Effect: pick(s, effects)}
	if taint.Key == "example.com/own-name" {
		taint.Value = node
	}
	if s.chance(10) {
		added := metav1.NewTime(time.Unix(1700000000, 0))
		taint.TimeAdded = &added
	}
	return taint
}

// addTaints skips taints that the API rejects: a second taint of the same key and effect.
func (s source) addTaints(node *v1.Node, count int) {
	for range count {
		taint := s.taint(node.Name)
		known := false
		for _, other := range node.Spec.Taints {
			known = known || other.MatchTaint(&taint)
		}
		if !known {
			node.Spec.Taints = append(node.Spec.Taints, taint)
		}
	}
}

func (s source) labels(node string) map[string]string {
	labels := map[string]string{
		v1.LabelOSStable: "linux", v1.LabelHostname: node, poolLabel: pick(s, pools),
		v1.LabelTopologyZone: pick(s, zones), "disk": pick(s, values),
	}
	switch s.IntN(12) {
	case 0:
		labels["eks.amazonaws.com/compute-type"] = "fargate"
	case 1:
		labels["type"] = "virtual-kubelet"
	case 2:
		labels[v1.LabelOSStable] = "windows"
	}
	return labels
}

func (s source) toleration() v1.Toleration {
	if s.chance(12) {
		everything := v1.Toleration{Operator: v1.TolerationOpExists}
		if s.chance(50) {
			everything.Effect = pick(s, effects)
		}
		return everything
	}
	toleration := v1.Toleration{Key: pick(s, taintKeys)}
	switch s.IntN(3) {
	case 0:
		toleration.Operator = v1.TolerationOpExists
	case 1:
		toleration.Operator = v1.TolerationOpEqual
		toleration.Value = pick(s, values)
	default: // Equal by default
		toleration.Value = pick(s, values)
	}
	if s.chance(70) {
		toleration.Effect = pick(s, effects)
	}
	if toleration.Effect == v1.TaintEffectNoExecute && s.chance(40) {
		seconds := int64(3600)
		toleration.TolerationSeconds = &seconds
	}
	return toleration
}

func (s source) requirement() v1.NodeSelectorRequirement {
	switch s.IntN(4) {
	case 0:
		return v1.NodeSelectorRequirement{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{"a", "null"}}
	case 1:
		return v1.NodeSelectorRequirement{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpNotIn, Values: []string{pick(s, zones)}}
	case 2:
		return v1.NodeSelectorRequirement{Key: "disk", Operator: v1.NodeSelectorOpExists}
	default:
		return v1.NodeSelectorRequirement{Key: "absent", Operator: v1.NodeSelectorOpDoesNotExist}
	}
}

func (s source) affinity() *v1.Affinity {
	affinity := &v1.NodeAffinity{}
	if s.chance(40) {
		affinity.PreferredDuringSchedulingIgnoredDuringExecution = []v1.PreferredSchedulingTerm{{
			Weight:     1,
			Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{s.requirement()}},
		}}
	}
	if s.chance(70) {
		required := &v1.NodeSelector{}
		for range 1 + s.IntN(2) {
			required.NodeSelectorTerms = append(required.NodeSelectorTerms,
				v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{s.requirement()}})
		}
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	return &v1.Affinity{NodeAffinity: affinity}
}

func (s source) strategy() appsv1.DaemonSetUpdateStrategy {
	if s.chance(85) {
		return appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
	}
	all, none := intstr.FromString("100%"), intstr.FromInt32(0)
	rollout := &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &all, MaxSurge: &none}
	if s.chance(40) {
		rollout.MaxUnavailable, rollout.MaxSurge = rollout.MaxSurge, rollout.MaxUnavailable
	}
	return appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: rollout}
}

// daemonSet uses its own namespace, so that commands about it are small.
func (s source) daemonSet(namespace string) *appsv1.DaemonSet {
	labels := map[string]string{"app": "agent"}
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: pick(s, names), Namespace: namespace}}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	ds.Spec.UpdateStrategy = s.strategy()
	ds.Spec.Template.Labels = labels
	if s.chance(50) {
		ds.Spec.Template.Annotations = map[string]string{"example.com/note": pick(s, values)}
	}
	if s.chance(15) {
		ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
		ds.Spec.Template.Annotations = map[string]string{kubelet.BehaviourAnnotation: "pull"}
	}
	spec := &ds.Spec.Template.Spec
	spec.Containers = []v1.Container{{Name: "agent", Image: "example.com/agent:1", Args: []string{"it's", `"quoted"`, "$HOME"}}}
	for range pick(s, []int{0, 0, 1, 2, 4}) {
		spec.Tolerations = append(spec.Tolerations, s.toleration())
	}
	if s.chance(20) {
		spec.NodeSelector = map[string]string{poolLabel: pick(s, pools)}
	}
	if s.chance(30) {
		spec.Affinity = s.affinity()
	}
	return ds
}

// targets are the values of --for; empty for a fix of each obstacle.
func (s source) targets(nodes []v1.Node) []string {
	return []string{
		"", "misscheduled", "missing", "all",
		"node/" + pick(s, nodes).Name, "node/" + pick(s, nodes).Name,
		fmt.Sprintf("pool=%s", pick(s, pools)), fmt.Sprintf("pool=%s=%s", poolLabel, pick(s, pools)),
	}
}
