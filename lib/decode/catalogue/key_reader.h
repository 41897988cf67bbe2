// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::decode {

using Path = std::vector<std::string>;
using WordList = std::span<const std::string_view>;

[[nodiscard]] bool is_one_of(std::string_view word, WordList words);
[[nodiscard]] Path below(Path path, std::string_view key);

/// Reads the keys of mappings of one document. Keeps the first problem. `path` is the path of
/// `object`.
class KeyReader {
 public:
  struct Problem {
    Path path;
    std::string what;
  };
  [[nodiscard]] const std::optional<Problem>& problem() const { return problem_; }

  void complain(Path path, std::string what);
  /// Complains unless `object` is a mapping without other keys.
  void only(const Path& path, const nlohmann::json& object, WordList keys);
  /// Empty if the key is missing.
  std::string text_of(const Path& path, const nlohmann::json& object, std::string_view key,
                      bool required);
  std::string word_of(const Path& path, const nlohmann::json& object, std::string_view key,
                      WordList words);
  /// Like word_of, but empty if the key is missing.
  std::string optional_word_of(const Path& path, const nlohmann::json& object, std::string_view key,
                               WordList words);
  const nlohmann::json& list_of(const Path& path, const nlohmann::json& object,
                                std::string_view key);
  /// A list of strings.
  std::vector<std::string> texts_of(const Path& path, const nlohmann::json& object,
                                    std::string_view key);
  /// A list of some of these words, or `any` for all of them.
  std::vector<std::string> words_of(const Path& path, const nlohmann::json& object,
                                    std::string_view key, WordList words);
  bool flag_of(const Path& path, const nlohmann::json& object, std::string_view key,
               bool otherwise);

 private:
  std::optional<Problem> problem_;
};

}  // namespace dsdoctor::decode
