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

/// One replacement for each name, the same wherever it stands, and never the same for two names: so
/// that what was equal stays equal, and what differed still does.
///
/// A name that `well_known.h` calls reserved or common stays, in fields and in texts alike: the
/// words of Kubernetes' messages are all of these, so that no name takes one of them away. What is
/// neither a name nor well known is replaced word by word. Deterministic: equal calls in equal
/// order give equal replacements.
class Pseudonyms {
 public:
  /// Gives each of `names` that has none yet "anon-KIND-007"; in their order, with as many digits
  /// for all. A name too long for a label stays so.
  void add(std::string_view kind, const std::set<std::string>& names);
  /// The same with a replacement of one's own. Does nothing where the name has one.
  void add_as(const std::string& name, const std::string& replacement);
  /// Where the name or the image holds the word, its replacement shall hold what the word becomes.
  void keep(const std::string& word, const std::string& as) { kept_[word] = as; }

  /// A number that stays, though it might be that of an account. Does nothing of other texts.
  void keep_number(std::string_view number);

  /// What a name becomes that has a replacement of its own or stays; absent where it is replaced
  /// word by word.
  [[nodiscard]] std::optional<std::string> settled(const std::string& name);

  /// Of a field with words that the API defines, or quantities: these stay, whatever names there
  /// are; what is neither is replaced.
  [[nodiscard]] model::Text defined(const model::Text& text);
  /// Of a field that holds one name, key or value.
  [[nodiscard]] model::Text name(const model::Text& text);
  [[nodiscard]] std::string words(std::string_view text);
  /// From then on the image is found in texts, with another registry, tag or none, too.
  [[nodiscard]] model::Text image(const model::Text& text);
  [[nodiscard]] model::Text uid(const model::Text& text);
  [[nodiscard]] model::Text address(const model::Text& text);

 private:
  /// Looked up by parts of other texts, which are not copied for it.
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

  /// Null if no name is spelled so, whatever the case of its letters.
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

  Addresses addresses_;
  Words words_;
  std::unordered_map<std::string, model::Text, AnyCase, AnyCase> names_;
  Table<model::Text> other_spellings_;  // of names_, letter by letter
  Table<model::Text> values_;           // of fields that hold no known name
  Table<model::Text> defined_;
  Table<std::string> images_;
  Table<std::string> bare_images_;  // without tag; the path of a repository too
  std::map<std::string, std::string> kept_ = {
      {"csi-node-driver-registrar", "csi-node-driver-registrar"}};
  Table<std::string> urls_;
  std::set<std::string, std::less<>> kept_numbers_;
  std::map<std::string, std::size_t, std::less<>> spellings_;  // replacement -> others in use
  std::size_t longest_ = 0;                                    // name
};

}  // namespace dsdoctor::redaction
