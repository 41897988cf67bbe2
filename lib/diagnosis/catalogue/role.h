#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/catalogue/finding_id.h"
#include "diagnosis/catalogue/node_verdict.h"

/// What else the catalogue knows of a kind of finding: how it is weighed against others, and what
/// has to be read for it. The values are written in the entries (*.yaml), the order of the stages
/// in stages.yaml.
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

/// What a finding of the DaemonSet repeats in other words.
enum class SumsUp {
  Nothing,
  Nodes,    // what is found on its nodes
  Rollout,  // what is found of the pods of its rollout
  NewPods,  // that new pods fail or are not created, where that is found
};

/// What becomes of a finding where something is taken as different.
enum class InWhatIf {
  ByNodes,      // judged again where it is about single nodes of a DaemonSet, else kept
  Kept,         // it rests on history
  JudgedAgain,  // a diagnosis of the changed cluster is true
  Reworded,     // judged again, but said only where it is said today
  ByCounts,     // kept unless other counts of nodes or pods come out
  ByMissing,    // kept unless nodes that lack a pod no longer do
  OfToday,      // of a pod that the change removes it does not tell why
};

/// What findings of several kinds have in common.
enum class About {
  Leaving,          // the node is being removed
  Volume,           // a volume keeps the pod from the node
  Room,             // other pods take what the pod needs
  Template,         // the template asks for what the kubelet does not do
  OperatingSystem,  // the pod is of another operating system than the node
  Silence,          // the kubelet does not report
  YoungNode,        // the node, its plugins or controllers resolve it soon after the node starts
  Rollout,          // a rolling update does not go on
};

/// What can be read beyond what every question reads.
enum class Reading {
  Events,
  Leases,  // of the controller manager and the scheduler
  Admission,
  Claims,
  DeviceClasses,
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
};

inline constexpr Reading all_readings[] = {
    Reading::Events,
    Reading::Leases,
    Reading::Admission,
    Reading::Claims,
    Reading::DeviceClasses,
    Reading::NominatedPods,
    Reading::PodsOfNode,
    Reading::DisruptionBudgets,
    Reading::NodeEvents,
    Reading::NodeManagers,
    Reading::PodsOfLeavingNode,
    Reading::NodeLeases,
    Reading::StartupAgents,
    Reading::PodsOfOverdueNode,
    Reading::PodsHoldingPorts,
};

struct ReadingFor {
  Reading what;
  EnumSet<NodeVerdict> verdicts;  // of the node
};

struct StageEntry {
  std::string_view name;
  /// Even what is only information is a cause: it says what the node is.
  bool informs;
};

[[nodiscard]] const StageEntry& entry_of(Stage stage);

struct Role {
  Stage stage;                    // None: it explains, and is no cause
  EnumSet<NodeVerdict> explains;  // verdicts that it can be the cause of
  SumsUp sums_up;
  InWhatIf in_what_if;
  EnumSet<About> about;
  Basis basis;
  bool umbrella;  // explains every node that lacks its pod
  bool stops_creation;
  bool quiet;  // where it is only information, it is not said of a DaemonSet that is well
  std::span<const FindingId> implies;   // what is superfluous to say where it is primary
  std::span<const FindingId> cause_of;  // refusals of the kubelet; of others it is no cause
  std::span<const FindingId> outranks;  // what comes last where it is at least an error
  std::span<const std::string_view> pod_reasons;  // values of a pod's status.reason
  std::span<const ReadingFor> reads;
};

/// In the order of FindingId.
[[nodiscard]] std::span<const Role> roles();

[[nodiscard]] inline const Role& role_of(FindingId id) {
  return roles()[static_cast<std::size_t>(id)];
}

[[nodiscard]] inline bool is_about(FindingId id, About what) {
  return role_of(id).about.contains(what);
}

/// What some finding needs that a node with this verdict may have.
[[nodiscard]] EnumSet<Reading> readings_for(NodeVerdict verdict);

}  // namespace dsdoctor::diagnosis
