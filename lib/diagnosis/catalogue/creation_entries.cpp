#include <array>

#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view family = "creation";

constexpr CatalogueEntry refused(std::string_view id, std::string_view meaning,
                                 std::string_view detected, std::string_view remedy) {
  return {id, Severity::Error, Scope::DaemonSet, family, meaning, detected, remedy, ""};
}

constexpr std::array entries = {
    refused("create-webhook-denied", "An admission webhook turns the DaemonSet's pods down",
            "Newest event FailedCreate of the DaemonSet: admission webhook denied the request",
            "change the template as the webhook asks, or exempt namespace {ns} in the webhook's "
            "namespaceSelector"),
    refused(
        "create-webhook-unreachable",
        "An admission webhook that must be asked for every pod cannot be called",
        "Newest event FailedCreate of the DaemonSet: failed calling webhook",
        "repair the service behind the webhook; in an emergency set its failurePolicy to Ignore\n"
        "if the webhook's own pods need this DaemonSet (network, storage, DNS), exempt "
        "namespace {ns} in the webhook's namespaceSelector: each waits for the other"),
    refused("create-policy-denied", "A ValidatingAdmissionPolicy turns the DaemonSet's pods down",
            "Newest event FailedCreate of the DaemonSet: ValidatingAdmissionPolicy denied request",
            "kubectl get validatingadmissionpolicy {name} -o yaml\n"
            "change the template as the policy asks, or leave namespace {ns} out of its binding"),
    refused("create-quota-exceeded", "A ResourceQuota of the namespace leaves no room for the pods",
            "Newest event FailedCreate: exceeded quota; or the pod that would be created against "
            "status.hard and status.used of every ResourceQuota that covers it",
            "kubectl -n {ns} describe quota {name}\n"
            "raise the quota, or free what others use of it; pods that wait for a node count, too"),
    refused("create-quota-needs-values",
            "A ResourceQuota demands requests or limits that containers do not set",
            "Newest event FailedCreate: failed quota, must specify; or the containers' requests "
            "and limits against the resources of the ResourceQuota",
            "set the missing requests and limits in the template, or give namespace {ns} a "
            "LimitRange with defaults"),
    refused("create-quota-uncovered",
            "The API server admits such pods only where a ResourceQuota allows them",
            "Newest event FailedCreate: insufficient quota to match these scopes, or to consume",
            "create a ResourceQuota in namespace {ns} whose scopeSelector names the pods' "
            "PriorityClass, or use another class"),
    refused("create-podsecurity-denied",
            "The namespace's Pod Security level forbids what the template asks for",
            "Newest event FailedCreate: violates PodSecurity; or the namespace's label "
            "pod-security.kubernetes.io/enforce against host namespaces, host paths, host ports "
            "and privileged containers of the template",
            "drop what the level forbids, or run the DaemonSet in a namespace of level privileged\n"
            "kubectl label ns {ns} pod-security.kubernetes.io/enforce=privileged --overwrite"),
    refused("create-scc-denied",
            "OpenShift: no security context constraint admits the DaemonSet's pods",
            "Newest event FailedCreate: unable to validate against any security context constraint",
            "allow the service account one that admits the pod: "
            "oc adm policy add-scc-to-user privileged -z {account} -n {ns}"),
    refused("create-limitrange", "Requests or limits are outside what a LimitRange allows",
            "Newest event FailedCreate: usage per Container or Pod is, max limit to request ratio",
            "kubectl -n {ns} get limitrange -o yaml\n"
            "change the template's requests and limits, or the LimitRange"),
    refused("create-serviceaccount-missing", "The pods' service account does not exist",
            "Newest event FailedCreate: error looking up service account; or spec.template.spec."
            "serviceAccountName against the namespace's ServiceAccounts",
            "kubectl -n {ns} create serviceaccount {name}\n"
            "its role bindings are needed as well"),
    refused("create-priorityclass-missing", "The pods' PriorityClass does not exist",
            "Newest event FailedCreate: no PriorityClass with name; or spec.template.spec."
            "priorityClassName against the cluster's PriorityClasses",
            "create PriorityClass {name}, or name another one in the template"),
    refused("create-priorityclass-forbidden",
            "The API server keeps the PriorityClass for other namespaces",
            "Newest event FailedCreate: priorityClass is not permitted in",
            "run the DaemonSet in kube-system, or use another PriorityClass than {name}"),
    refused("create-priority-conflict",
            "The template gives a priority that its PriorityClass does not have",
            "Newest event FailedCreate: the integer value of priority, or the string value of "
            "PreemptionPolicy, must not be provided in pod spec",
            "remove priority and preemptionPolicy from the template; the class gives both"),
    refused("create-runtimeclass-missing", "The pods' RuntimeClass does not exist",
            "Newest event FailedCreate: RuntimeClass not found; or spec.template.spec."
            "runtimeClassName against the cluster's RuntimeClasses",
            "create RuntimeClass {name}, or name another one in the template"),
    refused("create-node-selector-conflict",
            "The template's nodeSelector contradicts that of its namespace or RuntimeClass",
            "Newest event FailedCreate: pod node label selector, or "
            "runtimeClass.scheduling.nodeSelector",
            "make the template's nodeSelector agree with annotation "
            "scheduler.alpha.kubernetes.io/node-selector of namespace {ns}, or with the "
            "RuntimeClass"),
    refused("create-toleration-refused",
            "The namespace allows fewer tolerations than the pods carry",
            "Newest event FailedCreate: pod tolerations (possibly merged with namespace default "
            "tolerations) conflict with its whitelist",
            "add them, and those that every daemon pod gets, to annotation "
            "scheduler.alpha.kubernetes.io/tolerationsWhitelist of namespace {ns}"),
    refused("create-invalid-spec", "The pod made from the template is not valid",
            "Newest event FailedCreate: is invalid",
            "mend the fields that are named; a request above a limit may come from the defaults of "
            "a LimitRange"),
    refused("create-rbac", "The DaemonSet controller may not create pods",
            "Newest event FailedCreate: cannot create resource \"pods\"",
            "kubectl get clusterrolebinding system:controller:daemon-set-controller -o yaml\n"
            "the API server restores this binding and its role when it starts"),
    refused("create-namespace-terminating", "The namespace is being deleted and takes no new pods",
            "Namespace status.phase Terminating; the controller records no event for it",
            "kubectl get ns {ns} -o jsonpath='{.status.conditions}'\n"
            "create the DaemonSet in another namespace"),
    refused("create-no-labels", "The template has no labels, so no pod can be made from it",
            "Newest event FailedCreate: unable to create pods, no labels",
            "recreate the DaemonSet with labels that its selector matches"),
    refused("create-apiserver-error", "The API server failed to store new pods",
            "Newest event FailedCreate: etcd errors, timeouts, too many requests, refused "
            "connections",
            "nothing while it is short: the controller tries again; else look at the API server "
            "and at etcd"),
    refused("create-refused", "The API server refuses the DaemonSet's pods",
            "Newest event FailedCreate with a text that no other finding knows",
            "kubectl -n {ns} describe daemonset {ds}"),
    CatalogueEntry{"create-silent", Severity::Warning, Scope::Node, family,
                   "a pod is wanted and missing, and nothing says why",
                   "No pod for more than two minutes, no event FailedCreate within the hour, and "
                   "nothing found that would refuse the pod",
                   "wait a quarter of an hour: the controller holds back pods that kept failing\n"
                   "kubectl -n {ns} rollout restart ds/{ds}    (replaces all its pods)",
                   ""},
};

}  // namespace

std::span<const CatalogueEntry> creation_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
