package scenarios

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
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
					w.touch("agent")
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
		name:  "held-back",
		story: "a scheduling gate holds a pod back, and nobody answers to the name of its scheduler",
		nodes: []*v1.Node{node("n1")},
		sets: sets(
			daemonSet("gated", spec(func(s *v1.PodSpec) {
				s.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/quota"}}
			})),
			daemonSet("foreign", spec(func(s *v1.PodSpec) { s.SchedulerName = "ghost" })),
		),
		steps: []step{{
			name:  "they wait",
			do:    func(*world) {},
			want:  expectation{"gated": "n1=pending", "foreign": "n1=pending"},
			later: expectation{"gated": "n1=pending/sched-gated", "foreign": "n1=pending/scheduler-unknown"},
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
