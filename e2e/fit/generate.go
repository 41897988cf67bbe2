// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"

	"dsdoctor.dev/oracle"
)

// generator makes cases. Valid cases are as an API server stores them; wild ones can only occur in
// files: other notations of amounts, names and protocols that would be rejected, and missing
// defaults.
type generator struct {
	r        *rand.Rand
	wild     bool
	kubelets string          // their version
	index    int             // of the case
	pods     int             // pods made for the case so far
	extended v1.ResourceName // requested by its pods besides a GPU
}

// Generate makes cases; the same arguments make the same cases. The rules for requests depend on the
// version of the kubelets.
func Generate(seed uint64, cases int, wild bool, kubelets string) ([]*Case, error) {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x73636865642d6669)), wild: wild, kubelets: kubelets}
	made := make([]*Case, 0, cases)
	for g.index = range cases {
		c, err := g.make()
		if err != nil {
			return nil, fmt.Errorf("seed %d, case %d: %w", seed, g.index, err)
		}
		made = append(made, c)
	}
	return made, nil
}

func (g *generator) make() (*Case, error) {
	g.pods = 0
	g.extended = "example.com/dongle"
	if g.wild && g.chance(50) {
		g.extended = oracle.Pick(g.r, oddNames)
	}
	o := &objects{pod: g.daemonPod()}
	var others []*v1.Pod
	for range g.r.IntN(7) {
		others = append(others, g.otherPod())
	}
	o.node = g.node()
	for _, other := range others {
		if counts(other, o.node) {
			o.on = append(o.on, other)
		}
	}
	g.allocatable(o)
	c, err := g.write(o, others)
	if err == nil && !g.wild && g.chance(40) {
		err = g.complain(o, c)
		if err == nil {
			return g.write(o, others)
		}
	}
	return c, err
}

// complain sets the scheduler's message on the pod, as after an attempt to schedule it. The
// scheduler reads the objects as they are written: reading caps amounts beyond 64 bits.
func (g *generator) complain(o *objects, written *Case) error {
	read, err := written.read()
	if err != nil {
		return err
	}
	_, reasons := read.ask()
	if len(reasons) == 0 {
		return nil
	}
	message := fmt.Sprintf("0/%d nodes are available: 1 %s, %d node(s) didn't satisfy plugin(s) [NodeAffinity]. "+
		"no new claims to deallocate, preemption: 0/%d nodes are available: %d Preemption is not helpful for scheduling.",
		casesPerRun, strings.Join(reasons, ", 1 "), casesPerRun-1, casesPerRun, casesPerRun)
	o.pod.Status.Conditions = append(o.pod.Status.Conditions, v1.PodCondition{
		Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable, Message: message,
		LastTransitionTime: created,
	})
	return nil
}

func (g *generator) write(o *objects, others []*v1.Pod) (*Case, error) {
	c := new(Case)
	var err error
	put := func(object any) json.RawMessage {
		content, failure := json.Marshal(object)
		if failure == nil && g.wild {
			content, failure = g.respell(content)
		}
		if failure != nil {
			err = failure
		}
		return content
	}
	c.Node, c.Pod = put(o.node), put(o.pod)
	for _, other := range others {
		c.Others = append(c.Others, put(other))
	}
	return c, err
}

func (g *generator) chance(p int) bool { return oracle.Chance(g.r, p) }

// Long ago, so that nothing is treated as new.
var created = metav1.NewTime(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))

func nodeName(index int) string { return fmt.Sprintf("node-%04d", index) }

func (g *generator) node() *v1.Node {
	return &v1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: nodeName(g.index), CreationTimestamp: created},
		Status: v1.NodeStatus{Conditions: []v1.NodeCondition{
			{Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady", LastTransitionTime: created},
		}, NodeInfo: v1.NodeSystemInfo{KubeletVersion: g.kubelets}},
	}
}

// daemonPod is the unbound pod of the one DaemonSet for the case's node.
func (g *generator) daemonPod() *v1.Pod {
	pod := g.pod("agent")
	isController := true
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "DaemonSet", Name: daemonSetName, UID: daemonSetUID, Controller: &isController,
	}}
	pod.Labels = daemonSetLabels
	pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchFields: []v1.NodeSelectorRequirement{{
				Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{nodeName(g.index)},
			}},
		}}},
	}}
	pod.Status.Phase = v1.PodPending
	if g.chance(5) {
		g.resize(pod) // ignored before the pod is bound
	}
	return pod
}

func (g *generator) otherPod() *v1.Pod {
	pod := g.pod("other")
	pod.Spec.NodeName = nodeName(g.index)
	if g.chance(4) {
		pod.Spec.NodeName = "" // not scheduled yet: on no node
	}
	pod.Status.Phase = oracle.Pick(g.r, otherPhases)
	if g.chance(12) {
		deleted := metav1.NewTime(created.Add(time.Hour))
		pod.DeletionTimestamp = &deleted
	}
	if g.chance(8) {
		pod.Annotations = map[string]string{v1.MirrorPodAnnotationKey: "0123"}
	}
	switch {
	case g.chance(35):
		g.reportStatus(pod)
	case g.chance(40):
		g.resize(pod)
	}
	return pod
}

var otherPhases = []v1.PodPhase{
	v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodPending,
	v1.PodSucceeded, v1.PodFailed, v1.PodUnknown,
}

func (g *generator) pod(kind string) *v1.Pod {
	g.pods++
	pod := &v1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: fmt.Sprintf("%s-%04d-%d", kind, g.index, g.pods), CreationTimestamp: created,
		},
	}
	g.fillSpec(pod)
	if !g.wild || g.chance(70) {
		corev1.SetObjectDefaults_Pod(pod)
	}
	return pod
}
