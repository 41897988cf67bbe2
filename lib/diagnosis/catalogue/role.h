// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/catalogue/finding_id.h"
#include "diagnosis/catalogue/node_verdict.h"

/// The rank of each kind of finding among others, and the data that it needs. The values come from
/// the entries (*.yaml), the order of the stages from stages.yaml.
namespace dsdoctor::diagnosis {

/// REQUIRES: `Enum` has at most 32 values, from 0.
template <typename Enum>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<Enum> values) {
    for (const Enum value : values) bits_ |= bit(value);
  }
  [[nodiscard]] constexpr bool contains(Enum value) const { return (bits_ & bit(value)) != 0; }
  constexpr void insert(Enum value) { bits_ |= bit(value); }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr std::uint32_t bit(Enum value) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(value);
  }
  std::uint32_t bits_ = 0;
};

/// Findings that a finding of the DaemonSet summarizes.
enum class SumsUp {
  Nothing,
  Nodes,    // those of its nodes
  Rollout,  // those of the pods of its rollout
  NewPods,  // failing or missing new pods, if reported
};

/// How a what-if treats a finding.
enum class InWhatIf {
  ByNodes,      // recomputed if it names nodes of the DaemonSet, else kept
  Kept,         // depends on history
  JudgedAgain,  // recomputed from the changed cluster
  Reworded,     // recomputed, but only if the current cluster has it
  ByCounts,     // kept unless the counts of nodes or pods change
  ByMissing,    // kept unless a node without a pod gets one
  OfToday,      // dropped for a pod that the change removes
};

/// Topics of findings; a finding can have several.
enum class About {
  Leaving,          // the node is being removed
  Volume,           // a volume keeps the pod from the node
  Room,             // other pods use the resources that the pod needs
  Template,         // the kubelet does not support a field of the template
  OperatingSystem,  // pod and node have different operating systems
  Silence,          // the kubelet does not report
  YoungNode,        // usually clears soon after the node starts
  Rollout,          // a rolling update does not progress
  Obstacle,         // remains until somebody acts, so that it does not matter how young the pod is
  Ahead,            // harmless until a later event, such as the next rollout
};

/// Data that is read only if a finding may need it.
enum class Need {
  Events,
  Leases,  // of the controller manager and the scheduler
  Admission,
  Claims,
  DeviceClasses,
  DeviceTaints,  // with the ResourceClaims and the devices
  NominatedPods,
  PodsOfNode,
  DisruptionBudgets,
  NodeEvents,
  NodeManagers,  // who wrote the node's fields
  PodsOfLeavingNode,
  NodeLeases,
  StartupAgents,
  PodsOfOverdueNode,
  PodsHoldingPorts,
  PodGroups,  // with all pods of their namespaces
};

inline constexpr Need all_needs[] = {
    Need::Events,           Need::Leases,        Need::Admission,
    Need::Claims,           Need::DeviceClasses, Need::DeviceTaints,
    Need::NominatedPods,    Need::PodsOfNode,    Need::DisruptionBudgets,
    Need::NodeEvents,       Need::NodeManagers,  Need::PodsOfLeavingNode,
    Need::NodeLeases,       Need::StartupAgents, Need::PodsOfOverdueNode,
    Need::PodsHoldingPorts, Need::PodGroups,
};

struct NeedFor {
  Need what;
  EnumSet<NodeVerdict> verdicts;  // of the node
};

struct StageEntry {
  std::string_view name;
  /// An informational finding can be the primary cause, because it describes the node.
  bool informs;
};

[[nodiscard]] const StageEntry& entry_of(Stage stage);

struct Role {
  Stage stage;                    // None: never a cause
  EnumSet<NodeVerdict> explains;  // verdicts that it can cause
  SumsUp sums_up;
  InWhatIf in_what_if;
  EnumSet<About> about;
  Basis basis;
  bool umbrella;  // explains every node without a pod
  bool stops_creation;
  bool quiet;                           // if informational, hidden for a healthy DaemonSet
  std::span<const FindingId> implies;   // findings to drop if this one is primary
  std::span<const FindingId> cause_of;  // the only rejections by the kubelet that it can cause
  std::span<const FindingId> outranks;  // findings to rank last if this one is an error
  std::span<const std::string_view> pod_reasons;  // values of a pod's status.reason
  std::span<const NeedFor> reads;
};

/// In the order of FindingId.
[[nodiscard]] std::span<const Role> roles();

[[nodiscard]] inline const Role& role_of(FindingId id) {
  return roles()[static_cast<std::size_t>(id)];
}

[[nodiscard]] inline bool is_about(FindingId id, About what) {
  return role_of(id).about.contains(what);
}

/// Everything that the findings of a node with this verdict may need.
[[nodiscard]] EnumSet<Need> needs_for(NodeVerdict verdict);

}  // namespace dsdoctor::diagnosis
