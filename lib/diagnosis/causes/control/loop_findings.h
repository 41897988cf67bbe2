// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports that the DaemonSet's pods are replaced over and over: its template changes at least
/// three times within five minutes, or the controller creates at least five pods for each node, or
/// for a single one, within ten minutes and deletes them again; all until less than two minutes
/// ago. Events of the controller are a lower bound: its recorder drops what comes too fast.
[[nodiscard]] std::optional<Finding> loop_finding(const DaemonSetCase& of);

/// When pods of a DaemonSet were created.
struct PodTimes {
  model::OptionalTime oldest;
  /// The newest pod that is less than two minutes old, on a node that has existed for so long that
  /// it does not get its first pods.
  model::OptionalTime newest_on_old_node;

  void note(const model::Pod& pod, const model::Cluster& cluster, model::Time now);

 private:
  bool is_noted_ = false;
};

/// Whether the pods, or one of them, are so young that they may be replaced over and over, although
/// the DaemonSet and the node are not: worth a look at the events.
[[nodiscard]] bool may_be_replaced_repeatedly(const model::DaemonSet& ds, const PodTimes& pods,
                                              model::Time now);

}  // namespace dsdoctor::diagnosis
