#include "diagnosis/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

using enum Severity;

constexpr CatalogueEntry entries[] = {
    {"node-arch-mismatch", Error, Scope::Node, "nodes",
     "an image is not made for the node's architecture",
     "the runtime's or the kernel's words; suspected where all nodes of one architecture crash and "
     "others do not",
     "build {image} for {arch} too, or keep the DaemonSet off these nodes with a node affinity on "
     "kubernetes.io/arch",
     ""},
    {"node-os-mismatch", Error, Scope::Node, "nodes",
     "the node runs another operating system than the pods are made for",
     "kubernetes.io/os or status.nodeInfo.operatingSystem against spec.os or the nodes where the "
     "pods are fine",
     "kubectl --namespace {ns} patch daemonset {ds} --type=merge "
     "--patch='{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{\"kubernetes.io/"
     "os\":\"{os}\"}}}}}'",
     ""},
};

}  // namespace

std::span<const CatalogueEntry> node_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
