// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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
  Text restarted_at = {};  // annotation kubectl.kubernetes.io/restartedAt; empty: never restarted

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

/// The kind of an object that another project's controller handles like a DaemonSet.
struct OtherKind {
  Text api_version;  // "apps.kruise.io/v1alpha1"
  Text kind;         // "DaemonSet", "ExtendedDaemonSet"

  friend bool operator==(const OtherKind&, const OtherKind&) = default;
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
  DaemonSetCounts reported;                  // status, as the controller wrote it
  std::int64_t observed_generation = 0;      // 0: the controller never finished a sync
  std::optional<OtherKind> other_kind = {};  // absent: Kubernetes' own DaemonSet

  friend bool operator==(const DaemonSet&, const DaemonSet&) = default;
};

/// The name of the DaemonSet that controls the pod; empty if its controller is of another kind than
/// `of`. Pods of an ExtendedDaemonSet are controlled by one of its replica sets, and have its name
/// in a label. Source of truth: github.com/DataDog/extendeddaemonset at c7b822c4371f,
/// api/v1alpha1/const.go.
[[nodiscard]] inline std::string_view owner_name(const ControllerRef& owner, const Labels& labels,
                                                 const std::optional<OtherKind>& of) {
  if (!of) return is_daemon_set(owner) ? owner.name.view() : std::string_view();
  if (api_group(owner.api_version) != api_group(of->api_version)) return {};
  if (owner.kind == of->kind) return owner.name;
  if (of->kind != "ExtendedDaemonSet" || owner.kind != "ExtendedDaemonSetReplicaSet") return {};
  const Text* name = labels.find("extendeddaemonset.datadoghq.com/name");
  return name == nullptr ? std::string_view() : name->view();
}

/// Where a DaemonSet is in a manifest. Lines are counted from 1.
struct ManifestPlace {
  std::string file;
  std::string ns = {};  // as written; may be empty
  std::string name = {};
  std::size_t line = 1;                                        // of the object
  std::map<std::string, std::size_t, std::less<>> lines = {};  // by path: "spec.template.spec"

  /// The line of the field, or of the innermost object around it that the manifest has.
  [[nodiscard]] std::size_t line_of(std::string_view path) const {
    while (!path.empty()) {
      if (const auto at = lines.find(path); at != lines.end()) return at->second;
      const std::size_t end = path.find_last_of(".[");
      path = path.substr(0, end == path.npos ? 0 : end);
    }
    return line;
  }
};

/// A stored template of a DaemonSet (apps/v1 ControllerRevision).
struct ControllerRevision {
  ObjectMeta meta;
  std::int64_t revision = 0;
  std::uint64_t template_fingerprint = 0;  // 0: unknown
  PodTemplate pod_template = {};           // empty if it could not be read

  friend bool operator==(const ControllerRevision&, const ControllerRevision&) = default;
};

}  // namespace dsdoctor::model
