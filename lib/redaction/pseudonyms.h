// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/text.h"
#include "redaction/addresses.h"
#include "redaction/words.h"

namespace dsdoctor::redaction {

/// Replaces each name with the same replacement in all places, and different names with different
/// ones, so that equal names stay equal and different ones stay different.
///
/// Names that are reserved or common (`well_known.h`) stay, in fields and in texts. All words of
/// Kubernetes' messages are common, so that no replacement changes one of them. Text that is
/// neither a name nor well known is replaced word by word. Deterministic: the same calls in the
/// same order give the same replacements.
class Pseudonyms {
 public:
  /// Gives each of `names` without a replacement a new one, "anon-KIND-007", in their order and
  /// with the same number of digits. The replacement of a name too long for a label is also too
  /// long.
  void add(std::string_view kind, const std::set<std::string>& names);
  /// Adds a replacement. Does nothing if the name has one.
  void add_as(const std::string& name, const std::string& replacement);
  /// The replacements of names and images that contain `word` will contain `as`.
  void keep(const std::string& word, const std::string& as) { kept_[word] = as; }

  /// Keeps a number, even if it has as many digits as an account. Ignores texts that are not
  /// numbers.
  void keep_number(std::string_view number);

  /// The replacement of a name, or the name if it stays; absent if it is replaced word by word.
  [[nodiscard]] std::optional<std::string> settled(const std::string& name);

  /// Replaces a field with words that the API defines, or with quantities. These stay, even if they
  /// are also names; everything else is replaced.
  [[nodiscard]] model::Text defined(const model::Text& text);
  /// Replaces a field with a single name, key or value.
  [[nodiscard]] model::Text name(const model::Text& text);
  [[nodiscard]] std::string words(std::string_view text);
  /// Replaces an image; afterwards it is also found in texts, with any registry or tag.
  [[nodiscard]] model::Text image(const model::Text& text);
  [[nodiscard]] model::Text uid(const model::Text& text);
  [[nodiscard]] model::Text address(const model::Text& text);

 private:
  /// Allows lookups by string_view.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  template <typename Value>
  using Table = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;
  struct AnyCase {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const;
    bool operator()(std::string_view a, std::string_view b) const;
  };

  /// Ignores case. Null if there is no such name.
  [[nodiscard]] const model::Text* find(std::string_view name);
  [[nodiscard]] const std::string* find_image(std::string_view word) const;
  [[nodiscard]] const std::string* find_bare_image(std::string_view word) const;
  [[nodiscard]] std::string kept_of(std::string_view name, std::string_view replacement) const;
  [[nodiscard]] std::string token(std::string_view word);
  [[nodiscard]] std::string parts(std::string_view word);
  [[nodiscard]] std::string fitting(std::string_view word);
  [[nodiscard]] std::string around(std::string_view word, Addresses::Part address);
  [[nodiscard]] std::string pieces(std::string_view word, std::string_view separators);
  [[nodiscard]] std::string runs(std::string_view word);
  [[nodiscard]] std::string run_for(std::string_view run, std::size_t pieces);
  [[nodiscard]] const model::Text* find_quoted(std::string_view text, std::size_t& end);
  [[nodiscard]] std::string url(std::string_view text);
  [[nodiscard]] std::string path_of_url(std::string_view path);

  Addresses addresses_;
  WordReplacer words_;
  std::unordered_map<std::string, model::Text, AnyCase, AnyCase> names_;
  Table<model::Text> other_spellings_;  // of names_, by exact spelling
  Table<model::Text> values_;           // of fields without a known name
  Table<model::Text> defined_;
  Table<std::string> images_;
  struct Versions {
    std::size_t number;  // of the program
    std::size_t count;
  };
  Table<Versions> programs_;        // by the last part of their images' names
  Table<std::string> bare_images_;  // without tag; also paths of repositories
  std::map<std::string, std::string> kept_ = {
      {"csi-node-driver-registrar", "csi-node-driver-registrar"}};
  Table<std::string> urls_;
  std::set<std::string, std::less<>> kept_numbers_;
  std::map<std::string, std::size_t, std::less<>> spellings_;  // of each replacement
  std::size_t longest_ = 0;                                    // name
};

}  // namespace dsdoctor::redaction
