#include "diagnosis/catalogue/verdict_entries.h"

#include <array>

namespace dsdoctor::diagnosis {
namespace {

constexpr CatalogueEntry entry(std::string_view id, Severity severity, std::string_view meaning,
                               std::string_view detected, std::string_view remedy) {
  return {id, severity, Scope::Node, "verdicts", meaning, detected, remedy, ""};
}

constexpr std::array entries = {
    entry(
        "duplicate", Severity::Warning,
        "a pod should run on the node, and more than one lives there",
        "several pods that are neither over nor being deleted, beyond the two of a rollout with "
        "maxSurge",
        "The oldest bound pod stays; the controller deletes the others. If they do not go, look at "
        "kube-controller-manager."),
    entry(
        "excluded", Severity::Info, "no pod should run on the node, and none is there",
        "a taint, the node selector, the node affinity or the node name keeps it out; the reasons "
        "stand beside the verdict",
        "Nothing, unless the pod belongs there. Then see what would bring it:\n"
        "kubectl dsdoctor suggest {ds} -n {ns} --for node/{node}"),
    entry("failed", Severity::Error,
          "a pod should run on the node, and the one that is there has failed",
          "status.phase of every pod there is Failed or Succeeded",
          "The controller deletes it and tries again, with backoff. See what ended it:\n"
          "kubectl describe pod {pod} -n {ns}"),
    entry("misscheduled", Severity::Warning,
          "a pod runs where a new one would not be created, and stays",
          "the node has a taint with effect NoSchedule that the template does not tolerate, and "
          "nothing else that keeps it out; status.numberMisscheduled counts such nodes",
          "Tolerate the taint, or delete the pod, which does not come back while the taint stays:\n"
          "kubectl dsdoctor suggest {ds} -n {ns} --for misscheduled\n"
          "kubectl delete pod {pod} -n {ns}"),
    entry(
        "missing", Severity::Error, "a pod should run on the node, and none is there",
        "the controller's rules want one, and no pod of the DaemonSet is bound to the node or made "
        "for it",
        "The controller has not created it, or it is refused. See the finding beside it, and the "
        "events:\nkubectl describe daemonset {ds} -n {ns}"),
    entry("not-ready", Severity::Warning,
          "a pod should run on the node, and the one that is there is not ready",
          "it is bound to the node, and its condition Ready is not True",
          "See what keeps it:\nkubectl describe pod {pod} -n {ns}"),
    entry("pending", Severity::Warning,
          "a pod should run on the node, and the one made for it is not bound",
          "spec.nodeName of the pod is empty; its node affinity names the node",
          "The scheduler cannot place it. See why:\nkubectl describe pod {pod} -n {ns}"),
    entry("removing", Severity::Warning,
          "a pod is on a node where it should neither run nor stay, and is being taken away",
          "the node selector, the node affinity, the node name or a taint with effect NoExecute "
          "rules "
          "the node out",
          "Nothing, unless the pod belongs there; if it does not go, look at "
          "kube-controller-manager."),
    entry("running", Severity::Info, "a pod should run on the node, and one does, ready",
          "it is bound to the node, and its condition Ready is True", ""),
    entry("terminating", Severity::Info,
          "a pod should run on the node, and the old one is still ending",
          "metadata.deletionTimestamp of every pod there is set",
          "Nothing: a new pod follows when the old one is gone."),
    entry("unknown", Severity::Info,
          "a pod should run on the node, and whether one does was not read",
          "pods could not be read, or the input holds none",
          "Read with the right to list pods, or with pods in the input."),
};

}  // namespace

std::span<const CatalogueEntry> verdict_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
