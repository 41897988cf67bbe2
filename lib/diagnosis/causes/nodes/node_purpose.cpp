// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/node_purpose.h"

#include <algorithm>
#include <optional>

#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/causes/nodes/startup_agents.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/tolerates.h"

namespace dsdoctor::diagnosis {
namespace {

/// Evidence that the node belongs to Fargate.
Evidence fargate_evidence(const NodeCase& of, const NodeRecord& record) {
  constexpr std::string_view key = "eks.amazonaws.com/compute-type";
  if (has_label(of.node, key, "fargate")) {
    return record.field("metadata.labels['eks.amazonaws.com/compute-type']", "fargate");
  }
  if (const model::Taint* taint = find_taint(of.node, key)) return record.taint(*taint);
  return record.field("metadata.name", of.node.meta.name);
}

/// Evidence that the node is a virtual kubelet.
Evidence virtual_evidence(const NodeCase& of, const NodeRecord& record) {
  if (has_label(of.node, "type", "virtual-kubelet")) {
    return record.field("metadata.labels['type']", "virtual-kubelet");
  }
  if (const model::Taint* taint = find_taint(of.node, "virtual-kubelet.io/provider")) {
    return record.taint(*taint);
  }
  return record.field("status.nodeInfo.kubeletVersion", of.node.kubelet_version);
}

Finding& add_fargate(const NodeCase& of, std::optional<Message> eligibility, NodeRecord& record) {
  return record.add(finding::NodeFargate{.eligibility = std::move(eligibility)},
                    {fargate_evidence(of, record)});
}

Finding& add_virtual(const NodeCase& of, std::optional<Message> eligibility, NodeRecord& record) {
  return record.add(finding::NodeVirtual{.eligibility = std::move(eligibility)},
                    {virtual_evidence(of, record)});
}

/// True if a taint excludes pods whose template does not tolerate it.
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
    record.add(finding::NodeControlPlane{.key = key}, {record.taint(taint)}, &taint);
  } else if (of.of.taints->find(taint, of.node.meta.labels) == nullptr && !startup_agent(taint)) {
    record.add(finding::NodePoolTaint{.key = key,
                                      .since = {added_at(taint, of.node), of.of.facts.now()},
                                      .taint = wording::taint(taint)},
               {record.taint(taint)}, &taint);
  }
}

}  // namespace

void add_purpose(const NodeCase& of, std::span<const model::Taint* const> open,
                 NodeRecord& record) {
  if (is_virtual(of.node)) {
    add_virtual(of, std::nullopt, record);
  } else if (is_fargate(of.node)) {
    add_fargate(of, std::nullopt, record);
  } else {
    for (const model::Taint* taint : open) add_reserving(of, *taint, record);
  }
}

void add_no_place_for_pods(const NodeCase& of, NodeRecord& record) {
  const bool fargate = is_fargate(of.node);
  if (!fargate && !is_virtual(of.node)) return;
  const Message eligibility =
      is_fenced(of) ? Message(phrase::EligibleByToleration{}) : phrase::NoTaintExcludes{};
  Finding& finding =
      fargate ? add_fargate(of, eligibility, record) : add_virtual(of, eligibility, record);
  finding.severity = Severity::Error;
}

}  // namespace dsdoctor::diagnosis
