#pragma once

#include <string_view>

namespace dsdoctor::source {

/// The objects of demo_cluster.yaml in JSON, embedded when the program is built.
[[nodiscard]] std::string_view demo_cluster();

}  // namespace dsdoctor::source
