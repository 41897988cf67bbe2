// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/cluster.h"

namespace dsdoctor::testing {

/// The cluster in a v1 List. Throws std::runtime_error with the decoder's message.
[[nodiscard]] model::Cluster cluster_from_json(std::string_view list);

/// The cluster in testdata/clusters/NAME.json.
[[nodiscard]] model::Cluster recorded_cluster(const std::string& name);

}  // namespace dsdoctor::testing
