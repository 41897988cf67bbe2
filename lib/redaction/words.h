// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace dsdoctor::redaction {

/// Reports whether a text is a quantity: "100Mi", "-1.5", "2e3".
[[nodiscard]] bool is_quantity(std::string_view text);

/// Replaces words in texts that are not names of objects: a word that is not well known becomes
/// "anon7", the same in all places, or "anon7gpu" if it contains one of `telling_parts`.
class WordReplacer {
 public:
  /// `word`: letters and digits. Well-known words, numbers, quantities and times stay, and so do
  /// compounds of well-known words: "KubeletNotReady", "eth0".
  [[nodiscard]] std::string replace(std::string_view word);
  /// The same, but even a well-known word is replaced.
  [[nodiscard]] std::string replace_any(std::string_view word);

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace dsdoctor::redaction
