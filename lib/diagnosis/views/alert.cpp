// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/alert.h"

#include <array>
#include <cstdlib>

#include "base/text.h"

namespace dsdoctor::diagnosis {
namespace {

/// How to recognize an alert in a notification: the end of its name, and its message.
struct AlertWords {
  Alert alert;
  std::string_view name;
  std::string_view message;
};
constexpr std::array words = {
    AlertWords{Alert::NotScheduled, "notscheduled", "are not scheduled"},
    AlertWords{Alert::MisScheduled, "misscheduled",
               "are running where they are not supposed to run"},
    AlertWords{Alert::RolloutStuck, "rolloutstuck", "has not finished or progressed"},
};

}  // namespace

std::string_view to_string(Alert alert) {
  switch (alert) {
    case Alert::NotScheduled: return "KubeDaemonSetNotScheduled";
    case Alert::MisScheduled: return "KubeDaemonSetMisScheduled";
    case Alert::RolloutStuck: return "KubeDaemonSetRolloutStuck";
  }
  std::abort();
}

std::string_view expression_of(Alert alert) {
  switch (alert) {
    case Alert::NotScheduled:
      return "kube_daemonset_status_desired_number_scheduled - "
             "kube_daemonset_status_current_number_scheduled > 0";
    case Alert::MisScheduled: return "kube_daemonset_status_number_misscheduled > 0";
    case Alert::RolloutStuck:
      return "(kube_daemonset_status_current_number_scheduled != "
             "kube_daemonset_status_desired_number_scheduled or "
             "kube_daemonset_status_number_misscheduled != 0 or "
             "kube_daemonset_status_updated_number_scheduled != "
             "kube_daemonset_status_desired_number_scheduled or "
             "kube_daemonset_status_number_available != "
             "kube_daemonset_status_desired_number_scheduled) and "
             "changes(kube_daemonset_status_updated_number_scheduled[5m]) == 0";
  }
  std::abort();
}

std::chrono::minutes window_of(Alert alert) {
  return alert == Alert::NotScheduled ? std::chrono::minutes(10) : std::chrono::minutes(15);
}

std::optional<Alert> alert_in(std::string_view text) {
  const std::string line = base::lower_case(text);
  std::optional<Alert> found;
  for (const AlertWords& alert : words) {
    if (line.find(alert.name) == line.npos && line.find(alert.message) == line.npos) continue;
    if (found) return std::nullopt;
    found = alert.alert;
  }
  return found;
}

}  // namespace dsdoctor::diagnosis
