#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/known_taint.h"

namespace dsdoctor::decode {

/// The entries of a file of known taints, YAML or JSON: a list, whose fields are those of
/// lib/diagnosis/taints/known_taints.yaml. An entry needs key, effects and meaning; an id is its
/// key where none is given, and match is exact. An empty file has no entries. Errors: Malformed,
/// `file:line:column`, with the entry, the field and what would be right.
[[nodiscard]] base::Result<std::vector<model::KnownTaint>> read_known_taints(
    std::string_view content, std::string_view file);

}  // namespace dsdoctor::decode
