// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string_view>

#include "model/daemon_set.h"
#include "model/detail_query.h"
#include "model/node.h"
#include "model/pod.h"

namespace dsdoctor::model {

/// The difference between two states of a cluster, as far as answers depend on it.
struct StateChanges {
  /// More differs than the pods and status of `daemon_sets`: nodes, templates, pods of other
  /// workloads, ...
  bool everything = false;
  /// Only the status or pods of these DaemonSets differ.
  std::set<ObjectKey> daemon_sets = {};

  [[nodiscard]] bool empty() const { return !everything && daemon_sets.empty(); }
  void add(const StateChanges& more) {
    everything = everything || more.everything;
    daemon_sets.insert(more.daemon_sets.begin(), more.daemon_sets.end());
  }

  // Each notes one object, as it was and as it is; null: it did not or does not exist.

  void note(const Node* /*before*/, const Node* /*after*/) { everything = true; }
  void note(const ControllerRevision* /*before*/, const ControllerRevision* /*after*/) {
    everything = true;
  }
  void note(const DaemonSet* before, const DaemonSet* after) {
    if (before == nullptr || after == nullptr || after->other_kind) {
      everything = true;
      return;
    }
    DaemonSet copy = *after;
    copy.reported = before->reported;
    copy.observed_generation = before->observed_generation;
    copy.meta.resource_version = before->meta.resource_version;
    copy.meta.managers = before->meta.managers;
    if (copy == *before) {
      daemon_sets.insert({after->meta.ns.str(), after->meta.name.str()});
    } else {
      everything = true;
    }
  }
  void note(const Pod* before, const Pod* after) {
    const Pod& any = after != nullptr ? *after : *before;
    const auto& controller = any.meta.controller;
    const bool both = before != nullptr && after != nullptr;
    const bool moved = both && (before->meta.controller != after->meta.controller ||
                                before->meta.labels != after->meta.labels);
    if (!controller || moved) {
      everything = true;
    } else if (is_daemon_set(*controller)) {
      daemon_sets.insert({any.meta.ns.str(), controller->name.str()});
    } else {
      // The status of a pod of another workload causes nothing on healthy nodes.
      const bool has_own_nodes = is_of_other_workload(controller->kind);
      const bool is_placed_alike = both && before->spec == after->spec &&
                                   before->node_name == after->node_name &&
                                   before->meta.deleted == after->meta.deleted;
      everything = everything || !has_own_nodes || !is_placed_alike;
    }
  }

 private:
  static bool is_of_other_workload(std::string_view kind) {
    return kind == "ReplicaSet" || kind == "StatefulSet" || kind == "Job";
  }
};

}  // namespace dsdoctor::model
