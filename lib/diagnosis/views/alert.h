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
/// In PromQL, without selectors.
[[nodiscard]] std::string_view expression_of(Alert alert);
/// How long the expression has to hold before the alert fires.
[[nodiscard]] std::chrono::minutes window_of(Alert alert);

/// The alert that a text names: its name, the part behind KubeDaemonSet, a line of a notification
/// with its name or its message; upper or lower case. Absent where it names none, or several.
[[nodiscard]] std::optional<Alert> alert_in(std::string_view text);

/// What has to happen before a node no longer contributes to the alert.
enum class Clearing {
  NodeGone,   // the node is being removed
  PodGone,    // the pod is being deleted
  Passing,    // a process that is under way
  NodeWell,   // a state of the node ends, or somebody ends it
  TaintGone,  // whoever added a taint to a healthy node removes it
  Nothing,    // nothing is under way: somebody has to act
  NotKnown,
};

}  // namespace dsdoctor::diagnosis
