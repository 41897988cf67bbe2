// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fixes/what_if.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// "drain of n1: 5 pods of DaemonSets stay; 12 other pods are evicted"
[[nodiscard]] std::string event_sentence(const fixes::NodeEventForecast& event);
/// The pods that stop kubectl drain, those that do not come back, and others, worst first.
[[nodiscard]] std::vector<std::string> event_details(const fixes::NodeEventForecast& event,
                                                     const Style& style);

/// "ops/csi: 11 rounds (maxUnavailable 1); a node lacks its pod for up to 30s of termination and
/// about 14s until Ready (median of 11 pods)"
[[nodiscard]] std::string pace_sentence(const fixes::RolloutPace& pace);

}  // namespace dsdoctor::render
