#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace dsdoctor::redaction {

/// "100Mi", "-1.5", "2e3".
[[nodiscard]] bool is_quantity(std::string_view text);

/// What is in texts and is no name that an object has: a word that is not well known is
/// replaced by "anon7", the same wherever it stands; by "anon7gpu" where it holds a telling part.
class Words {
 public:
  /// Of letters and digits without anything between them. Well-known words, numbers, quantities
  /// and times stay, and what is made of well-known words: "KubeletNotReady", "eth0".
  [[nodiscard]] std::string replace(std::string_view word);

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace dsdoctor::redaction
