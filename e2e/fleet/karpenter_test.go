// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	karpenter "sigs.k8s.io/karpenter/pkg/scheduling"
)

var (
	seed   = flag.Int64("seed", 20261130, "of the random pools and DaemonSets")
	rounds = flag.Int("rounds", 12, "each compares 60 pools with 60 DaemonSets")
)

const each = 60

// A provider registers its labels; this one is compared as a number.
const cpus = "karpenter.k8s.aws/instance-cpu"

func TestMain(m *testing.M) {
	karpenterv1.WellKnownLabels.Insert(cpus)
	flag.Parse()
	if os.Getenv("DSDOCTOR_BINARY") == "" {
		fmt.Fprintln(os.Stderr, "error: DSDOCTOR_BINARY is not set")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

var values = map[string][]string{
	corev1.LabelArchStable:           {"amd64", "arm64"},
	corev1.LabelOSStable:             {"linux", "windows"},
	corev1.LabelTopologyZone:         {"a", "b", "c"},
	corev1.LabelInstanceTypeStable:   {"m5.large", "c7g.xlarge"},
	karpenterv1.CapacityTypeLabelKey: {"spot", "on-demand"},
	"team":                           {"red", "blue"},
	"example.com/tier":               {"1", "2", "gold"},
}

var taintKeys = []string{"gpu", "dedicated", "spot"}

type generator struct{ *rand.Rand }

func (g generator) one(from []string) string { return from[g.Intn(len(from))] }

func (g generator) key() string {
	keys := []string{corev1.LabelArchStable, corev1.LabelOSStable, corev1.LabelTopologyZone, corev1.LabelInstanceTypeStable,
		karpenterv1.CapacityTypeLabelKey, "team", "example.com/tier"}
	return g.one(keys)
}

func (g generator) some(of []string) []string {
	var result []string
	for _, value := range of {
		if g.Intn(2) == 0 {
			result = append(result, value)
		}
	}
	if len(result) == 0 {
		return []string{g.one(of)}
	}
	return result
}

// requirement is one that Karpenter accepts in a pool and Kubernetes in a template.
func (g generator) requirement(inPool bool) corev1.NodeSelectorRequirement {
	if g.Intn(6) == 0 {
		op := []corev1.NodeSelectorOperator{corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt}[g.Intn(2)]
		return corev1.NodeSelectorRequirement{Key: cpus, Operator: op, Values: []string{g.one([]string{"2", "4", "5", "8"})}}
	}
	key := g.key()
	if key == corev1.LabelOSStable { // NotIn both would exclude all nodes, unknown to Karpenter
		return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: g.some(values[key])}
	}
	switch g.Intn(8) {
	case 0:
		return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpExists}
	case 1, 2:
		return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpNotIn, Values: g.some(values[key])}
	case 3:
		if !inPool && key != corev1.LabelOSStable && key != corev1.LabelArchStable {
			return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpDoesNotExist}
		}
	}
	return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: g.some(values[key])}
}

// requirements are some of which none has a key with Exists and with NotIn; see TestExistsBesideNotIn.
func (g generator) requirements(count int, inPool bool) []corev1.NodeSelectorRequirement {
	var result []corev1.NodeSelectorRequirement
	for range count {
		one := g.requirement(inPool)
		if !slices.ContainsFunc(result, func(other corev1.NodeSelectorRequirement) bool {
			operators := []corev1.NodeSelectorOperator{one.Operator, other.Operator}
			return one.Key == other.Key && slices.Contains(operators, corev1.NodeSelectorOpExists) &&
				slices.Contains(operators, corev1.NodeSelectorOpNotIn)
		}) {
			result = append(result, one)
		}
	}
	return result
}

func (g generator) taints(chance int) []corev1.Taint {
	var result []corev1.Taint
	for _, key := range taintKeys {
		if g.Intn(chance) == 0 {
			effect := []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule}[g.Intn(3)]
			result = append(result, corev1.Taint{Key: key, Value: g.one([]string{"", "x"}), Effect: effect})
		}
	}
	return result
}

func (g generator) pool(name string) *karpenterv1.NodePool {
	pool := &karpenterv1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: name}}
	pool.TypeMeta = metav1.TypeMeta{APIVersion: "karpenter.sh/v1", Kind: "NodePool"}
	pool.Spec.Template.Spec.NodeClassRef = &karpenterv1.NodeClassReference{Group: "karpenter.k8s.aws", Kind: "EC2NodeClass", Name: "default"}
	if g.Intn(3) == 0 {
		pool.Spec.Template.Labels = map[string]string{"team": g.one(values["team"])}
	}
	for _, requirement := range g.requirements(g.Intn(4), true) {
		pool.Spec.Template.Spec.Requirements = append(pool.Spec.Template.Spec.Requirements,
			karpenterv1.NodeSelectorRequirementWithMinValues{Key: requirement.Key, Operator: requirement.Operator, Values: requirement.Values})
	}
	pool.Spec.Template.Spec.Taints = g.taints(4)
	pool.Spec.Template.Spec.StartupTaints = g.taints(6)
	return pool
}

func (g generator) daemonSet(name string) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "x"}}
	ds.TypeMeta = metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"}
	labels := map[string]string{"app": name}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	ds.Spec.Template.Labels = labels
	spec := &ds.Spec.Template.Spec
	spec.Containers = []corev1.Container{{Name: "c", Image: "x"}}
	if g.Intn(4) == 0 {
		key := g.key()
		spec.NodeSelector = map[string]string{key: g.one(values[key])}
	}
	if g.Intn(3) != 0 {
		required := &corev1.NodeSelector{}
		for range 1 + g.Intn(3) {
			term := corev1.NodeSelectorTerm{MatchExpressions: g.requirements(1+g.Intn(2), false)}
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, term)
		}
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}}
	}
	for _, key := range taintKeys {
		if g.Intn(2) == 0 {
			spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
		}
	}
	return ds
}

type forecast struct {
	Name         string
	Contradicted *string `json:"contradictedLabel"`
	DaemonSets   []struct{ Name, NewNodes string }
}

// forecasts asks the program about the pools.
func forecasts(t *testing.T, daemonSets, pools []any) map[string]forecast {
	t.Helper()
	folder := t.TempDir()
	write := func(name string, items []any) string {
		text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cluster, templates := write("cluster.json", daemonSets), write("pools.json", pools)
	out, err := exec.Command(os.Getenv("DSDOCTOR_BINARY"), "explain", "-A", "-f", cluster, "-f", templates, "--pools", "-o", "json").Output()
	if err != nil {
		t.Fatal(err, string(out))
	}
	var answer struct{ WhatIf struct{ Pools []forecast } }
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	result := map[string]forecast{}
	for _, pool := range answer.WhatIf.Pools {
		result[pool.Name] = pool
	}
	return result
}

// hasContradiction says whether Karpenter finds no value for a label of the pool.
func hasContradiction(template *scheduling.NodeClaimTemplate) bool {
	for _, requirement := range template.Requirements {
		if requirement.Operator() == corev1.NodeSelectorOpDoesNotExist {
			return true
		}
	}
	return false
}

func podOf(ds *appsv1.DaemonSet) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: *ds.Spec.Template.ObjectMeta.DeepCopy(), Spec: *ds.Spec.Template.Spec.DeepCopy()}
}

// TestForecastsOfKarpenter compares which DaemonSets can have a pod on a new node.
func TestForecastsOfKarpenter(t *testing.T) {
	g := generator{rand.New(rand.NewSource(*seed))}
	anyType := &cloudprovider.InstanceType{Name: "any", Requirements: karpenter.NewRequirements()}
	compared, possible, excluded, contradictions := 0, 0, 0, 0
	for range *rounds {
		var daemonSets []*appsv1.DaemonSet
		var pools []*karpenterv1.NodePool
		objects, templates := []any{node()}, []any{}
		for i := range each {
			daemonSets = append(daemonSets, g.daemonSet(fmt.Sprintf("ds-%d", i)))
			pools = append(pools, g.pool(fmt.Sprintf("pool-%d", i)))
			objects, templates = append(objects, daemonSets[i]), append(templates, pools[i])
		}
		answers := forecasts(t, objects, templates)
		for _, pool := range pools {
			template := scheduling.NewNodeClaimTemplate(pool)
			answer, there := answers[pool.Name]
			if !there {
				t.Fatalf("%s is missing", pool.Name)
			}
			if excluding := hasContradiction(template); excluding != (answer.Contradicted != nil) {
				t.Errorf("contradiction: Karpenter %v, forecast %v\n%s", excluding, answer.Contradicted, text(pool))
				continue
			} else if excluding {
				excluded++
				continue
			}
			for i, ds := range daemonSets {
				possiblePod, all := withoutContradictions(podOf(ds))
				theirs := all && isDaemonPodCompatible(template, anyType, possiblePod)
				if theirs != isDaemonPodCompatible(template, anyType, podOf(ds)) {
					contradictions++
				}
				ours := answer.DaemonSets[index(answer, ds.Name)].NewNodes != "none"
				compared++
				if theirs {
					possible++
				}
				if theirs != ours {
					t.Errorf("Karpenter %v, forecast %v\n%s\n%s", theirs, ours, text(pool), text(daemonSets[i]))
				}
			}
		}
	}
	t.Logf("%d pairs compared, %d possible; %d pools without nodes; %d pairs that Karpenter takes for possible although a term excludes itself",
		compared, possible, excluded, contradictions)
	if contradictions == 0 {
		t.Error("Karpenter sees terms that exclude themselves now: document it")
	}
	if possible < compared/20 || possible > compared*19/20 {
		t.Errorf("only %d of %d are possible: the comparison says little", possible, compared)
	}
}

// withoutContradictions removes the terms that exclude themselves or the node selector. False: no term is left.
func withoutContradictions(pod *corev1.Pod) (*corev1.Pod, bool) {
	excludesItself := func(expressions []corev1.NodeSelectorRequirement) bool {
		values, present := map[string]*karpenter.Requirement{}, map[string]bool{}
		for key, value := range pod.Spec.NodeSelector {
			expressions = append(expressions, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}})
		}
		for _, each := range expressions {
			requirement := karpenter.NewRequirement(each.Key, each.Operator, each.Values...)
			if before, ok := values[each.Key]; ok {
				requirement = before.Intersection(requirement)
			}
			values[each.Key] = requirement
			absentMeets := each.Operator == corev1.NodeSelectorOpNotIn || each.Operator == corev1.NodeSelectorOpDoesNotExist
			present[each.Key] = present[each.Key] || !absentMeets
			if present[each.Key] && requirement.Len() == 0 {
				return true
			}
		}
		return false
	}
	if pod.Spec.Affinity == nil {
		return pod, true
	}
	required := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	required.NodeSelectorTerms = slices.DeleteFunc(required.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) bool {
		return excludesItself(term.MatchExpressions)
	})
	return pod, len(required.NodeSelectorTerms) != 0
}

func index(of forecast, name string) int {
	for i, ds := range of.DaemonSets {
		if ds.Name == name {
			return i
		}
	}
	return -1
}

func node() *corev1.Node {
	return &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n"}}
}

func text(of any) string {
	bytes, _ := json.Marshal(of)
	return string(bytes)
}

// TestExistsBesideNotIn shows a difference: Karpenter 1.15.0 joins both to NotIn, which nodes without the label meet.
func TestExistsBesideNotIn(t *testing.T) {
	g := generator{rand.New(rand.NewSource(1))}
	ds := g.daemonSet("agent")
	ds.Spec.Template.Spec.NodeSelector = nil
	ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	ds.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "team", Operator: corev1.NodeSelectorOpExists},
			{Key: "team", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"red"}}}}}}}}
	pool := g.pool("p")
	pool.Spec.Template.Labels, pool.Spec.Template.Spec.Requirements = nil, nil
	anyType := &cloudprovider.InstanceType{Name: "any", Requirements: karpenter.NewRequirements()}
	if !isDaemonPodCompatible(scheduling.NewNodeClaimTemplate(pool), anyType, podOf(ds)) {
		t.Error("Karpenter keeps Exists now: document it")
	}
	if got := forecasts(t, []any{node(), ds}, []any{pool})["p"].DaemonSets[0].NewNodes; got != "none" {
		t.Error(got)
	}
}

// TestOrderOfTerms shows another one: Karpenter 1.15.0 removes terms from the pod that it
// looks at, and looks at the same pod for the next pool.
func TestOrderOfTerms(t *testing.T) {
	g := generator{rand.New(rand.NewSource(1))}
	ds := g.daemonSet("agent")
	ds.Spec.Template.Spec.NodeSelector = nil
	ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	term := func(zone string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}}}
	}
	ds.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{term("a"), term("b")}}}}
	pool := func(name, zone string) *karpenterv1.NodePool {
		result := g.pool(name)
		result.Spec.Template.Spec.Taints, result.Spec.Template.Labels = nil, nil
		result.Spec.Template.Spec.Requirements = []karpenterv1.NodeSelectorRequirementWithMinValues{
			{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}}
		return result
	}
	first, second := pool("first", "b"), pool("second", "a")
	anyType := &cloudprovider.InstanceType{Name: "any", Requirements: karpenter.NewRequirements()}
	pod := podOf(ds)
	onFirst := isDaemonPodCompatible(scheduling.NewNodeClaimTemplate(first), anyType, pod)
	onSecond := isDaemonPodCompatible(scheduling.NewNodeClaimTemplate(second), anyType, pod)
	if !onFirst || onSecond {
		t.Errorf("Karpenter: %v, %v; it does not depend on the order any more: document it", onFirst, onSecond)
	}
	answers := forecasts(t, []any{node(), ds}, []any{first, second})
	for _, name := range []string{"first", "second"} {
		if got := answers[name].DaemonSets[0].NewNodes; got != "each" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
