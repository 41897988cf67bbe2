// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/anchor.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace dsdoctor::decode {

/// The anchored values of a document. Limits the memory of anchors and aliases, since a few lines
/// of YAML can expand to any amount.
class YamlAnchors {
 public:
  /// `file_bytes`: the size of the text; the limit is a multiple of it.
  explicit YamlAnchors(std::size_t file_bytes) : file_bytes_(file_bytes) {}

  static constexpr std::size_t most_anchored = 16;  // times the size of the file
  [[nodiscard]] static std::string too_large();

  /// Keeps a copy, which takes `bytes` of memory. Returns a message if that exceeds the limit.
  [[nodiscard]] std::optional<std::string> keep(YAML::anchor_t anchor, const nlohmann::json& value,
                                                std::size_t bytes);
  /// The memory of the copies, in bytes.
  [[nodiscard]] std::size_t held() const { return held_; }
  /// Null if the anchor is unknown so far. Valid until the next `keep`.
  [[nodiscard]] const nlohmann::json* find(YAML::anchor_t anchor) const;
  /// Counts an alias of `value`, and sets `depth` to that of the value. Returns a message if that
  /// exceeds the limit.
  [[nodiscard]] std::optional<std::string> count_alias(const nlohmann::json& value,
                                                       std::size_t& depth);
  /// Call at the beginning of a document: anchors belong to a document, limits to the file.
  void forget() {
    values_.clear();
    held_ = 0;
  }

 private:
  std::size_t file_bytes_;
  std::map<YAML::anchor_t, nlohmann::json> values_;
  std::size_t kept_bytes_ = 0;
  std::size_t alias_bytes_ = 0;
  std::size_t held_ = 0;
};

}  // namespace dsdoctor::decode
