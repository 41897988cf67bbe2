// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dsdoctor::source {

/// The objects of demo_cluster.yaml as JSON, embedded at build time.
[[nodiscard]] std::string_view demo_cluster();

}  // namespace dsdoctor::source
