// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/known_taint.h"

namespace dsdoctor::decode {

/// The entries of a file of known taints, YAML or JSON: a list of entries with the fields of
/// lib/diagnosis/taints/known_taints.yaml. An entry needs key, effects and meaning; id defaults to
/// the key, and match to exact. An empty file has no entries. Errors: Malformed,
/// `file:line:column`, with the entry, the field and the expected value.
[[nodiscard]] base::Result<std::vector<model::KnownTaint>> read_known_taints(
    std::string_view content, std::string_view file);

}  // namespace dsdoctor::decode
