// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"encoding/json"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	"dsdoctor.dev/oracle/release"
)

func TestTheSameSeedMakesTheSameCases(t *testing.T) {
	for _, wild := range []bool{false, true} {
		if text(t, 7, 100, wild) != text(t, 7, 100, wild) {
			t.Errorf("wild: %v: two runs of one seed differ: a reported seed could not be tried again", wild)
		}
	}
}

// An API server rejects most invented objects; it must accept the valid cases.
func TestValidCasesAreValid(t *testing.T) {
	cases, err := Generate(11, 1000, false, release.Version())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, content := range append([]json.RawMessage{c.Pod}, c.Others...) {
			pod, internal := new(v1.Pod), new(core.Pod)
			if err := json.Unmarshal(content, pod); err != nil {
				t.Fatal(err)
			}
			// Fields that the cases do not use and that only the server sets.
			pod.Status = v1.PodStatus{}
			for _, list := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
				for i := range list {
					list[i].ImagePullPolicy = v1.PullIfNotPresent
				}
			}
			pod.Spec.DNSPolicy, pod.Spec.RestartPolicy = v1.DNSClusterFirst, v1.RestartPolicyAlways
			if err := corev1.Convert_v1_Pod_To_core_Pod(pod, internal, nil); err != nil {
				t.Fatal(err)
			}
			options := validation.PodValidationOptions{PodLevelResourcesEnabled: true}
			if errs := validation.ValidatePodSpec(&internal.Spec, &internal.ObjectMeta, nil, options); len(errs) > 0 {
				t.Fatalf("%v in\n%s", errs, content)
			}
		}
	}
}

// A generator that never makes some kind of case would test nothing about it.
func TestEveryPartIsUsed(t *testing.T) {
	valid, wild := text(t, 1, 2000, false), text(t, 1, 2000, true)
	for _, word := range []string{
		`"restartPolicy":"Always"`, `"overhead"`, `"hugepages-2Mi"`, `"ephemeral-storage"`, `"nvidia.com/gpu"`,
		`"example.com/dongle"`, `"Infeasible"`, `"Deferred"`, `"allocatedResources"`, `"PodResizeInProgress"`, `"hostNetwork":true`, `"SCTP"`, `"hostIP":"::"`,
		`"deletionTimestamp"`, `"Succeeded"`, `"Failed"`, `"Unknown"`, v1.MirrorPodAnnotationKey, `"pods":"0"`, `Ei"`, "1 Insufficient cpu", "free ports",
	} {
		if !strings.Contains(valid, word) {
			t.Errorf("%s never occurs", word)
		}
	}
	for _, word := range []string{`"cpu":" `, `"cpu":"+`, `"cpu":1`, `"memory":"00`, `"tcp"`, `"hostPort":-1`, `e3"`, `E-2"`, `0000000001"`, `"limits":{"cpu"`} {
		if !strings.Contains(wild, word) {
			t.Errorf("%s never occurs among the wild", word)
		}
	}
	for _, name := range oddNames {
		if !strings.Contains(wild, `"`+string(name)+`"`) {
			t.Errorf("no pod asks for %s", name)
		}
	}
}

// Includes amounts beyond 64 bits, which change when the written objects are read.
func TestTheSchedulerIsQuotedTruly(t *testing.T) {
	cases, err := Generate(20261149, 1000, false, release.Version())
	if err != nil {
		t.Fatal(err)
	}
	quoted := 0
	for _, c := range cases {
		o, err := c.read()
		if err != nil {
			t.Fatal(err)
		}
		_, condition := podutil.GetPodCondition(&o.pod.Status, v1.PodScheduled)
		if condition == nil {
			continue
		}
		quoted++
		if _, reasons := o.ask(); !strings.Contains(condition.Message, "1 "+strings.Join(reasons, ", 1 ")+", ") {
			t.Errorf("%s: the pod has %q, the scheduler finds %q", o.pod.Name, condition.Message, reasons)
		}
	}
	if quoted == 0 {
		t.Error("no pod has words of the scheduler")
	}
}

// The binary only computes amounts and ports if it reads pods of more than one namespace.
func TestPodsAreOfTwoNamespaces(t *testing.T) {
	if list := text(t, 1, 1, false); !strings.Contains(list, `"namespace":"kube-system"`) {
		t.Errorf("one namespace in %s", list)
	}
}

func TestNoAnswerIsRare(t *testing.T) {
	for _, wild := range []bool{false, true} {
		r := makeRun(3, map[bool]uint64{true: 1}[wild], 2000, release.Version())
		if r.err != nil {
			t.Fatal(r.err)
		}
		tally := tally{by: map[Obstacles]int{}}
		for _, j := range r.cases {
			tally.add(j)
		}
		for _, f := range findings {
			if percent := tally.by[f.obstacle] * 100 / tally.cases; percent < 1 || percent > 70 {
				t.Errorf("wild: %v: %s in %d %% of the cases", wild, f.id, percent)
			}
		}
		if tally.fitting*100/tally.cases < 10 || tally.unsound*100/tally.cases > 10 {
			t.Errorf("wild: %v: %d fit and %d are not compared, of %d", wild, tally.fitting, tally.unsound, tally.cases)
		}
		t.Logf("wild: %v: %+v", wild, tally)
	}
}

func TestOtherNotationsAreQuantities(t *testing.T) {
	cases, err := Generate(5, 500, true, release.Version())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if _, err := c.read(); err != nil {
			t.Fatal(err)
		}
	}
}

func text(t *testing.T, seed uint64, count int, wild bool) string {
	t.Helper()
	cases, err := Generate(seed, count, wild, release.Version())
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(clusterOf(cases...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
