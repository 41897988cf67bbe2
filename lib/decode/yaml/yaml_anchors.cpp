// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_anchors.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

constexpr std::size_t max_alias_bytes = std::size_t{64} << 20U;
// Each value with an anchor is copied: with anchors in anchors, the same text many times.
constexpr std::size_t free_anchor_bytes = std::size_t{4} << 20U;

struct Extent {
  std::size_t bytes = 0;  // of a copy, approximately
  std::size_t depth = 1;
};

/// The recursion is bounded, because values are never nested deeper than the limit.
Extent extent_of(const json& value) {
  Extent result{sizeof(json), 1};
  if (value.is_string()) result.bytes += value.get_ref<const std::string&>().size();
  if (!value.is_structured()) return result;
  for (const auto& [key, element] : value.items()) {
    const Extent inner = extent_of(element);
    result.bytes += inner.bytes + key.size();
    result.depth = std::max(result.depth, inner.depth + 1);
  }
  return result;
}

}  // namespace

std::string YamlAnchors::too_large() {
  return fmt::format(
      "values with anchors contain each other and come to more than {} times the size of the "
      "file; write the values out",
      most_anchored);
}

std::optional<std::string> YamlAnchors::keep(YAML::anchor_t anchor, const json& value,
                                             std::size_t bytes) {
  kept_bytes_ += extent_of(value).bytes;
  if (kept_bytes_ > free_anchor_bytes + most_anchored * file_bytes_) {
    return too_large();
  }
  held_ += bytes;
  values_[anchor] = value;
  return std::nullopt;
}

const json* YamlAnchors::find(YAML::anchor_t anchor) const {
  const auto found = values_.find(anchor);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::string> YamlAnchors::count_alias(const json& value, std::size_t& depth) {
  const Extent extent = extent_of(value);
  depth = extent.depth;
  alias_bytes_ += extent.bytes;
  if (alias_bytes_ <= max_alias_bytes) return std::nullopt;
  return "the aliases of this file grow beyond 64 MiB; write the values out";
}

}  // namespace dsdoctor::decode
