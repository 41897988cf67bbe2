#include <array>

#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view family = "control plane";

constexpr std::array entries = {
    CatalogueEntry{"controller-manager-down", Severity::Critical, Scope::Cluster, family,
                   "no controller manager leads, so that nothing creates, deletes or counts pods",
                   "Lease kube-system/kube-controller-manager was last renewed more than a minute, "
                   "or four lease durations, ago",
                   "look at kube-controller-manager on the control plane's hosts; deleting its "
                   "mirror pod does not restart it; of a managed control plane ask the provider",
                   ""},
    CatalogueEntry{"controller-not-observing", Severity::Critical, Scope::DaemonSet, family,
                   "the controller has not processed the present spec",
                   "status.observedGeneration is behind metadata.generation for more than a minute",
                   "look for {ns}/{ds} in the log of kube-controller-manager, and at the rights of "
                   "system:serviceaccount:kube-system:daemon-set-controller",
                   ""},
    CatalogueEntry{
        "controller-rbac-forbidden", Severity::Critical, Scope::DaemonSet, family,
        "the DaemonSet controller's account lacks a right that it needs",
        "an event says so; or no ClusterRole bound to the account gives the right, and "
        "its lack shows in revisions, status or pods; or, suspected, a live controller "
        "manager has stored no revision and written no status",
        "kubectl auth can-i {verb} {resource} -n {ns} "
        "--as=system:serviceaccount:kube-system:daemon-set-controller\nkubectl get "
        "clusterrole,clusterrolebinding system:controller:daemon-set-controller -o "
        "yaml\nthe API server restores the default roles when it starts, unless they are "
        "annotated rbac.authorization.kubernetes.io/autoupdate=false",
        ""},
    CatalogueEntry{
        "controller-slow-start", Severity::Info, Scope::DaemonSet, family,
        "pods are created in batches of 1, 2, 4 ..., and the first batch that fails ends "
        "the round",
        "more nodes lack a pod than creations were refused", "", ""},
    CatalogueEntry{"scheduler-down", Severity::Critical, Scope::Cluster, family,
                   "no scheduler binds pods",
                   "Lease kube-system/kube-scheduler is stale; or a pod of a minute has no "
                   "PodScheduled condition and no event, and no younger pod was scheduled",
                   "look at kube-scheduler on the control plane's hosts; the network plugin's pods "
                   "need it too",
                   ""},
};

}  // namespace

std::span<const CatalogueEntry> control_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
