#pragma once

#include <yaml-cpp/anchor.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace dsdoctor::decode {

/// The values with anchors of one document, and what aliases make of them, within limits: a few
/// lines of YAML can stand for any amount of memory.
class YamlAnchors {
 public:
  /// `file_bytes`: of the text, which the limit is a multiple of.
  explicit YamlAnchors(std::size_t file_bytes) : file_bytes_(file_bytes) {}

  static constexpr std::size_t most_anchored = 16;  // times the size of the file
  [[nodiscard]] static std::string too_large();

  /// Keeps a copy, which takes `bytes` of memory. Returns what is wrong, if that is too much.
  [[nodiscard]] std::optional<std::string> keep(YAML::anchor_t anchor, const nlohmann::json& value,
                                                std::size_t bytes);
  /// What the copies take.
  [[nodiscard]] std::size_t held() const { return held_; }
  /// Null where there is none yet. Valid until the next `keep`.
  [[nodiscard]] const nlohmann::json* find(YAML::anchor_t anchor) const;
  /// Counts an alias of `value`, and sets `depth` to that of the value. Returns what is wrong, if
  /// that is too much.
  [[nodiscard]] std::optional<std::string> count_alias(const nlohmann::json& value,
                                                       std::size_t& depth);
  /// Another document begins: anchors are of one document, limits of the file.
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
