#include <array>

#include "diagnosis/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view family = "daemonset";
constexpr auto scope = Scope::DaemonSet;

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
        "see the findings of these nodes", ""},
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
};

}  // namespace

std::span<const CatalogueEntry> daemon_set_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
