#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

using enum Severity;

constexpr CatalogueEntry entries[] = {
    {"kubelet-out-of-cpu", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because the node has too little cpu left for its request",
     "reason OutOfcpu; Pod status.reason and status.message of a Failed pod, or the kubelet's "
     "event about one that is gone",
     "compare the node's allocatable with what its pods request: kubectl describe node "
     "{node}\nlower the request, or move pods away; static pods and pods bound past the scheduler "
     "count too",
     ""},
    {"kubelet-out-of-memory", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because the node has too little memory left for its request",
     "reason OutOfmemory; Pod status.reason and status.message of a Failed pod, or the kubelet's "
     "event about one that is gone",
     "compare the node's allocatable with what its pods request: kubectl describe node "
     "{node}\nlower the request, or move pods away; static pods and pods bound past the scheduler "
     "count too",
     ""},
    {"kubelet-out-of-ephemeral-storage", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because the node has too little ephemeral storage left for its "
     "request",
     "reason OutOfephemeral-storage; Pod status.reason and status.message of a Failed pod, or the "
     "kubelet's event about one that is gone",
     "compare the node's allocatable with what its pods request: kubectl describe node "
     "{node}\nlower the request, or move pods away; static pods and pods bound past the scheduler "
     "count too",
     ""},
    {"kubelet-out-of-pods", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because the node runs as many pods as it may",
     "reason OutOfpods; Pod status.reason and status.message of a Failed pod, or the kubelet's "
     "event about one that is gone",
     "move or delete a pod that may run elsewhere: kubectl get pods --all-namespaces "
     "--field-selector spec.nodeName={node}\nstatic pods and pods that were bound past the "
     "scheduler count too",
     ""},
    {"kubelet-out-of-extended", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because the node has too little of an extended resource left",
     "reason OutOf followed by the name of the resource; Pod status.reason and status.message of a "
     "Failed pod, or the kubelet's event about one that is gone",
     "look at what the device plugin offers: kubectl describe node {node}", ""},
    {"kubelet-node-affinity", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because the node's labels no longer satisfy its selector or "
     "affinity",
     "reason NodeAffinity; the requirements are held against the node's labels of now",
     "find out who changed the label, and put it back: kubectl get node {node} --show-labels", ""},
    {"kubelet-node-ports", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because a host port it wants is taken",
     "reason NodePorts; the holder is looked for among all pods of the node, static ones included",
     "free the port, or choose another one", ""},
    {"kubelet-node-name", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because it is bound to another name than the kubelet's own",
     "reason NodeName; Pod status.reason and status.message of a Failed pod, or the kubelet's "
     "event about one that is gone",
     "find out who binds pods without the scheduler, or why the kubelet goes by another name than "
     "its Node",
     ""},
    {"kubelet-taint", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because it does not tolerate a NoExecute taint of the node",
     "reason TaintToleration; spec.taints of the node against the pod's tolerations",
     "tolerate the taint in the template, or take it off: kubectl describe node {node}", ""},
    {"kubelet-shutdown", Warning, Scope::Node, "kubelet",
     "the pod was refused or ended because the node was shutting down",
     "reason NodeShutdown, or Terminated with a text about the shutdown; the node's Ready "
     "condition",
     "wait until node {away} is back, or gone\nthe node is back; the next try can be had at "
     "once: kubectl --namespace {ns} delete pod {back}",
     ""},
    {"kubelet-pressure-refused", Error, Scope::Node, "kubelet",
     "the kubelet takes no such pod while the node is short of a resource",
     "reason Evicted with the node's condition in the text",
     "relieve the pressure first: kubectl describe node {node}\nthen the next try can be had at "
     "once: kubectl --namespace {ns} delete pod {pod}",
     ""},
    {"kubelet-evicted", Error, Scope::Node, "kubelet",
     "the kubelet evicted the pod for what it or the node used up",
     "reason Evicted with the resource or the limit in the text",
     "raise the request or the limit to what the pod really needs, bound its logs and emptyDir "
     "volumes, or mend the leak",
     ""},
    {"kubelet-preempted", Warning, Scope::Node, "kubelet",
     "the kubelet ended the pod to make room for a critical one",
     "reason Preempting; Pod status.reason and status.message of a Failed pod, or the kubelet's "
     "event about one that is gone",
     "give the DaemonSet a higher priority class, or the node more room", ""},
    {"kubelet-admission-error", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod with an error of its own",
     "reason UnexpectedAdmissionError; often a device plugin that has not registered again after a "
     "restart",
     "restart the device plugin on node {node}, whose resource the text names\n"
     "then try again: kubectl --namespace {ns} delete pod {pod}",
     ""},
    {"kubelet-alignment", Error, Scope::Node, "kubelet",
     "the kubelet's CPU or topology policy cannot place the pod's request",
     "reasons TopologyAffinityError, SMTAlignmentError and EmptyPodSharedPoolError",
     "change the request to what one NUMA node or whole cores can give, or the kubelet's policy",
     ""},
    {"kubelet-os-refused", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because it is for another operating system",
     "reasons PodOSNotSupported and PodOSSelectorNodeLabelDoesNotMatch; spec.os of the pod, "
     "status.nodeInfo of the node",
     "keep the DaemonSet to its operating system with a nodeSelector on kubernetes.io/os", ""},
    {"kubelet-feature-refused", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because it does not know or not allow something in its spec",
     "reasons PodFeatureUnsupported, PodLevelResourcesNotSupported, "
     "SupplementalGroupsPolicyNotSupported, AppArmor, SysctlForbidden and "
     "InitContainerRestartPolicyForbidden",
     "leave the field out, allow it in the kubelet's configuration, or upgrade the node", ""},
    {"kubelet-volume-limit", Error, Scope::Node, "kubelet",
     "the kubelet refused the pod because no more volumes can be attached to the node",
     "reason VolumeAttachmentLimitExceeded; the limits of the CSINode",
     "use fewer volumes on the node: kubectl get csinode {node} --output yaml", ""},
    {"kubelet-node-info", Warning, Scope::Node, "kubelet", "the kubelet could not judge the pod",
     "reasons InvalidNodeInfo, UnknownReason and UnexpectedPredicateFailureType",
     "look into the kubelet's log on the node", ""},
    {"kubelet-failed-other", Warning, Scope::Node, "kubelet",
     "the pod failed for a reason that has no finding of its own",
     "any other status.reason of a Failed pod", "kubectl --namespace {ns} describe pod {pod}", ""},
    {"kubelet-reject-loop", Info, Scope::Node, "kubelet",
     "pods of the node fail again and again, and are absent in between",
     "at least three refusals or evictions on the node within an hour, by the kubelet's events or "
     "the controller's FailedDaemonPod events",
     "mend the cause; one try at once can be had by kubectl --namespace {ns} delete pod {pod}\na "
     "new revision of the template begins the waiting times anew",
     ""},
    {"pod-not-acknowledged", Error, Scope::Node, "kubelet",
     "the pod is bound to the node, and its kubelet has not taken it up",
     "phase Pending without status.startTime, PodScheduled True for more than a minute",
     "look into the kubelet's log on the node; a virtual node may never take it up: kubectl "
     "describe node {node}",
     ""},
};

}  // namespace

std::span<const CatalogueEntry> kubelet_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
