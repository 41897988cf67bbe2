#pragma once

#include <string_view>
#include <vector>

#include "model/scheduling.h"

namespace dsdoctor::decode {

/// The tolerations of an annotation's value: a JSON array of them. Empty where it is none, as it
/// counts for nothing then.
[[nodiscard]] std::vector<model::Toleration> parse_tolerations(std::string_view text);

}  // namespace dsdoctor::decode
