#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/meta.h"
#include "model/pod_spec.h"
#include "model/scheduling.h"
#include "model/shared.h"

namespace dsdoctor::model {

/// spec.template: what decides about placement, and the rest in `spec`.
struct PodTemplate {
  Labels labels;
  Text node_name;
  Labels node_selector;
  SharedOptional<NodeSelector> node_affinity;  // required terms; absent is no constraint
  std::vector<Toleration> tolerations;
  bool host_network = false;
  PodSpec spec = {};  // the rest: containers, volumes, priority
  /// What OpenShift's controller requires of nodes as well, by their namespace; empty elsewhere.
  Labels namespace_selector = {};

  friend bool operator==(const PodTemplate&, const PodTemplate&) = default;
};

/// Counters of status. Every one counts nodes, not pods.
struct DaemonSetCounts {
  std::int64_t desired_number_scheduled = 0;
  std::int64_t current_number_scheduled = 0;
  std::int64_t number_misscheduled = 0;
  std::int64_t number_ready = 0;
  std::int64_t number_available = 0;
  std::int64_t updated_number_scheduled = 0;

  friend bool operator==(const DaemonSetCounts&, const DaemonSetCounts&) = default;
};

/// A field of the spec that is not as `kubectl apply` last recorded it.
struct SpecEdit {
  std::string path;     // "spec.template.spec.nodeSelector.pool"
  std::string applied;  // empty: the field was not applied
  std::string live;     // empty: the field is gone

  friend bool operator==(const SpecEdit&, const SpecEdit&) = default;
};

/// What of a pod template is in the manifest that `kubectl apply` last recorded.
struct AppliedTemplate {
  bool tolerations = false;
  bool node_affinity = false;  // the required terms

  friend bool operator==(const AppliedTemplate&, const AppliedTemplate&) = default;
};

struct DaemonSet {
  ObjectMeta meta;
  Labels annotations;
  std::int64_t generation = 0;
  std::optional<LabelSelector> selector;  // absent only in files
  PodTemplate pod_template;
  /// Equal for equal templates: of spec.template here, of data.spec.template in a
  /// ControllerRevision. 0: not known.
  std::uint64_t template_fingerprint = 0;
  std::vector<SpecEdit> edits = {};             // of a few fields; empty where no apply is recorded
  std::optional<AppliedTemplate> applied = {};  // absent: no apply is recorded, or not what of
  std::int64_t min_ready_seconds = 0;
  Text update_strategy;  // RollingUpdate (also when empty) or OnDelete
  std::optional<IntOrPercent> max_unavailable;
  std::optional<IntOrPercent> max_surge;
  DaemonSetCounts reported;              // status, as the controller wrote it
  std::int64_t observed_generation = 0;  // 0: the controller never finished a sync

  friend bool operator==(const DaemonSet&, const DaemonSet&) = default;
};

/// A stored template of a DaemonSet (apps/v1 ControllerRevision).
struct ControllerRevision {
  ObjectMeta meta;
  std::int64_t revision = 0;
  std::uint64_t template_fingerprint = 0;  // 0: not known

  friend bool operator==(const ControllerRevision&, const ControllerRevision&) = default;
};

}  // namespace dsdoctor::model
