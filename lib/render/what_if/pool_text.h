// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diagnosis/pools/pool_forecast.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// "NodePool gpu: 3 of 17 DaemonSets on each new node; they request cpu 350m, 3 pods"
[[nodiscard]] std::string pool_sentence(const diagnosis::PoolForecast& pool);
/// Its details: pods that do not fit, startup taints, and the DaemonSets on some, on no and
/// on each new node.
[[nodiscard]] std::vector<std::string> pool_details(const diagnosis::PoolForecast& pool,
                                                    const Style& style);

/// The sentence for each template, or that of a single one with its first details, in about `room`
/// lines; the rest is counted.
[[nodiscard]] std::string folded_pools(const std::vector<diagnosis::PoolForecast>& pools,
                                       std::size_t room, const Style& style);

}  // namespace dsdoctor::render
