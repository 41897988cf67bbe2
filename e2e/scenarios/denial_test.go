// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"slices"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

var denialScenarios = []scenario{
	{
		name:  "quota",
		story: "the namespace's quota leaves room for one pod",
		nodes: three(),
		steps: []step{{
			name: "quota first, then the DaemonSet",
			do: func(w *world) {
				quota := &v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "one-pod"}}
				quota.Spec.Hard = v1.ResourceList{v1.ResourcePods: resource.MustParse("1")}
				quotas := client.CoreV1().ResourceQuotas(w.namespace)
				w.must(create(quotas, w.ctx, quota))
				w.eventually("the quota is in force", func() bool {
					q, err := quotas.Get(w.ctx, quota.Name, metav1.GetOptions{})
					return err == nil && len(q.Status.Hard) > 0
				})
				w.addDaemonSets(daemonSet("agent"))
			},
			want: expectation{"agent": "running:1 missing:2/create-quota-exceeded +create-quota-exceeded"},
		}, {
			name: "the alerts about it",
			do: func(w *world) {
				w.alert("KubeDaemonSetNotScheduled", "agent", true, "create-quota-exceeded")
				w.alert("KubeDaemonSetMisScheduled", "agent", false)
			},
		}},
	},
	{
		name:  "pod-security",
		story: "the namespace enforces a pod security level that the template does not meet",
		nodes: three(),
		steps: []step{{
			name: "level first, then the DaemonSet",
			do: func(w *world) {
				w.changeNamespace(func(ns *v1.Namespace) {
					ns.Labels["pod-security.kubernetes.io/enforce"] = "baseline"
				})
				w.addDaemonSets(daemonSet("agent", spec(func(s *v1.PodSpec) { s.HostNetwork = true })))
			},
			want: expectation{"agent": "missing:3/create-podsecurity-denied +create-podsecurity-denied"},
		}},
	},
	{
		name:  "controller-without-rights",
		story: "the controller may not write revisions, so it never begins; neither event nor pod tells",
		nodes: three(),
		steps: []step{
			{
				name: "the right is taken away",
				do: func(w *world) {
					w.deny("controllerrevisions", "create")
					w.addDaemonSets(daemonSet("agent"))
					w.lags(expectation{"agent": "missing:3/controller-rbac-forbidden +controller-not-observing"},
						map[string]counters{"agent": {}})
				},
				later: expectation{"agent": "missing:3/controller-rbac-forbidden +controller-rbac-forbidden +controller-not-observing"},
			},
			{
				name: "the right is back",
				do: func(w *world) {
					w.allowAll()
					w.touch("agent")
				},
				want: expectation{"agent": "running:3/- quiet"},
			},
		},
	},
}

// testNoControllers stops kube-controller-manager, then creates and changes DaemonSets.
func testNoControllers(t *testing.T) {
	w := newWorld(t, "no-controllers")
	w.addNodes(node("n1"), node("n2"))
	w.addDaemonSets(daemonSet("before"))
	w.settle(expectation{"before": "running:2"})
	w.must(cluster.StopControllers())
	w.prints(text{}, "check") // not detected yet
	w.addDaemonSets(daemonSet("agent"), daemonSet("accountless", spec(func(s *v1.PodSpec) { s.ServiceAccountName = "ghost" })))
	w.changeDaemonSet("before", image("example.com/agent:2"))
	w.agree(expectation{"agent": "missing:2", "accountless": "missing:2", "before": "running:2"}, false)
	w.settleLater(expectation{
		"agent": "missing:2 +controller-not-observing=critical", "accountless": "missing:2 +controller-not-observing=critical",
		"before": "running:2 +controller-not-observing=critical",
	})
	for _, words := range [][]string{{"check"}, {"check", "accountless"}, {"explain", "agent"}} {
		want := text{first: []string{"kube-controller-manager"}}
		if words[0] == "check" {
			want.exitCode = 1
		}
		w.printsLater(want, words...)
	}
}

func (w *world) changeNamespace(change func(*v1.Namespace)) {
	w.Helper()
	namespaces := client.CoreV1().Namespaces()
	w.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		ns, err := namespaces.Get(w.ctx, w.namespace, metav1.GetOptions{})
		w.must(err)
		if ns.Annotations == nil {
			ns.Annotations = map[string]string{}
		}
		change(ns)
		_, err = namespaces.Update(w.ctx, ns, metav1.UpdateOptions{})
		return err
	}))
}

const controllerRole = "system:controller:daemon-set-controller"

// fullRules are the original permissions of the DaemonSet controller.
var fullRules []rbacv1.PolicyRule

// deny removes one permission of the DaemonSet controller until allowAll, or the scenario's end.
func (w *world) deny(resource, verb string) {
	w.Helper()
	w.Cleanup(w.allowAll)
	w.changeControllerRole(func(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
		fullRules = rules
		var left []rbacv1.PolicyRule
		for _, rule := range rules {
			rule = *rule.DeepCopy()
			if slices.Contains(rule.Resources, resource) {
				rule.Verbs = slices.DeleteFunc(rule.Verbs, func(v string) bool { return v == verb })
			}
			if len(rule.Verbs) > 0 { // the API rejects a rule without verbs
				left = append(left, rule)
			}
		}
		return left
	})
	w.eventually("the controller may not "+verb+" "+resource, func() bool { return !w.controllerMay(resource, verb) })
}

func (w *world) controllerMay(resource, verb string) bool {
	group := ""
	if resource != "pods" {
		group = "apps"
	}
	review, err := client.AuthorizationV1().SubjectAccessReviews().Create(w.ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               "system:serviceaccount:kube-system:daemon-set-controller",
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Group: group, Resource: resource},
		},
	}, metav1.CreateOptions{})
	w.must(err)
	return review.Status.Allowed
}

func (w *world) allowAll() {
	w.changeControllerRole(func([]rbacv1.PolicyRule) []rbacv1.PolicyRule { return fullRules })
}

func (w *world) changeControllerRole(change func([]rbacv1.PolicyRule) []rbacv1.PolicyRule) {
	roles := client.RbacV1().ClusterRoles()
	role, err := roles.Get(w.ctx, controllerRole, metav1.GetOptions{})
	w.must(err)
	role.Rules = change(role.Rules)
	_, err = roles.Update(w.ctx, role, metav1.UpdateOptions{})
	w.must(err)
}
