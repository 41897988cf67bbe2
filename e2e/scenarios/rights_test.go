// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// readerRules are the permissions that docs/rbac.md asks a cluster administrator to grant, a rule
// for each resource.
var readerRules = documentedRules()

// documentedRules reads the first ClusterRole of docs/rbac.md, so that the test uses the documented
// permissions.
func documentedRules() []rbacv1.PolicyRule {
	page, err := os.ReadFile("../../docs/rbac.md")
	if err != nil {
		panic(err)
	}
	const head = "apiVersion: rbac.authorization.k8s.io/v1\n"
	_, rest, found := strings.Cut(string(page), "```yaml\n"+head)
	block, _, closed := strings.Cut(head+rest, "```")
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict([]byte(block), &role); err != nil || !found || !closed || len(role.Rules) == 0 {
		panic(fmt.Sprintf("the first block of docs/rbac.md is no ClusterRole: %v", err))
	}
	var rules []rbacv1.PolicyRule
	for _, rule := range role.Rules {
		for _, resource := range rule.Resources {
			rules = append(rules, rbacv1.PolicyRule{APIGroups: rule.APIGroups, Resources: []string{resource}, Verbs: rule.Verbs})
		}
	}
	return rules
}

// testRights checks that the documented permissions are sufficient, and that the answer reports a
// missing one.
func testRights(t *testing.T) {
	w := newWorld(t, "rights")
	w.addNodes(node("n1"))
	w.addDaemonSets(daemonSet("agent"))
	w.settle(expectation{"agent": "running:1"})

	kubeconfig, err := cluster.UserKubeconfig(reader)
	w.must(err)
	grant := w.grantReader()
	t.Run("all granted", func(t *testing.T) {
		grant(readerRules)
		answer, err := explain(kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Omissions) > 0 {
			t.Errorf("something could not be read: %v", answer.Omissions)
		}
		if ds := answer.daemonSet("rights", "agent"); ds == nil || ds.Nodes[0].Verdict != "running" {
			t.Errorf("the answer is not the administrator's: %+v", ds)
		}
	})
	for i, rule := range readerRules {
		resource := rule.Resources[0]
		t.Run("without "+resource, func(t *testing.T) {
			grant(slices.Delete(slices.Clone(readerRules), i, i+1))
			answer, err := explain(kubeconfig)
			if resource == "daemonsets" { // the command needs them
				expectRefusal(t, err, resource)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(answer.Omissions, func(o omission) bool {
				return o.Resource == resource || strings.HasPrefix(o.Resource, resource+".")
			}) {
				t.Errorf("%s is not among the omissions: %v", resource, answer.Omissions)
			}
		})
	}
}

// testOneNamespace asks as a user who can read the DaemonSets, pods and events of a namespace, but
// no nodes.
func testOneNamespace(t *testing.T) {
	w := newWorld(t, "one-namespace")
	w.addNodes(node("n1"), node("n2"))
	w.addDaemonSets(daemonSet("agent"))
	w.settle(expectation{"agent": "running:2"})
	kubeconfig, err := cluster.UserKubeconfig(tenant)
	w.must(err)
	w.grantTenant(
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods", "events"}, Verbs: []string{"get", "list"}},
		rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"daemonsets"}, Verbs: []string{"get", "list"}})
	t.Run("all is well", func(t *testing.T) {
		w := &world{t, w.ctx, w.namespace}
		w.prints(text{as: kubeconfig, says: []string{"2 desired", "nodes"}, never: []string{"0 nodes", "nothing wrong"}}, "explain", "agent")
	})
	t.Run("a pod crashes", func(t *testing.T) {
		w := &world{t, w.ctx, w.namespace}
		w.behaveFromNowOn(w.podsOn("agent", "n1")[0].Name, "crash")
		w.eventually("one pod is not ready", func() bool { return w.getDaemonSet("agent").Status.NumberReady == 1 })
		w.prints(text{as: kubeconfig, exitCode: 1, first: []string{"agent"}, says: []string{w.full("n1"), "container agent"}}, "check")
		w.prints(text{as: kubeconfig, says: []string{w.full("n1"), "container agent"}, never: []string{"0 nodes"}}, "explain", "agent")
		answer, err := ask(kubeconfig, "explain", "agent", "-n", w.namespace, "--all-nodes")
		w.must(err)
		if f := w.findingIn(answer, "agent", "n1", "container-crash"); f.Severity != "error" {
			t.Errorf("the crash is no error: %v", f)
		}
		got := answer.daemonSet(w.namespace, "agent")
		if real := countersOf(w.getDaemonSet("agent").Status); got.Status.Reported != real {
			t.Errorf("reported: %s; the controller: %s", got.Status.Reported, real)
		}
		if !slices.ContainsFunc(answer.Omissions, func(o omission) bool { return o.Resource == "nodes" }) {
			t.Errorf("nodes are not among the omissions: %v", answer.Omissions)
		}
	})
}

// grantTenant grants permissions in the scenario's namespace.
func (w *world) grantTenant(rules ...rbacv1.PolicyRule) {
	w.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: tenant}, Rules: rules}
	w.must(create(client.RbacV1().Roles(w.namespace), w.ctx, role))
	w.must(create(client.RbacV1().RoleBindings(w.namespace), w.ctx, &rbacv1.RoleBinding{
		ObjectMeta: role.ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: tenant}},
	}))
	w.eventually("the tenant may list DaemonSets", func() bool {
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(w.ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: tenant, ResourceAttributes: &authorizationv1.ResourceAttributes{
				Verb: "list", Group: "apps", Resource: "daemonsets", Namespace: w.namespace,
			}},
		}, metav1.CreateOptions{})
		w.must(err)
		return review.Status.Allowed
	})
}

// testAbsentNamespace asks about a namespace that does not exist.
func testAbsentNamespace(t *testing.T) {
	w := &world{T: t, ctx: t.Context(), namespace: "absent-namespace"}
	for _, words := range [][]string{{"check"}, {"explain"}, {"diff-nodes"}, {"suggest"}, {"check", "agent"}} {
		w.prints(text{exitCode: 2, says: []string{w.namespace}}, words...)
	}
	w.addNamespace() // an empty namespace is different
	w.prints(text{}, "check")
}

// expectRefusal expects exit code 2 and a message that names the resource.
func expectRefusal(t *testing.T, err error, resource string) {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(err.Error(), resource) {
		t.Errorf("expected exit code 2 and a message about %s, got: %v", resource, err)
	}
}

// grantReader binds a role to the reader and returns a function that changes the role's rules and
// waits until the API server applies them.
func (w *world) grantReader() func([]rbacv1.PolicyRule) {
	roles := client.RbacV1().ClusterRoles()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "dsdoctor-reader"}}
	w.must(create(roles, w.ctx, role))
	w.must(create(client.RbacV1().ClusterRoleBindings(), w.ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: role.ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: reader}},
	}))
	return func(rules []rbacv1.PolicyRule) {
		w.Helper()
		current, err := roles.Get(w.ctx, role.Name, metav1.GetOptions{})
		w.must(err)
		current.Rules = rules
		_, err = roles.Update(w.ctx, current, metav1.UpdateOptions{})
		w.must(err)
		w.eventually("the reader has exactly these rights", func() bool {
			for _, rule := range readerRules {
				granted := slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool { return r.Resources[0] == rule.Resources[0] })
				if w.readerMay(rule.APIGroups[0], rule.Resources[0]) != granted {
					return false
				}
			}
			return true
		})
	}
}

func (w *world) readerMay(group, resource string) bool {
	review, err := client.AuthorizationV1().SubjectAccessReviews().Create(w.ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: reader,
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Verb: "list", Group: group, Resource: resource,
			},
		},
	}, metav1.CreateOptions{})
	w.must(err)
	return review.Status.Allowed
}
