// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace dsdoctor::diagnosis {

/// The alerts about DaemonSets of kubernetes-mixin, which kube-prometheus and others ship.
/// Source of truth: alerts/apps_alerts.libsonnet.
enum class Alert { NotScheduled, MisScheduled, RolloutStuck };

inline constexpr Alert all_alerts[] = {Alert::NotScheduled, Alert::MisScheduled,
                                       Alert::RolloutStuck};

/// "KubeDaemonSetNotScheduled"
[[nodiscard]] std::string_view to_string(Alert alert);
/// The alert's expression in PromQL, without selectors.
[[nodiscard]] std::string_view expression_of(Alert alert);
/// How long the expression has to hold before the alert fires.
[[nodiscard]] std::chrono::minutes window_of(Alert alert);

/// Finds the alert in a text: its name, the name without KubeDaemonSet, or a line of a notification
/// with its name or message; ignores case. Absent if the text has no alert or several.
[[nodiscard]] std::optional<Alert> alert_in(std::string_view text);

/// The event after which a node no longer contributes to the alert.
enum class Clearing {
  NodeGone,   // the node is being removed
  PodGone,    // the pod is being deleted
  Passing,    // a process in progress ends
  NodeWell,   // the node's state is fixed
  TaintGone,  // a taint on a healthy node is removed by its owner
  Nothing,    // nothing happens without action
  NotKnown,
};

}  // namespace dsdoctor::diagnosis
