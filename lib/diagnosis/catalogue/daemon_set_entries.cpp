#include <array>

#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view family = "daemonset";
constexpr auto scope = Scope::DaemonSet;

constexpr CatalogueEntry entry(std::string_view id, Severity severity, std::string_view meaning,
                               std::string_view detected, std::string_view remedy) {
  return {id, severity, Scope::DaemonSet, family, meaning, detected, remedy, ""};
}

constexpr std::array entries = {
    CatalogueEntry{
        "daemonset-absent", Severity::Critical, scope, family,
        "the DaemonSet does not exist, but what it created does",
        "no such object, while pods name it as their owner or a ControllerRevision of its "
        "name is left",
        "recover its template: kubectl get controllerrevision -n {ns} {revision} -o "
        "jsonpath='{.data.spec.template}'\napply it again from where it is kept; without "
        "that, take one of its pods as the base",
        ""},
    CatalogueEntry{"daemonset-being-deleted", Severity::Warning, scope, family,
                   "the DaemonSet is being deleted", "DaemonSet metadata.deletionTimestamp",
                   "look at metadata.finalizers if it does not go away", ""},
    CatalogueEntry{"daemonset-selects-all", Severity::Critical, scope, family,
                   "the selector matches everything, and the controller refuses to act",
                   "DaemonSet spec.selector without labels and expressions",
                   "recreate it with a selector (kubectl delete --cascade=orphan first)", ""},
    CatalogueEntry{"daemonset-selector-mismatch", Severity::Critical, scope, family,
                   "the pods that are created do not match the selector, and are let go at once",
                   "DaemonSet spec.selector against spec.template.metadata.labels",
                   "make the template's labels match; the selector cannot be changed", ""},
    CatalogueEntry{"daemonset-pinned-to-node", Severity::Warning, scope, family,
                   "the template names one node", "DaemonSet spec.template.spec.nodeName",
                   "kubectl -n {ns} patch ds {ds} --type=json "
                   "-p='[{\"op\":\"remove\",\"path\":\"/spec/template/spec/nodeName\"}]'",
                   ""},
    CatalogueEntry{"daemonset-no-eligible-node", Severity::Error, scope, family,
                   "no node is eligible",
                   "every node fails the node name, node selector, affinity or a taint",
                   "mend the clause that all nodes fail, or label the nodes that should match", ""},
    CatalogueEntry{
        "daemonset-fewer-than-nodes", Severity::Warning, scope, family,
        "nodes are left out by a state that is not meant to last",
        "nodes that are not wanted because they are not ready, not initialized, wait for "
        "an agent, or lost a label",
        "kubectl dsdoctor explain node/{node}", ""},
    CatalogueEntry{"daemonset-none-running", Severity::Critical, scope, family,
                   "wanted on some nodes, and there is not one pod",
                   "evaluated desired above 0, current 0", "see what keeps pods from being created",
                   ""},
    CatalogueEntry{
        "daemonset-status-inconsistent", Severity::Warning, scope, family,
        "the counters in status are not what the objects say",
        "every counter of status against its evaluation",
        "trust the evaluated numbers; any change of the DaemonSet, such as an annotation, "
        "makes the controller count again",
        ""},
    CatalogueEntry{"toleration-comparison-gate", Severity::Info, scope, family,
                   "a toleration depends on a feature gate that a client cannot see",
                   "a toleration with operator Lt or Gt",
                   "compare with --feature-gates=TaintTolerationComparisonOperators=true", ""},
    entry("daemonset-ondelete-outdated", Severity::Warning,
          "with update strategy OnDelete, pods of an older template wait to be deleted",
          "spec.updateStrategy.type OnDelete, and pods that are not of the present revision",
          "kubectl -n {ns} delete pod {pod}    (one node after the other)\n"
          "kubectl -n {ns} patch ds {ds} --type=merge -p "
          "'{\"spec\":{\"updateStrategy\":{\"type\":\"RollingUpdate\"}}}'"),
    entry(
        "daemonset-no-priority", Severity::Warning,
        "pods of priority 0 or less wait on a full node and may evict nothing",
        "spec.priority of the pods, else the template's PriorityClass, else the cluster's default; "
        "pods that the scheduler refuses for lack of resources, pods or ports",
        "give the template a priorityClassName above that of the pods that may go; this replaces "
        "all its pods\n"
        "kubectl -n {agentns} patch ds {ds} --type=merge -p "
        "'{\"spec\":{\"template\":{\"spec\":{\"priorityClassName\":\"system-node-critical\"}}}}'"),
    entry("daemonset-best-effort", Severity::Info,
          "the pods ask for no cpu and no memory, so they are the first to be evicted",
          "No request or limit for cpu or memory in spec.template.spec; a warning once a pod was "
          "evicted",
          "set requests for cpu and memory in the template of {ds}"),
    entry("daemonset-shared-claim", Severity::Error,
          "all pods mount one claim that a single node can mount",
          "spec.template.spec.volumes against accessModes of the PersistentVolumeClaim: neither "
          "ReadWriteMany nor ReadOnlyMany",
          "use a hostPath, a generic ephemeral volume, or a claim that many nodes can mount"),
    entry("daemonset-selector-overlap", Severity::Warning,
          "another DaemonSet of the namespace selects the same pods",
          "spec.selector of each against spec.template.metadata.labels of the other, and pods that "
          "both match",
          "give the two different labels; a selector cannot be changed, so recreate one of them:\n"
          "kubectl -n {ns} delete ds {ds} --cascade=orphan    (its pods stay until it is back)"),
    entry("toleration-too-broad", Severity::Warning,
          "a toleration of every key makes the pod wanted on nodes that are meant for others",
          "A toleration with operator Exists and no key; nodes that would be left out without it; "
          "an error where the pod cannot work on such a node",
          "name the taints that are meant, one toleration each, or keep it and leave pools out by "
          "node affinity (operator NotIn)"),
    entry("toleration-dead", Severity::Info, "a toleration matches no taint of any node",
          "spec.template.spec.tolerations against the taints of all nodes; not those that the "
          "controller adds by itself, nor those of states that come and go",
          "drop it if the nodes it was meant for are gone; look for a spelling mistake in the key"),
    entry("toleration-old-master-key", Severity::Warning,
          "the template tolerates only the old key of the control plane's taint",
          "A toleration of node-role.kubernetes.io/master, and nodes that "
          "node-role.kubernetes.io/control-plane alone keeps the pod off",
          "kubectl -n {ns} patch ds {ds} --type=json -p "
          "'[{\"op\":\"add\",\"path\":\"/spec/template/spec/tolerations/-\",\"value\":"
          "{\"key\":\"node-role.kubernetes.io/control-plane\",\"operator\":\"Exists\","
          "\"effect\":\"NoSchedule\"}}]'"),
};

}  // namespace

std::span<const CatalogueEntry> daemon_set_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
