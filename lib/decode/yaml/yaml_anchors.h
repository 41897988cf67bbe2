// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::decode {

/// The anchored values of a document. Limits the memory of anchors and aliases, since a few lines
/// of YAML can expand to any amount.
class YamlAnchors {
 public:
  struct Value {
    std::string json;
    std::size_t bytes = 0;  // in memory as a value
    std::size_t depth = 1;  // of a list or mapping: one more than that of the deepest value in it
  };

  /// `file_bytes`: the size of the text; the limit is a multiple of it.
  explicit YamlAnchors(std::size_t file_bytes) : file_bytes_(file_bytes) {}

  static constexpr std::size_t of_anchor = 200;     // bytes of memory beside the value
  static constexpr std::size_t most_anchored = 16;  // times the size of the file
  [[nodiscard]] static std::string too_large();

  /// Returns a message if the values exceed the limit.
  [[nodiscard]] std::optional<std::string> keep(std::string_view anchor, Value value);
  /// The memory of the values, in bytes.
  [[nodiscard]] std::size_t held() const { return held_; }
  /// Null if the anchor is unknown so far. Valid until the next change.
  [[nodiscard]] const Value* find(std::string_view anchor) const;
  /// Counts an alias of `value`. Returns a message if that exceeds the limit.
  [[nodiscard]] std::optional<std::string> count_alias(const Value& value);
  /// Call when the anchor is used for another value.
  void forget(std::string_view anchor);
  /// Call at the beginning of a document: anchors belong to a document, limits to the file.
  void forget() {
    values_.clear();
    held_ = 0;
  }

 private:
  std::size_t file_bytes_;
  std::map<std::string, Value, std::less<>> values_;
  std::size_t kept_bytes_ = 0;
  std::size_t alias_bytes_ = 0;
  std::size_t held_ = 0;
};

}  // namespace dsdoctor::decode
