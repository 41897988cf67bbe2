#pragma once

#include <cstddef>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
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
/// deep, is larger than 256 MiB, grows by more than 64 MiB through its aliases, takes more than
/// 20 MiB of memory, or has more in a pair of brackets than can be held.
/// Source of truth: sigs.k8s.io/yaml v1.6.
[[nodiscard]] base::Result<std::vector<nlohmann::json>> yaml_to_json(
    std::string_view content, std::string_view file, std::vector<model::Warning>& warnings);

/// Documents of YAML as a text of JSON.
struct YamlText {
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20U;

  std::deque<std::string> pieces;    // objects behind each other, cut anywhere
  std::optional<std::size_t> other;  // number of the first document that is no object and no list
};

/// The same for texts of any size: of a document that is a list, or has a list in `items`, only one
/// item is held as a value, and the limit of memory is for this item. What is a list itself becomes
/// an object with `items`. Errors: also Malformed, for a list in `items` without kind.
[[nodiscard]] base::Result<YamlText> yaml_to_text(std::string_view content, std::string_view file,
                                                  std::vector<model::Warning>& warnings);

}  // namespace dsdoctor::decode
