// SPDX-License-Identifier: Apache-2.0
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

/// spec.template: the fields that decide the placement, and the other fields in `spec`.
struct PodTemplate {
  Labels labels;
  Text node_name;
  Labels node_selector;
  SharedOptional<NodeSelector> node_affinity;  // required terms; absent means no constraint
  std::vector<Toleration> tolerations;
  bool host_network = false;
  PodSpec spec = {};  // the rest: containers, volumes, priority
  /// Node labels that OpenShift's controller also requires, because of the namespace; empty in
  /// other clusters.
  Labels namespace_selector = {};

  friend bool operator==(const PodTemplate&, const PodTemplate&) = default;
};

/// Counters of status. All of them count nodes, not pods.
struct DaemonSetCounts {
  std::int64_t desired_number_scheduled = 0;
  std::int64_t current_number_scheduled = 0;
  std::int64_t number_misscheduled = 0;
  std::int64_t number_ready = 0;
  std::int64_t number_available = 0;
  std::int64_t updated_number_scheduled = 0;

  friend bool operator==(const DaemonSetCounts&, const DaemonSetCounts&) = default;
};

/// A field of the spec that differs from the last record of `kubectl apply`.
struct SpecEdit {
  std::string path;     // "spec.template.spec.nodeSelector.pool"
  std::string applied;  // empty: the field was not applied
  std::string live;     // empty: the field is gone

  friend bool operator==(const SpecEdit&, const SpecEdit&) = default;
};

/// The parts of a pod template that the manifest of the last `kubectl apply` has.
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
  /// Equal for equal templates: computed from spec.template here, from data.spec.template in a
  /// ControllerRevision. 0: unknown.
  std::uint64_t template_fingerprint = 0;
  std::vector<SpecEdit> edits = {};             // of some fields; empty if no apply is recorded
  std::optional<AppliedTemplate> applied = {};  // absent: no apply recorded, or content unknown
  std::int64_t min_ready_seconds = 0;
  Text update_strategy;  // RollingUpdate (also if empty) or OnDelete
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
  std::uint64_t template_fingerprint = 0;  // 0: unknown

  friend bool operator==(const ControllerRevision&, const ControllerRevision&) = default;
};

}  // namespace dsdoctor::model
