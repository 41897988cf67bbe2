// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_anchors.h"

#include <fmt/format.h>

#include <utility>

namespace dsdoctor::decode {
namespace {

constexpr std::size_t max_alias_bytes = std::size_t{64} << 20U;
// Each value with an anchor is copied: with anchors in anchors, the same text many times.
constexpr std::size_t free_anchor_bytes = std::size_t{4} << 20U;

}  // namespace

std::string YamlAnchors::too_large() {
  return fmt::format(
      "values with anchors contain each other and come to more than {} times the size of the "
      "file; write the values out",
      most_anchored);
}

std::optional<std::string> YamlAnchors::keep(std::string_view anchor, Value value) {
  kept_bytes_ += value.json.size() + of_anchor;
  if (kept_bytes_ > free_anchor_bytes + most_anchored * file_bytes_) return too_large();
  forget(anchor);
  held_ += value.bytes + of_anchor;
  values_.insert_or_assign(std::string(anchor), std::move(value));
  return std::nullopt;
}

const YamlAnchors::Value* YamlAnchors::find(std::string_view anchor) const {
  const auto found = values_.find(anchor);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::string> YamlAnchors::count_alias(const Value& value) {
  alias_bytes_ += value.json.size();
  if (alias_bytes_ <= max_alias_bytes) return std::nullopt;
  return "the aliases of this file grow beyond 64 MiB; write the values out";
}

void YamlAnchors::forget(std::string_view anchor) {
  const auto found = values_.find(anchor);
  if (found == values_.end()) return;
  held_ -= found->second.bytes + of_anchor;
  values_.erase(found);
}

}  // namespace dsdoctor::decode
