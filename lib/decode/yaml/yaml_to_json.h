#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// The documents of a YAML stream as JSON values, empty ones left out. Plain scalars are typed as
/// kubectl types them (YAML 1.1: yes, no, on and off are booleans, 010 is 8), quoted ones are
/// strings; aliases are resolved, merge keys (`<<`) merged; of a key given twice the last value
/// counts, with a warning.
/// Errors: Malformed, `file:line:column`, for what is no YAML, is nested more than 500 levels
/// deep, is larger than 256 MiB, or grows by more than 64 MiB through its aliases.
/// Source of truth: sigs.k8s.io/yaml v1.6.
[[nodiscard]] base::Result<std::vector<nlohmann::json>> yaml_to_json(
    std::string_view content, std::string_view file, std::vector<model::Warning>& warnings);

}  // namespace dsdoctor::decode
