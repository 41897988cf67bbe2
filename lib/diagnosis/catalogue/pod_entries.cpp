#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

using enum Severity;

constexpr CatalogueEntry entries[] = {
    {"toleration-seconds-loop", Error, Scope::Node, "pods",
     "a NoExecute taint is tolerated for some seconds only, so that pods are deleted and created "
     "over and over",
     "the first toleration that matches the taint has tolerationSeconds; or two "
     "TaintManagerEviction events within the hour",
     "tolerate the taint without tolerationSeconds, or let the DaemonSet leave such nodes alone: "
     "kubectl --namespace {ns} edit daemonset {ds}",
     ""},
    {"pod-terminating-stuck", Error, Scope::Node, "pods", "a deleted pod does not go away",
     "more than a minute past metadata.deletionTimestamp",
     "find out who owns the finalizer; only then take it off: kubectl --namespace {ns} get pod "
     "{held} --output jsonpath='{.metadata.finalizers}'\nbring node {node} back, or delete the "
     "Node if it is gone for good; if it is certainly off: kubectl --namespace {ns} delete pod "
     "{pod} --grace-period=0 --force\nlook into the kubelet's log on node {host}",
     ""},
    {"pod-duplicate", Warning, Scope::Node, "pods", "a node has more live pods than it should",
     "two live pods without surge; with surge three, or two of one revision; for over a minute",
     "look at the controller first; then delete the pod that is too many: kubectl --namespace {ns} "
     "delete pod "
     "{pod}",
     ""},
    {"pod-target-lost", Error, Scope::Node, "pods", "a pod's target node cannot be told",
     "neither bound nor with one metadata.name in its required node affinity",
     "exempt DaemonSet pods from the webhook that rewrites affinity\nthen kubectl --namespace {ns} "
     "delete pod {pod}",
     ""},
    {"pod-on-missing-node", Warning, Scope::Pod, "pods",
     "a pod is bound to a node that no longer exists",
     "spec.nodeName is not among the nodes, for over 90 seconds as far as events tell",
     "look at the pod garbage collector of kube-controller-manager, or at the pod's "
     "finalizers\nkubectl --namespace {ns} delete pod {pod} --grace-period=0 --force",
     ""},
    {"pod-orphaned", Warning, Scope::Pod, "pods",
     "a pod with matching labels has no owner, or one that no longer exists",
     "metadata.ownerReferences against the selector and the DaemonSet's UID",
     "when the DaemonSet has its own pod there: kubectl --namespace {ns} delete pod {pod}", ""},
    {"pod-foreign", Info, Scope::Pod, "pods", "a pod with matching labels has another owner",
     "metadata.ownerReferences of the namespace's pods against the selector",
     "make the selectors differ; two controllers must not select the same pods", ""},
    {"pod-released", Warning, Scope::Pod, "pods",
     "a pod's labels no longer match the selector, so that the controller lets it go",
     "metadata.labels of pods whose owner reference is the DaemonSet's",
     "put the labels back, or delete the pod: kubectl --namespace {ns} delete pod {pod}", ""},
    {"pod-static-shadow", Info, Scope::Node, "pods", "a static pod of the node does the same work",
     "annotation kubernetes.io/config.mirror, and the same image or host port",
     "remove the manifest from node {node}, where its kubelet reads it", ""},
    {"pod-misscheduled", Warning, Scope::Node, "pods",
     "a pod runs where a new one would not be created",
     "a NoSchedule taint of the node that the template does not tolerate",
     "tolerate the taint, or delete the pod; it does not come back while the taint stays: kubectl "
     "--namespace {ns} delete pod {pod}",
     ""},
    {"pod-doomed-not-removed", Error, Scope::Node, "pods",
     "a pod runs where the controller should have deleted it",
     "the node fails selector, affinity or a NoExecute taint, for over two minutes",
     "look at kube-controller-manager first; the pod alone goes by kubectl --namespace {ns} delete "
     "pod {pod}",
     ""},
    {"pod-disrupted", Info, Scope::Node, "pods",
     "a pod was evicted, preempted or deleted by another component within the hour",
     "condition DisruptionTarget, or the scheduler's event Preempted", "", ""},
    {"pod-completed", Warning, Scope::Node, "pods", "a pod's containers ended without an error",
     "phase Succeeded, or the controller's event SucceededDaemonPod",
     "keep the main process in the foreground; a DaemonSet is no job: kubectl --namespace {ns} "
     "edit daemonset {ds}",
     ""},
};

}  // namespace

std::span<const CatalogueEntry> pod_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
