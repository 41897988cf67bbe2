#pragma once

#include <string_view>

namespace dsdoctor::source {

/// demo_cluster.yaml, embedded when the program is built.
[[nodiscard]] std::string_view demo_cluster();

}  // namespace dsdoctor::source
