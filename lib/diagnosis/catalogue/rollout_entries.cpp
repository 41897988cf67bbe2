#include <array>

#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view family = "rollout";

constexpr CatalogueEntry entry(std::string_view id, Severity severity, std::string_view meaning,
                               std::string_view detected, std::string_view remedy) {
  return {id, severity, Scope::DaemonSet, family, meaning, detected, remedy, ""};
}

constexpr std::array entries = {
    entry("rollout-stuck", Severity::Error, "a change of the template has stopped half-way",
          "Pods of an older template, and for 15 minutes no pod of the present one was created or "
          "became ready; ControllerRevisions against spec.template",
          "kubectl -n {ns} rollout status ds/{ds}\n"
          "clear up the nodes that are named, or go back: kubectl -n {ns} rollout undo ds/{ds}"),
    entry("rollout-budget", Severity::Error,
          "nodes without an available pod use up maxUnavailable, so no old pod may go",
          "The controller's own sum: nodes without a pod, or with a pod that is not available, "
          "against spec.updateStrategy.rollingUpdate.maxUnavailable",
          "mend or remove the nodes that are named, or raise maxUnavailable for a while"),
    entry("rollout-surge", Severity::Error,
          "new pods that do not become available use up maxSurge, so no more are made",
          "The controller's own sum: nodes with an old pod and a new one that is not available, "
          "against spec.updateStrategy.rollingUpdate.maxSurge; old pods of vanished nodes",
          "find out why the new pods are not available; delete old pods of nodes that are gone"),
    entry("rollout-surge-port", Severity::Error,
          "with maxSurge the new pod wants a host port that the old pod on the node holds",
          "A new pod that is not scheduled, and spec.containers[].ports of both pods; with "
          "hostNetwork every declared port counts",
          "kubectl -n {ns} patch ds {ds} --type=merge -p "
          "'{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"maxSurge\":0,"
          "\"maxUnavailable\":1}}}}'"),
    entry("rollout-surge-room", Severity::Error,
          "with maxSurge the new pod does not fit on the node beside the old one",
          "A new pod that is not scheduled beside an old one, for lack of resources or pods",
          "kubectl -n {ns} patch ds {ds} --type=merge -p "
          "'{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"maxSurge\":0,"
          "\"maxUnavailable\":1}}}}'\n"
          "or make room for two pods on each node"),
    entry("rollout-new-broken", Severity::Error, "no pod of the new template works",
          "Container statuses of all pods of the present template show one and the same fault",
          "kubectl -n {ns} rollout undo ds/{ds}"),
    entry(
        "rollout-paced", Severity::Info, "a change of the template is being rolled out",
        "Pods of an older template, and within 15 minutes one of the present template was created "
        "or became ready",
        ""),
    entry("drift-outdated-pods", Severity::Info, "pods of several revisions of the template run",
          "Label controller-revision-hash of the pods against the ControllerRevisions", ""),
    entry(
        "drift-pod-mutated", Severity::Warning,
        "pods differ from the template in what decides where they can run",
        "nodeSelector, tolerations, hostNetwork, schedulerName, priorityClassName and requests of "
        "pods of the present revision against spec.template, without what Kubernetes itself adds",
        "look for mutating webhooks and admission plug-ins that match these pods: "
        "kubectl get mutatingwebhookconfigurations"),
    entry("drift-spec-edited", Severity::Info,
          "the spec is not as kubectl apply last recorded it: somebody changed it since",
          "annotation kubectl.kubernetes.io/last-applied-configuration against the spec, without "
          "what the API server fills in",
          "kubectl -n {ns} apply view-last-applied ds/{ds}\nthe next apply takes back what was "
          "changed and applied before"),
    entry("drift-namespace-node-selector", Severity::Error,
          "the namespace adds a nodeSelector to pods that the controller does not know of",
          "Namespace annotation scheduler.alpha.kubernetes.io/node-selector against the labels of "
          "the wanted nodes",
          "repeat the selector in the template, or remove it from the namespace:\n"
          "kubectl annotate ns {ns} scheduler.alpha.kubernetes.io/node-selector=\"\" --overwrite"),
    entry("drift-namespace-tolerations", Severity::Info,
          "default tolerations of the namespace do not count when nodes are chosen",
          "Namespace annotation scheduler.alpha.kubernetes.io/defaultTolerations names the key of "
          "a taint that excludes a node",
          "put the toleration into the template"),
    entry("drift-runtimeclass", Severity::Error,
          "the RuntimeClass adds a nodeSelector to pods that the controller does not know of",
          "RuntimeClass scheduling.nodeSelector against the labels of the wanted nodes",
          "repeat the selector of RuntimeClass {name} in the template"),
    entry(
        "drift-openshift-node-selector", Severity::Warning,
        "OpenShift: the namespace's node selector leaves out nodes that the template would run on",
        "Namespace annotation openshift.io/node-selector, or in its place "
        "scheduler.alpha.kubernetes.io/node-selector, against the labels of the wanted nodes",
        "oc annotate ns {ns} openshift.io/node-selector=\"\" --overwrite"),
};

}  // namespace

std::span<const CatalogueEntry> rollout_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
