#include "diagnosis/causes/nodes/node_purpose.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/causes/nodes/startup_agents.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/tolerates.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view fargate_text = "a Fargate node runs one pod and no DaemonSet pods";
constexpr std::string_view virtual_text = "a virtual node: no kubelet there runs DaemonSet pods";

/// A taint turns pods away that do not tolerate it by their template.
bool is_fenced(const NodeCase& of) {
  const auto automatic = placement::automatic_tolerations(of.of.ds.pod_template.host_network);
  return std::ranges::any_of(of.node.taints, [&](const model::Taint& taint) {
    return placement::is_blocking(taint) &&
           std::ranges::none_of(automatic, [&](const model::Toleration& toleration) {
             return placement::tolerates(toleration, taint, of.of.gates);
           });
  });
}

void add_reserving(const NodeCase& of, const model::Taint& taint, NodeRecord& record) {
  const std::string_view key = taint.key;
  if (key == "node-role.kubernetes.io/control-plane" || key == "node-role.kubernetes.io/master") {
    record.add(finding::NodeControlPlane{.key = key}, "control plane node", {record.taint(taint)},
               &taint);
  } else if (of.of.taints->find(taint, of.node.meta.labels) == nullptr && !startup_agent(taint)) {
    record.add(finding::NodePoolTaint{.key = key},
               fmt::format("taint {} reserves the node for other workloads{}",
                           wording::taint(taint), record.since(added_at(taint, of.node))),
               {record.taint(taint)}, &taint);
  }
}

}  // namespace

void add_purpose(const NodeCase& of, std::span<const model::Taint* const> open,
                 NodeRecord& record) {
  if (is_virtual(of.node)) {
    record.add(FindingId::NodeVirtual, std::string(virtual_text),
               {record.field("metadata.labels")});
  } else if (is_fargate(of.node)) {
    record.add(FindingId::NodeFargate, std::string(fargate_text),
               {record.field("metadata.labels")});
  } else {
    for (const model::Taint* taint : open) add_reserving(of, *taint, record);
  }
}

void add_no_place_for_pods(const NodeCase& of, NodeRecord& record) {
  const bool fargate = is_fargate(of.node);
  if (!fargate && !is_virtual(of.node)) return;
  Finding& finding = record.add(
      fargate ? FindingKind(FindingId::NodeFargate) : FindingKind(FindingId::NodeVirtual),
      fmt::format("{}; {}", fargate ? fargate_text : virtual_text,
                  is_fenced(of) ? "eligible only because the template tolerates its taint"
                                : "no taint excludes the DaemonSet"),
      {record.field("metadata.labels")});
  finding.severity = Severity::Error;
}

}  // namespace dsdoctor::diagnosis
