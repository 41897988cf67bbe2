// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dsdoctor::testing {

/// Appends a value as YAML in block style, as kubectl writes it, behind its key. `indent`: of the
/// entries of a list or mapping.
void write_block_yaml(std::string& yaml, const nlohmann::json& value, std::size_t indent);

}  // namespace dsdoctor::testing
