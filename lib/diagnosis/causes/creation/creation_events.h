// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/evidence/daemon_set_events.h"
#include "diagnosis/report/cases.h"

/// The events that the DaemonSet controller records about the pods that it creates.
namespace dsdoctor::diagnosis {

/// The events that the controller recorded.
[[nodiscard]] inline Facts::Events by_controller(Facts::Events events) {
  std::erase_if(events, [](const model::Event* event) { return !is_by_controller(*event); });
  return events;
}

/// The newest event with the reason; null if there is none. `events`: oldest first.
[[nodiscard]] inline const model::Event* newest(const Facts::Events& events,
                                                std::string_view reason) {
  const auto at = std::find_if(events.rbegin(), events.rend(),
                               [&](const auto* event) { return event->reason == reason; });
  return at == events.rend() ? nullptr : *at;
}

/// Absent if the moment is not known.
using Age = std::optional<model::Time::duration>;

[[nodiscard]] inline Age age_of(const DaemonSetCase& c, const model::OptionalTime& moment) {
  return moment ? Age(c.facts.now() - *moment) : Age();
}

}  // namespace dsdoctor::diagnosis
