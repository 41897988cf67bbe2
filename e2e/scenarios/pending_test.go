// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var pendingScenarios = []scenario{
	{
		name:  "tainted-while-pending",
		story: "a pod waits for room; then its node gets a taint that the newer template tolerates and the pod does not",
		nodes: []*v1.Node{node("n1", sized("1", "110")), node("n2")},
		sets: sets(daemonSet("agent", requesting("2"),
			strategy(appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}))),
		first: expectation{"agent": "n1=pending/sched-never-fits n2=running/-"},
		steps: []step{
			{
				name: "the taint makes the node unwanted",
				do: func(w *world) {
					w.changeNode("n1", tainted("dedicated", "gpu", v1.TaintEffectNoSchedule))
					w.recount("agent", "the controller counts the taint", func(status appsv1.DaemonSetStatus) bool {
						return status.NumberMisscheduled == 1
					})
				},
				want: expectation{"agent": "n1=misscheduled/pod-misscheduled n2=running/-"},
			},
			{
				name: "the template tolerates it, the pod that is there does not",
				do:   func(w *world) { w.changeDaemonSet("agent", tolerating("dedicated", "Exists", "")) },
				want: expectation{"agent": "n1=pending/sched-taint,sched-never-fits n2=running +daemonset-ondelete-outdated -drift-pod-mutated"},
			},
		},
	},
	{
		name:  "claims",
		story: "a volume's claim is not there, or nothing gives it a volume",
		nodes: []*v1.Node{node("n1")},
		steps: []step{{
			name: "claims first, then the DaemonSets",
			do: func(w *world) {
				w.must(create(client.CoreV1().PersistentVolumeClaims(w.namespace), w.ctx, claim("unbound")))
				w.addDaemonSets(daemonSet("absent", mounting("ghost")), daemonSet("waiting", mounting("unbound")))
			},
			want: expectation{
				"absent":  "n1=pending/sched-claim-missing",
				"waiting": "n1=pending/sched-claim-missing",
			},
		}},
	},
	{
		name:  "bound-claims",
		story: "a volume that only one node reaches, and one that only one pod may have",
		nodes: []*v1.Node{node("n1"), node("n2")},
		steps: []step{{
			name: "bound claims first, then the DaemonSets",
			do: func(w *world) {
				w.addVolume("local", v1.ReadWriteOnce)
				w.addVolume("single", v1.ReadWriteOncePod)
				w.addDaemonSets(daemonSet("local", mounting("local")), daemonSet("first", mounting("single")))
				w.eventually("one pod has the volume", func() bool { return len(w.podsOn("first", "n1")) == 1 })
				w.addDaemonSets(daemonSet("second", mounting("single")))
			},
			want: expectation{
				"local":  "n1=running/- n2=pending/daemonset-shared-claim",
				"second": "n1=pending/daemonset-shared-claim,sched-volume-in-use n2=pending/daemonset-shared-claim,sched-volume-in-use",
			},
		}},
	},
	{
		name:  "runtime-class",
		story: "a RuntimeClass adds a node selector to pods that the controller does not know of",
		nodes: []*v1.Node{node("n1", labelled("runtime", "gvisor")), node("n2")},
		steps: []step{{
			name: "the class first, then the DaemonSet",
			do: func(w *world) {
				class := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "gvisor"}, Handler: "runsc"}
				class.Scheduling = &nodev1.Scheduling{NodeSelector: map[string]string{"runtime": "gvisor"}}
				w.must(create(client.NodeV1().RuntimeClasses(), w.ctx, class))
				w.Cleanup(func() {
					w.ignoreGone(client.NodeV1().RuntimeClasses().Delete(w.ctx, class.Name, metav1.DeleteOptions{}))
				})
				sandboxed := spec(func(s *v1.PodSpec) { s.RuntimeClassName = pointer("gvisor") })
				w.eventually("the class is known", func() bool { return !w.refuses(w.pod("probe", sandboxed)) })
				w.addDaemonSets(daemonSet("agent", sandboxed))
			},
			want: expectation{"agent": "n1=running/- n2=pending/sched-node-selector +drift-runtimeclass"},
		}},
	},
	{
		name:  "vanished-target",
		story: "the node that a pod waits for is deleted",
		nodes: []*v1.Node{node("n1", sized("1", "110")), node("n2")},
		sets:  sets(daemonSet("agent", requesting("2"))),
		first: expectation{"agent": "n1=pending/sched-never-fits n2=running/-"},
		steps: []step{{
			name: "it is deleted",
			do: func(w *world) {
				w.must(client.CoreV1().Nodes().Delete(w.ctx, w.full("n1"), metav1.DeleteOptions{}))
				w.agree(expectation{"agent": "n2=running/-"}, false)
			},
		}},
	},
	{
		name:  "held-back",
		story: "a scheduling gate holds a pod back, and nobody answers to the name of its scheduler",
		nodes: []*v1.Node{node("n1")},
		sets: sets(
			daemonSet("gated", spec(func(s *v1.PodSpec) {
				s.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/quota"}}
			})),
			daemonSet("foreign", spec(func(s *v1.PodSpec) { s.SchedulerName = "ghost" })),
			daemonSet("device", spec(func(s *v1.PodSpec) {
				s.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: pointer("ghost")}}
			})),
		),
		steps: []step{{
			name: "they wait",
			do:   func(*world) {},
			want: expectation{"gated": "n1=pending", "foreign": "n1=pending", "device": "n1=pending/sched-resource-claim -scheduler-down"},
			later: expectation{"gated": "n1=pending/sched-gated", "foreign": "n1=pending/scheduler-unknown",
				"device": "n1=pending/sched-resource-claim -scheduler-down"},
		}},
	},
	{
		name:  "neighbours",
		story: "pods want to be beside others, or not",
		nodes: []*v1.Node{node("n1"), node("n2")},
		steps: []step{{
			name: "a web server on n1 first, then the DaemonSets",
			do: func(w *world) {
				web := barePod("web", "web", w.full("n1"))
				web.Spec.Affinity = &v1.Affinity{PodAntiAffinity: apartFrom("quiet")}
				w.must(create(client.CoreV1().Pods(w.namespace), w.ctx, web))
				w.addDaemonSets(
					daemonSet("apart", spec(func(s *v1.PodSpec) { s.Affinity = &v1.Affinity{PodAntiAffinity: apartFrom("web")} })),
					daemonSet("quiet"),
					daemonSet("spread", spec(func(s *v1.PodSpec) {
						s.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{ // no node has a zone
							MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule,
							LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "spread"}},
						}}
					})),
					daemonSet("beside", spec(func(s *v1.PodSpec) {
						s.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
							RequiredDuringSchedulingIgnoredDuringExecution: near("web"),
						}}
					})),
				)
			},
			want: expectation{
				"apart":  "n1=pending/sched-pod-anti-affinity n2=running/-",
				"quiet":  "n1=pending/sched-existing-anti-affinity n2=running/-",
				"beside": "n1=running/- n2=pending/sched-pod-affinity",
				"spread": "pending:2/sched-topology-spread",
			},
		}},
	},
}

func near(app string) []v1.PodAffinityTerm {
	return []v1.PodAffinityTerm{{
		TopologyKey:   v1.LabelHostname,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}}
}

func apartFrom(app string) *v1.PodAntiAffinity {
	return &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: near(app)}
}

func claim(name string) *v1.PersistentVolumeClaim {
	c := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
	c.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	c.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
	return c
}

func mounting(claim string) func(*appsv1.DaemonSet) {
	return spec(func(s *v1.PodSpec) {
		s.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}}}
	})
}

// addVolume creates a claim and a volume that only n1 reaches, bound to each other as the
// controller for volumes would do, which does not run here.
func (w *world) addVolume(name string, mode v1.PersistentVolumeAccessMode) {
	w.Helper()
	c := claim(name)
	c.Spec.AccessModes = []v1.PersistentVolumeAccessMode{mode}
	c.Spec.VolumeName = w.full(name)
	c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	claims := client.CoreV1().PersistentVolumeClaims(w.namespace)
	c, err := claims.Create(w.ctx, c, metav1.CreateOptions{})
	w.must(err)
	volume := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: w.full(name)}}
	volume.Spec.AccessModes = c.Spec.AccessModes
	volume.Spec.Capacity = c.Spec.Resources.Requests
	volume.Spec.ClaimRef = &v1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: w.namespace, Name: name, UID: c.UID}
	volume.Spec.Local = &v1.LocalVolumeSource{Path: "/mnt/disk"}
	volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{term(expression(v1.LabelHostname, v1.NodeSelectorOpIn, w.full("n1")))},
	}}
	volumes := client.CoreV1().PersistentVolumes()
	w.must(create(volumes, w.ctx, volume))
	w.Cleanup(func() { w.ignoreGone(volumes.Delete(w.ctx, volume.Name, metav1.DeleteOptions{})) })
	c.Status.Phase = v1.ClaimBound
	c.Status.AccessModes, c.Status.Capacity = c.Spec.AccessModes, volume.Spec.Capacity
	_, err = claims.UpdateStatus(w.ctx, c, metav1.UpdateOptions{})
	w.must(err)
}
