// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"
)

// The resources that are watched, of those in docs/rbac.md.
var watched = []string{"nodes", "pods", "daemonsets", "controllerrevisions", "events"}

// documentedRules are the rules of all ClusterRoles of docs/rbac.md, each for one resource.
func documentedRules() (rules []rbacv1.PolicyRule) {
	page, err := os.ReadFile("../../docs/rbac.md")
	if err != nil {
		panic(err)
	}
	for _, block := range strings.Split(string(page), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		var role rbacv1.ClusterRole
		if err := yaml.UnmarshalStrict([]byte(block), &role); err != nil {
			panic(fmt.Sprintf("a block of docs/rbac.md is no ClusterRole: %v", err))
		}
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				rules = append(rules, rbacv1.PolicyRule{APIGroups: rule.APIGroups, Resources: []string{resource}, Verbs: rule.Verbs})
			}
		}
	}
	return rules
}

func without(verb string, resources ...string) (rules []rbacv1.PolicyRule) {
	for _, rule := range documentedRules() {
		if slices.Contains(resources, rule.Resources[0]) {
			rule.Verbs = slices.DeleteFunc(slices.Clone(rule.Verbs), func(v string) bool { return v == verb })
		}
		if len(rule.Verbs) > 0 {
			rules = append(rules, rule)
		}
	}
	return rules
}

// grant returns the kubeconfig of the user when the API server applies the rules.
func (w *world) grant(user string, rules []rbacv1.PolicyRule) string {
	w.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "watch-" + user}, Rules: rules}
	w.must(create(client.RbacV1().ClusterRoles(), w.ctx, role))
	w.must(create(client.RbacV1().ClusterRoleBindings(), w.ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: role.ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}))
	w.eventually(user+" has its permissions", func() bool {
		return !slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool {
			return slices.ContainsFunc(rule.Verbs, func(verb string) bool {
				return !w.may(user, verb, rule.APIGroups[0], rule.Resources[0])
			})
		})
	})
	kubeconfig, err := cluster.UserKubeconfig(user)
	w.must(err)
	return kubeconfig
}

// grantHere is grant for the test's namespace.
func (w *world) grantHere(user string, rules ...rbacv1.PolicyRule) string {
	w.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: rules}
	w.must(create(client.RbacV1().Roles(w.namespace), w.ctx, role))
	w.must(create(client.RbacV1().RoleBindings(w.namespace), w.ctx, &rbacv1.RoleBinding{
		ObjectMeta: role.ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}))
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			w.eventually(user+" has its permissions", func() bool {
				return w.mayIn(w.namespace, user, "watch", rule.APIGroups[0], resource)
			})
		}
	}
	kubeconfig, err := cluster.UserKubeconfig(user)
	w.must(err)
	return kubeconfig
}

func (w *world) may(user, verb, group, resource string) bool {
	w.Helper()
	return w.mayIn("", user, verb, group, resource)
}

func (w *world) mayIn(namespace, user, verb, group, resource string) bool {
	w.Helper()
	review, err := client.AuthorizationV1().SubjectAccessReviews().Create(w.ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: verb, Group: group, Resource: resource,
		}},
	}, metav1.CreateOptions{})
	w.must(err)
	return review.Status.Allowed
}

func testRights(t *testing.T) {
	w := newWorld(t, "rights", "n1", "n2")
	w.addDaemonSet(daemonSet("agent"))
	id := misscheduled(dedicated)
	aside := regexp.MustCompile(clock + `! `)
	asides := func(p *program) (found []string) {
		for _, l := range p.all() {
			if aside.MatchString(l.text) {
				found = append(found, l.text)
			}
		}
		return found
	}

	t.Run("the documented permissions", func(t *testing.T) {
		w := w.in(t)
		p := w.start(w.grant(watcher, documentedRules()), "check", "-A", "-w")
		p.sentence()
		w.Cleanup(func() { w.untaint("n1", dedicated) })
		at := w.taint("n1", dedicated)
		if took := p.expect(problem("+", id, "")).at.Sub(at); took > promptly {
			t.Errorf("printed after %s, expected within %s", took, promptly)
		}
		w.untaint("n1", dedicated)
		p.expect(problem("-", id, ""))
		p.interrupt()
		if found := asides(p); len(found) > 0 {
			t.Errorf("nothing is missing, but it says %q", found)
		}
	})
	t.Run("no events and no other objects", func(t *testing.T) {
		w := w.in(t)
		needed := slices.DeleteFunc(documentedRules(), func(rule rbacv1.PolicyRule) bool {
			return rule.Resources[0] == "events" || !slices.Contains(watched, rule.Resources[0])
		})
		p := w.start(w.grant(plain, needed), "check", "-A", "-w")
		p.sentence()
		w.Cleanup(func() { w.untaint("n1", dedicated) })
		w.taint("n1", dedicated)
		p.expect(problem("+", id, ""))
		w.untaint("n1", dedicated)
		p.expect(problem("-", id, ""))
		p.interrupt()
		for _, said := range asides(p) {
			if strings.Contains(said, "reconnecting") {
				t.Errorf("a permission that is missing is no lost connection: %s", said)
			}
		}
	})
	t.Run("one namespace", func(t *testing.T) {
		w := w.in(t)
		kubeconfig := w.grantHere(tenant,
			rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods", "events"}, Verbs: []string{"get", "list", "watch"}},
			rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"daemonsets", "controllerrevisions"}, Verbs: []string{"get", "list", "watch"}})
		p := w.start(kubeconfig, "check", "-n", w.namespace, "-w")
		p.sentence()
		w.Cleanup(func() { w.changeDaemonSet("agent", image("example.com/agent:1"), behaving("")) })
		w.changeDaemonSet("agent", image("example.com/agent:7"), behaving("crash"))
		began := p.expect(clock + `\+ .*CrashLoopBackOff.*  \S+$`)
		c, _ := p.changeIn(began.text)
		w.changeDaemonSet("agent", image("example.com/agent:1"), behaving(""))
		p.expect(problem("-", c.id, ""))
		p.interrupt()
	})
	t.Run("list but not watch", func(t *testing.T) {
		w := w.in(t)
		p := w.start(w.grant(lister, without("watch", "nodes", "pods")), "check", "-A", "-w")
		p.sentence()
		p.finally("the lists that are read again are named", func([]line) bool {
			said := strings.Join(asides(p), "\n")
			return regexp.MustCompile(`\bnodes\b.* read every 10s: \S`).MatchString(said) &&
				regexp.MustCompile(`\bpods\b.* read every 10s: \S`).MatchString(said)
		})
		w.Cleanup(func() { w.untaint("n1", dedicated) })
		at := w.taint("n1", dedicated)
		took := p.expect(problem("+", id, "")).at.Sub(at)
		t.Logf("a change of a node is printed after %s", took.Round(time.Millisecond))
		if took > 10*time.Second+promptly {
			t.Errorf("printed after %s, with lists every 10s", took)
		}
		w.untaint("n1", dedicated)
		p.expect(problem("-", id, ""))
		w.addDaemonSet(daemonSet("second"))
		w.changeDaemonSet("second", image("example.com/agent:2"), behaving("crash"))
		p.expect(problem("+", "rollout-new-broken="+w.namespace+"/second", ""))
		w.changeDaemonSet("second", image("example.com/agent:1"), behaving(""))
		p.expect(problem("-", "rollout-new-broken="+w.namespace+"/second", ""))
		for _, said := range asides(p) {
			if strings.Contains(said, "reconnecting") {
				t.Errorf("a permission that is missing is no lost connection: %s", said)
			}
		}
		if count := len(asides(p)); count > 2 {
			t.Errorf("it says %d times that it reads lists:\n%s", count, p.said())
		}
		p.interrupt()
	})
	t.Run("waits without watching", func(t *testing.T) {
		w := w.in(t)
		kubeconfig, err := cluster.UserKubeconfig(lister)
		w.must(err)
		w.Cleanup(func() { w.untaint("n1", dedicated) })
		w.taint("n1", dedicated)
		p := w.start(kubeconfig, "check", "-A", "--until", "healthy", "--timeout", "1m")
		p.finally("it waits", func([]line) bool { return len(asides(p)) > 0 })
		w.untaint("n1", dedicated)
		p.ends(0)
	})
}

const userAgentPrefix = "kubectl-dsdoctor/"

// testReadOnly checks in the API server's audit log that the binary only reads, and that it watches.
func testReadOnly(t *testing.T) {
	file, err := os.Open(cluster.AuditLog)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	verbs := map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), userAgentPrefix) {
			continue
		}
		var event auditv1.Event
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(event.UserAgent, userAgentPrefix) {
			continue
		}
		verbs[event.Verb]++
		if !slices.Contains([]string{"get", "list", "watch"}, event.Verb) {
			t.Errorf("%s of %s", event.Verb, event.RequestURI)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if verbs["watch"] == 0 {
		t.Errorf("no watch of a user agent %q is on record: nothing is proven", userAgentPrefix)
	}
	t.Logf("requests by verb: %v", verbs)
}
