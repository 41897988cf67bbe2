#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr Severity error = Severity::Error;
constexpr Severity warning = Severity::Warning;
constexpr Severity info = Severity::Info;
constexpr Scope on_node = Scope::Node;
constexpr Scope on_pod = Scope::Pod;
constexpr const char* family = "scheduling";

constexpr CatalogueEntry entries[] = {
    {"scheduler-unknown", error, Scope::DaemonSet, family,
     "the pod asks for a scheduler that does not answer",
     "spec.schedulerName is not default-scheduler, and neither condition PodScheduled nor an event "
     "FailedScheduling was written",
     "Start that scheduler, or have the default one place the pods:\n"
     "kubectl patch daemonset {ds} --namespace {ns} --type=json "
     "-p '[{\"op\":\"remove\",\"path\":\"/spec/template/spec/schedulerName\"}]'",
     ""},
    {"scheduler-error", warning, on_pod, family, "the scheduler failed while it placed the pod",
     "condition PodScheduled is False with reason SchedulerError for over a minute",
     "Read the scheduler's log; it retries by itself.", ""},
    {"scheduler-disagrees", warning, on_pod, family,
     "the scheduler turns the node away for a reason that the API does not show",
     "no filter blocks when recomputed, or the scheduler's message names a reason that no plugin "
     "of Kubernetes has",
     "Have the pod made and judged anew; if that changes nothing, look at the scheduler's "
     "configuration and log:\n"
     "kubectl delete pod {pod} --namespace {ns}",
     ""},
    {"scheduler-waiting", info, on_pod, family,
     "the pod fits its node now and waits for the scheduler's next attempt",
     "no filter blocks when recomputed, and the last attempt is younger than five minutes", "", ""},
    {"sched-gated", error, on_pod, family, "scheduling gates hold the pod back",
     "spec.schedulingGates is not empty for over five minutes",
     "Let the controller that owns the gate remove it, or take the gate out of the template.", ""},
    {"sched-target-gone", error, on_pod, family,
     "the pod is made for a node that does not exist, or that the scheduler does not know",
     "the node that its required affinity names is not in the node list, or the scheduler's "
     "message counts every node as another one",
     "The controller deletes such pods by itself; if it does not, look at its log, and at "
     "finalizers of the pod.\n"
     "kubectl delete pod {pod} --namespace {ns}",
     ""},
    {"sched-unschedulable", error, on_node, family,
     "the node is cordoned and the pod lost its toleration of that",
     "spec.unschedulable of the node, spec.tolerations of the pod",
     "Find what strips tolerations from pods; until then:\nkubectl uncordon {node}", ""},
    {"sched-taint", error, on_node, family, "the node has a taint that the pod does not tolerate",
     "spec.taints of the node against spec.tolerations of the pod itself",
     "Tolerate it in the template if the pods belong there, else remove the taint from the node.",
     ""},
    {"sched-node-selector", error, on_node, family,
     "the node does not match the pod's node selector or required affinity",
     "spec.nodeSelector and spec.affinity.nodeAffinity of the pod itself against the node's labels",
     "Label the node, or change the place that the requirement comes from.", ""},
    {"sched-affinity-conflict", error, Scope::DaemonSet, family,
     "the pod's affinity and the scheduler's own contradict each other",
     "the scheduler says so; its own affinity is part of its configuration",
     "Compare the template's node affinity with the profile in the scheduler's configuration.", ""},
    {"sched-host-port", error, on_node, family,
     "another pod of the node holds a host port that the pod wants",
     "hostPort of app containers and sidecars of all pods on the node, by port, protocol and "
     "address",
     "Give one of the two another port, or keep one of them off the node. "
     "See what else wants the port there:\n"
     "kubectl get pods --all-namespaces --field-selector spec.nodeName={node} -o wide",
     ""},
    {"sched-too-many-pods", error, on_node, family, "the node runs as many pods as it may",
     "pods bound to the node that are not over, against its status.allocatable.pods",
     "Make room by moving a few pods; the daemon pod then follows by itself.\n"
     "kubectl cordon {node} && kubectl drain {node} --ignore-daemonsets --delete-emptydir-data "
     "--pod-selector={selector}; kubectl uncordon {node}\n"
     "To have it stay so: a PriorityClass for the DaemonSet, or a larger maxPods of the kubelet.",
     ""},
    {"sched-insufficient-cpu", error, on_node, family, "the node has too little cpu left",
     "cpu requests of all pods on the node against its status.allocatable.cpu",
     "Lower the request, move pods away, or give the DaemonSet a PriorityClass above theirs.\n"
     "kubectl describe node {node}",
     ""},
    {"sched-insufficient-memory", error, on_node, family, "the node has too little memory left",
     "memory requests of all pods on the node against its status.allocatable.memory",
     "Lower the request, move pods away, or give the DaemonSet a PriorityClass above theirs.\n"
     "kubectl describe node {node}",
     ""},
    {"sched-insufficient-ephemeral-storage", error, on_node, family,
     "the node has too little ephemeral storage left to request",
     "ephemeral-storage requests of all pods on the node against its status.allocatable; how full "
     "the disk is plays no part",
     "Lower the request, or move pods away.\nkubectl describe node {node}", ""},
    {"sched-insufficient-hugepages", error, on_node, family, "the node has too few huge pages left",
     "hugepages requests of all pods on the node against its status.allocatable",
     "Set aside more huge pages on the node, or lower the request.\nkubectl describe node {node}",
     ""},
    {"sched-insufficient-extended", error, on_node, family,
     "the node has too little of a device plugin's resource left",
     "requests of all pods on the node for the resource against its status.allocatable",
     "See that the resource's device plugin runs on the node, or keep the DaemonSet off nodes "
     "without it.\nkubectl describe node {node}",
     ""},
    {"sched-never-fits", error, on_node, family, "the pod requests more than the whole node offers",
     "the pod's requests against status.allocatable of the node, other pods left aside",
     "Shrink the request, or use one DaemonSet for each size of node.", ""},
    {"sched-claim-missing", error, on_pod, family,
     "a PersistentVolumeClaim of the pod cannot be used",
     "the claim does not exist, is lost, being deleted, of another owner, or unbound with a class "
     "that binds at once",
     "Make or mend the claim, or name another one in the template:\n"
     "kubectl get persistentvolumeclaims --namespace {ns}",
     ""},
    {"sched-volume-affinity", error, on_node, family,
     "a PersistentVolume of the pod cannot be used on the node",
     "node affinity of the PersistentVolume against the node's labels, or the volume is not there",
     "Pods of a DaemonSet should not share a claim: use hostPath, an ephemeral volume, or a claim "
     "that many nodes can mount.",
     ""},
    {"sched-volume-binding", error, on_node, family,
     "no volume can be bound or provisioned for the pod on the node",
     "the claim is being provisioned for another node, no free volume suits, or the StorageClass "
     "leaves the node out",
     "kubectl get persistentvolumeclaims,persistentvolumes --namespace {ns}", ""},
    {"sched-volume-zone", error, on_node, family,
     "a PersistentVolume of the pod is in another zone or region",
     "zone and region labels of the PersistentVolume against the node's",
     "Use a claim for each zone, or volumes without one.", ""},
    {"sched-volume-limit", error, on_node, family,
     "a storage driver can attach no more volumes to the node, or is not there",
     "volumes of the node's pods by CSI driver against the limit in its CSINode",
     "Move pods with volumes away, or see that the driver's own DaemonSet runs on the node.\n"
     "kubectl get csinode {node} -o yaml",
     ""},
    {"sched-volume-in-use", error, on_node, family,
     "another pod has a disk or claim that only one may have",
     "the same in-tree disk on the node, or a ReadWriteOncePod claim of another pod",
     "Pods of a DaemonSet should not share such a volume: give each its own.", ""},
    {"sched-pod-affinity", error, on_node, family,
     "the pod must run beside others, and none of them is near the node",
     "required pod affinity against the pods of the node's topology domain",
     "Place the other pods first, or drop the term: a DaemonSet's pods have one node each.", ""},
    {"sched-pod-anti-affinity", error, on_node, family,
     "the pod must not run beside others, and one of them is near the node",
     "required pod anti-affinity against the pods of the node's topology domain",
     "Move the other pods, or drop the term: a DaemonSet never puts two pods on one node.", ""},
    {"sched-existing-anti-affinity", error, on_node, family,
     "pods that run near the node do not want this one beside them",
     "required anti-affinity of running pods against this pod's labels",
     "Change the labels that they mean, or their term.", ""},
    {"sched-topology-spread", error, on_node, family,
     "a hard topology spread constraint keeps the pod off the node",
     "topologySpreadConstraints with DoNotSchedule against pods and labels of the eligible nodes",
     "Drop the constraint: a DaemonSet spreads over nodes by itself.", ""},
    {"sched-resource-claim", error, on_node, family,
     "devices that the pod claims cannot be allocated on the node",
     "the scheduler says so; the selection of devices is not recomputed",
     "kubectl get resourceclaims --namespace {ns}", ""},
    {"sched-node-features", error, on_node, family,
     "the node's kubelet lacks a feature that the pod needs", "the scheduler says so",
     "Bring the node's kubelet to the version of the API server.\nkubectl get node {node} -o wide",
     ""},
    {"preempt-no-victims", info, on_node, family, "nothing can be evicted to make room for the pod",
     "priorities of the node's pods against the pod's own; all filters are run again without them",
     "Give the DaemonSet a PriorityClass above those of the pods that may go.", ""},
    {"preempt-never", warning, on_node, family,
     "the pod's class forbids the evictions that would make room",
     "spec.preemptionPolicy is Never, and without pods of lower priority the pod would fit",
     "Use a PriorityClass that may preempt.", ""},
    {"preempt-in-progress", warning, on_node, family, "pods are being evicted to make room",
     "status.nominatedNodeName is the node, and pods there are terminating", "", ""},
    {"preempt-unhelpful", info, on_node, family, "evicting pods cannot help",
     "a filter fails that does not depend on other pods", "", ""},
    {"preempt-outranked", warning, on_node, family,
     "the room on the node is kept for pods of at least the same priority",
     "the pod fits beside the node's pods, but not beside those nominated to it as well",
     "Raise the DaemonSet's priority, or add room.", ""},
};

}  // namespace

std::span<const CatalogueEntry> scheduling_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
