// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var refusalScenarios = []scenario{
	{
		name:  "missing-objects",
		story: "what a template names does not exist; the API server stores the template and refuses its pods",
		nodes: []*v1.Node{node("n1"), node("n2")},
		sets: sets(
			daemonSet("account", spec(func(s *v1.PodSpec) { s.ServiceAccountName = "ghost" })),
			daemonSet("class", spec(func(s *v1.PodSpec) { s.PriorityClassName = "ghost" })),
			daemonSet("runtime", spec(func(s *v1.PodSpec) { s.RuntimeClassName = pointer("ghost") })),
		),
		first: expectation{
			"account": "missing:2/create-serviceaccount-missing +create-serviceaccount-missing",
			"class":   "missing:2/create-priorityclass-missing +create-priorityclass-missing",
			"runtime": "missing:2/create-runtimeclass-missing +create-runtimeclass-missing",
		},
		steps: []step{{
			name: "the service account is made",
			do: func(w *world) {
				account := &v1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "ghost"}}
				w.must(create(client.CoreV1().ServiceAccounts(w.namespace), w.ctx, account))
				w.touch("account")
			},
			want: expectation{"account": "running:2/- quiet"},
		}},
	},
	{
		name:  "quota-needs-values",
		story: "the namespace's quota counts cpu, and containers do not say how much they want",
		nodes: []*v1.Node{node("n1")},
		steps: []step{{
			name: "quota first, then the DaemonSet",
			do: func(w *world) {
				w.addQuota(v1.ResourceList{v1.ResourceRequestsCPU: resource.MustParse("1")})
				w.addDaemonSets(daemonSet("agent"), daemonSet("large", requesting("2")))
			},
			want: expectation{
				"agent": "missing:1/create-quota-needs-values +create-quota-needs-values",
				"large": "missing:1/create-quota-exceeded +create-quota-exceeded",
			},
		}},
	},
	{
		name:  "quota-uncovered",
		story: "the API server admits pods of a priority class only where a quota speaks of it",
		nodes: []*v1.Node{node("n1")},
		steps: []step{
			{
				name: "no quota does",
				do: func(w *world) {
					w.addPriorityClass(reservedClass, 1000, v1.PreemptNever)
					w.addDaemonSets(daemonSet("agent", spec(func(s *v1.PodSpec) { s.PriorityClassName = reservedClass })))
				},
				want: expectation{"agent": "missing:1/create-quota-uncovered +create-quota-uncovered"},
			},
			{
				name: "one does",
				do: func(w *world) {
					w.addQuota(v1.ResourceList{v1.ResourcePods: resource.MustParse("9")}, v1.ScopedResourceSelectorRequirement{
						ScopeName: v1.ResourceQuotaScopePriorityClass, Operator: v1.ScopeSelectorOpIn, Values: []string{reservedClass},
					})
					w.touch("agent")
				},
				want: expectation{"agent": "running:1/- quiet"},
			},
		},
	},
	{
		name:  "limit-range",
		story: "the namespace's limit range allows less than the template asks for",
		nodes: []*v1.Node{node("n1")},
		steps: []step{{
			name: "limit range first, then the DaemonSet",
			do: func(w *world) {
				limits := &v1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "small"}}
				limits.Spec.Limits = []v1.LimitRangeItem{{
					Type: v1.LimitTypeContainer,
					Max:  v1.ResourceList{v1.ResourceCPU: resource.MustParse("100m")},
				}}
				w.must(create(client.CoreV1().LimitRanges(w.namespace), w.ctx, limits))
				large := w.pod("probe", requesting("500m"))
				w.eventually("the limit range is in force", func() bool { return w.refuses(large) })
				w.addDaemonSets(
					daemonSet("agent", requesting("500m"), spec(func(s *v1.PodSpec) {
						s.Containers[0].Resources.Limits = s.Containers[0].Resources.Requests
					})),
					// The limit range sets a limit of 100m, which is below the request.
					daemonSet("without-limit", requesting("500m")),
				)
			},
			want: expectation{
				"agent":         "missing:1/create-limitrange +create-limitrange",
				"without-limit": "missing:1/create-limitrange +create-limitrange",
			},
		}},
	},
	{
		name:  "pod-security-restricted",
		story: "the strictest level refuses a privileged pod and one that says nothing of its user",
		nodes: []*v1.Node{node("n1")},
		steps: []step{{
			name: "level first, then the DaemonSets",
			do: func(w *world) {
				w.changeNamespace(func(ns *v1.Namespace) {
					ns.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
				})
				w.addDaemonSets(
					daemonSet("privileged", spec(func(s *v1.PodSpec) {
						yes := true
						s.Containers[0].SecurityContext = &v1.SecurityContext{Privileged: &yes}
					})),
					daemonSet("careless"),
				)
			},
			want: expectation{
				"privileged": "missing:1/create-podsecurity-denied +create-podsecurity-denied",
				"careless":   "missing:1/create-podsecurity-denied +create-podsecurity-denied",
			},
		}},
	},
	{
		name:  "webhook",
		story: "an admission webhook that must be asked for every pod says no, then does not answer at all",
		nodes: []*v1.Node{node("n1")},
		steps: []step{
			{
				name: "it denies",
				do: func(w *world) {
					server := httptest.NewTLSServer(http.HandlerFunc(denyEverything))
					w.Cleanup(server.Close)
					w.addWebhook("denying", server.URL, pemOf(server))
					w.addDaemonSets(daemonSet("denied"))
				},
				want: expectation{"denied": "missing:1/create-webhook-denied +create-webhook-denied"},
			},
			{
				name: "its server is gone",
				do: func(w *world) {
					server := httptest.NewTLSServer(http.HandlerFunc(denyEverything))
					w.removeWebhook("denying")
					server.Close()
					w.addWebhook("gone", server.URL, pemOf(server))
					w.addDaemonSets(daemonSet("agent"))
				},
				want: expectation{"agent": "missing:1/create-webhook-unreachable +create-webhook-unreachable"},
			},
			{
				name: "it is removed",
				do: func(w *world) {
					w.removeWebhook("gone")
					w.eventually("pods are admitted", func() bool { return !w.refuses(w.pod("probe")) })
					w.touch("agent")
					w.touch("denied")
				},
				want: expectation{"agent": "running:1/- quiet", "denied": "running:1/- quiet"},
			},
		},
	},
	{
		name:  "admission-policy",
		story: "a ValidatingAdmissionPolicy denies what the template asks for",
		nodes: []*v1.Node{node("n1")},
		steps: []step{{
			name: "policy first, then the DaemonSets",
			do: func(w *world) {
				w.addPolicy("no-host-network", "!has(object.spec.hostNetwork) || !object.spec.hostNetwork")
				w.addDaemonSets(daemonSet("allowed"),
					daemonSet("agent", spec(func(s *v1.PodSpec) { s.HostNetwork = true })))
			},
			want: expectation{
				"agent":   "missing:1/create-policy-denied +create-policy-denied",
				"allowed": "running:1/- quiet",
			},
		}},
	},
	{
		name:  "controller-may-not-create",
		story: "the controller lost the right to create pods: its own event tells",
		nodes: three(),
		sets:  sets(daemonSet("before")),
		first: expectation{"before": "running:3/- quiet"},
		steps: []step{
			{
				name: "the right is taken away",
				do: func(w *world) {
					w.deny("pods", "create")
					w.addDaemonSets(daemonSet("agent"))
				},
				want: expectation{
					"agent":  "missing:3/controller-rbac-forbidden +controller-rbac-forbidden",
					"before": "running:3/- quiet",
				},
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

func pointer(s string) *string { return &s }

// pod is a pod with the template of a DaemonSet with these options.
func (w *world) pod(name string, options ...func(*appsv1.DaemonSet)) *v1.Pod {
	ds := daemonSet(name, options...)
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: ds.Spec.Template.Labels},
		Spec:       ds.Spec.Template.Spec,
	}
}

// refuses asks whether the API server would reject the pod.
func (w *world) refuses(pod *v1.Pod) bool {
	options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	_, err := client.CoreV1().Pods(w.namespace).Create(w.ctx, pod, options)
	return err != nil
}

func (w *world) addQuota(hard v1.ResourceList, scopes ...v1.ScopedResourceSelectorRequirement) {
	w.Helper()
	quota := &v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "narrow"}}
	quota.Spec.Hard = hard
	if len(scopes) > 0 {
		quota.Spec.ScopeSelector = &v1.ScopeSelector{MatchExpressions: scopes}
	}
	quotas := client.CoreV1().ResourceQuotas(w.namespace)
	w.must(create(quotas, w.ctx, quota))
	w.eventually("the quota is in force", func() bool {
		q, err := quotas.Get(w.ctx, quota.Name, metav1.GetOptions{})
		return err == nil && len(q.Status.Hard) > 0
	})
}

func denyEverything(answer http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{
		UID: review.Request.UID, Result: &metav1.Status{Message: "only signed images may run here"},
	}
	answer.Header().Set("Content-Type", "application/json")
	json.NewEncoder(answer).Encode(review)
}

func pemOf(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

// onlyHere selects the scenario's namespace.
func (w *world) onlyHere() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{v1.LabelMetadataName: w.namespace}}
}

var createPods = admissionregistrationv1.RuleWithOperations{
	Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
	Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
}

// addWebhook returns when the webhook rejects pods.
func (w *world) addWebhook(name, url string, authority []byte) {
	w.Helper()
	fail, none, patience := admissionregistrationv1.Fail, admissionregistrationv1.SideEffectClassNone, int32(2)
	configurations := client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	w.must(create(configurations, w.ctx, &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: name + ".example.com", ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: authority},
			Rules: []admissionregistrationv1.RuleWithOperations{createPods}, NamespaceSelector: w.onlyHere(),
			FailurePolicy: &fail, SideEffects: &none, TimeoutSeconds: &patience, AdmissionReviewVersions: []string{"v1"},
		}},
	}))
	w.Cleanup(func() { w.removeWebhook(name) })
	w.eventually("the webhook is asked", func() bool { return w.refuses(w.pod("probe")) })
}

func (w *world) removeWebhook(name string) {
	w.ignoreGone(client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(w.ctx, name, metav1.DeleteOptions{}))
}

// addPolicy returns when the policy rejects a pod with host network.
func (w *world) addPolicy(name, expression string) {
	w.Helper()
	registration := client.AdmissionregistrationV1()
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	policy.Spec.MatchConstraints = &admissionregistrationv1.MatchResources{
		ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: createPods}},
	}
	policy.Spec.Validations = []admissionregistrationv1.Validation{{Expression: expression, Message: "pods keep off the host's network"}}
	w.must(create(registration.ValidatingAdmissionPolicies(), w.ctx, policy))
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}
	binding.Spec.PolicyName = name
	binding.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}
	binding.Spec.MatchResources = &admissionregistrationv1.MatchResources{NamespaceSelector: w.onlyHere()}
	w.must(create(registration.ValidatingAdmissionPolicyBindings(), w.ctx, binding))
	w.Cleanup(func() {
		w.ignoreGone(registration.ValidatingAdmissionPolicyBindings().Delete(w.ctx, name, metav1.DeleteOptions{}))
		w.ignoreGone(registration.ValidatingAdmissionPolicies().Delete(w.ctx, name, metav1.DeleteOptions{}))
	})
	w.eventually("the policy is in force", func() bool {
		return w.refuses(w.pod("probe", spec(func(s *v1.PodSpec) { s.HostNetwork = true })))
	})
}
