// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "model/scheduling.h"

namespace dsdoctor::decode {

/// The tolerations in the value of an annotation: a JSON array. Empty for any other value, which
/// Kubernetes ignores.
[[nodiscard]] std::vector<model::Toleration> parse_tolerations(std::string_view text);

}  // namespace dsdoctor::decode
