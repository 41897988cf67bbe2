#include <array>

#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view family = "node";
constexpr auto scope = Scope::Node;

constexpr std::array entries = {
    CatalogueEntry{
        "node-not-ready", Severity::Error, scope, family,
        "the kubelet says that the node cannot run pods",
        "Node status.conditions[Ready] is False; the taint not-ready:NoSchedule that "
        "follows is none of those that every DaemonSet tolerates",
        "kubectl describe node {node}\nread the logs of kubelet and container runtime on "
        "the host",
        ""},
    CatalogueEntry{"node-unreachable", Severity::Error, scope, family,
                   "the kubelet has stopped reporting", "Node status.conditions[Ready] is Unknown",
                   "bring the host back; if it is gone for good: kubectl delete node {node}\nif it "
                   "is switched off but stays: kubectl taint node {node} "
                   "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
                   ""},
    CatalogueEntry{
        "node-cni-deadlock", Severity::Critical, scope, family,
        "the node waits for its network, and the DaemonSet that brings the network waits "
        "for the node",
        "Ready is False because of the network; the DaemonSet mounts /etc/cni or /opt/cni "
        "and does not tolerate not-ready or network-unavailable",
        "tolerate {key} with effect {effect} in the DaemonSet's template", ""},
    CatalogueEntry{"node-cordoned", Severity::Info, scope, family,
                   "the node is cordoned, which does not concern pods of DaemonSets",
                   "Node spec.unschedulable", "if it was forgotten: kubectl uncordon {node}", ""},
    CatalogueEntry{
        "node-disk-pressure", Severity::Error, scope, family,
        "the node is short of disk space; its kubelet refuses and evicts pods",
        "Node status.conditions[DiskPressure]; it outlasts the shortage by five minutes",
        "look at the disks: kubectl debug node/{node} -it --image=busybox -- df -h /host "
        "/host/var/lib/kubelet /host/var/lib/containerd\nfree space; the pod comes back "
        "by itself within 15 minutes",
        ""},
    CatalogueEntry{"node-pid-pressure", Severity::Error, scope, family,
                   "the node is short of process ids; its kubelet refuses and evicts pods",
                   "Node status.conditions[PIDPressure]", "find what forks without end on {node}",
                   ""},
    CatalogueEntry{"node-memory-pressure", Severity::Warning, scope, family,
                   "the node is short of memory; pods above their requests are evicted",
                   "Node status.conditions[MemoryPressure]",
                   "let requests say what the pods really use", ""},
    CatalogueEntry{"node-network-unavailable", Severity::Warning, scope, family,
                   "the node's network is not set up, and the pod does not use the host's",
                   "Node status.conditions[NetworkUnavailable], template without hostNetwork",
                   "look at the cloud's route controller or the network plugin on {node}", ""},
    CatalogueEntry{
        "node-cloud-uninitialized", Severity::Error, scope, family,
        "the cloud controller manager has not dealt with the node yet",
        "taint node.cloudprovider.kubernetes.io/uninitialized, for more than ten minutes",
        "look at the cloud controller manager and its rights; what it depends on has to "
        "tolerate {key}",
        ""},
    CatalogueEntry{"node-capi-uninitialized", Severity::Error, scope, family,
                   "cluster API has not dealt with the node yet",
                   "taint node.cluster.x-k8s.io/uninitialized, for more than ten minutes",
                   "look at the Machine of {node} in the management cluster", ""},
    CatalogueEntry{"node-cloud-shutdown", Severity::Warning, scope, family,
                   "the cloud reports the instance as stopped",
                   "taint node.cloudprovider.kubernetes.io/shutdown",
                   "start the instance, or delete the node", ""},
    CatalogueEntry{"node-out-of-service", Severity::Info, scope, family,
                   "somebody declared the node out of service",
                   "taint node.kubernetes.io/out-of-service",
                   "take it off once the node is back: kubectl taint node {node} {key}-", ""},
    CatalogueEntry{
        "node-removed-by-cluster-autoscaler", Severity::Info, scope, family,
        "cluster-autoscaler is draining the node to remove it",
        "taint ToBeDeletedByClusterAutoscaler, whose value is the moment of the decision",
        "wait until the node is gone, or tolerate the taint if the pod has to stay wanted "
        "until then",
        "node-autoscaler-deleting"},
    CatalogueEntry{"node-karpenter-disrupted", Severity::Info, scope, family,
                   "karpenter is draining the node to replace it",
                   "taint karpenter.sh/disrupted (karpenter.sh/disruption before v1)",
                   "wait until the node is gone, or tolerate {key}", ""},
    CatalogueEntry{"node-karpenter-unregistered", Severity::Error, scope, family,
                   "the node never finished registering with Karpenter",
                   "taint karpenter.sh/unregistered, for more than ten minutes",
                   "kubectl get nodeclaims -o wide\nread Karpenter's log", ""},
    CatalogueEntry{"node-interruption", Severity::Info, scope, family,
                   "the cloud is about to take the node back",
                   "taints of the termination handlers of clouds", "wait until the node is gone",
                   ""},
    CatalogueEntry{
        "node-startup-taint-stuck", Severity::Error, scope, family,
        "an agent has to take off a taint before the node is used, and does not",
        "taints named agent-not-ready and their like, for more than ten minutes",
        "look at the agent's pod on {node}; what keeps it away has to be tolerated by it", ""},
    CatalogueEntry{"node-virtual", Severity::Info, scope, family,
                   "a virtual node, where no kubelet runs pods of DaemonSets",
                   "label type=virtual-kubelet, taint virtual-kubelet.io/provider, or -vk- in the "
                   "kubelet's version",
                   "keep the DaemonSet off by node affinity: type NotIn [virtual-kubelet]", ""},
    CatalogueEntry{"node-fargate", Severity::Info, scope, family,
                   "a Fargate node, which takes one pod and none of a DaemonSet",
                   "label eks.amazonaws.com/compute-type=fargate, or the node's name",
                   "keep the DaemonSet off by node affinity: eks.amazonaws.com/compute-type NotIn "
                   "[fargate]",
                   ""},
    CatalogueEntry{"node-control-plane", Severity::Info, scope, family,
                   "the node belongs to the control plane, which is set apart by a taint",
                   "taint node-role.kubernetes.io/control-plane (or master), shown for nodes that "
                   "are asked for",
                   "tolerate {key} if the pod is to run there", ""},
    CatalogueEntry{"node-pool-taint", Severity::Info, scope, family,
                   "a taint of the cluster's own sets the node apart",
                   "an untolerated taint that no known component sets, shown for nodes that are "
                   "asked for",
                   "tolerate {key} if the pod is to run there", ""},
    CatalogueEntry{
        "node-label-excluded", Severity::Info, scope, family,
        "the node lacks a label that the DaemonSet asks for",
        "a node selector or affinity requirement fails; shown for nodes that are asked for",
        "label the node, or widen the rule", ""},
    CatalogueEntry{
        "node-label-changed", Severity::Warning, scope, family,
        "a label that the DaemonSet asks for was there and is no more",
        "a pod is being removed because a node selector or affinity requirement fails, or "
        "managedFields tell that the label was written after the DaemonSet",
        "kubectl get node {node} --show-labels\nmend what maintains the label, or select "
        "by one that people own",
        ""},
    CatalogueEntry{"node-newly-eligible", Severity::Info, scope, family,
                   "the node has become eligible moments ago",
                   "no pod yet, and the node, its Ready condition or a label it needs is younger "
                   "than two minutes",
                   "", ""},
    CatalogueEntry{
        "node-arch-mismatch", Severity::Error, scope, family,
        "an image is not made for the node's architecture",
        "the runtime's or the kernel's words; suspected where all nodes of one "
        "architecture crash and others do not",
        "build {image} for {arch} too, or keep the DaemonSet off these nodes with a node "
        "affinity on kubernetes.io/arch",
        ""},
    CatalogueEntry{
        "node-os-mismatch", Severity::Error, scope, family,
        "the node runs another operating system than the pods are made for",
        "kubernetes.io/os or status.nodeInfo.operatingSystem against spec.os or the nodes "
        "where the pods are fine",
        "kubectl --namespace {ns} patch daemonset {ds} --type=merge "
        "--patch='{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{"
        "\"kubernetes.io/os\":\"{os}\"}}}}}'\nbuild the image for {lacking}, too, or keep the "
        "DaemonSet off these nodes",
        ""},
    CatalogueEntry{"node-being-deleted", Severity::Info, scope, family, "the node is being deleted",
                   "Node metadata.deletionTimestamp", "wait; look at its finalizers if it stays",
                   ""},
    CatalogueEntry{"clock-skew", Severity::Info, Scope::Cluster, family,
                   "the clock of a node is ahead of the one that ages are told by",
                   "Node status.conditions[Ready].lastHeartbeatTime lies more than 30 s in the "
                   "future",
                   "compare the clocks of the node and of the machine that asks (chronyc tracking)",
                   ""},
};

}  // namespace

std::span<const CatalogueEntry> node_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
