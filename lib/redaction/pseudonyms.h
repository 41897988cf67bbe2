#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/text.h"

namespace dsdoctor::redaction {

/// One replacement for each name, the same wherever it stands, and never the same for two names: so
/// that what was equal stays equal, and what differed still does.
///
/// What `well_known.h` calls reserved or common stays. Deterministic: equal calls in equal order
/// give equal replacements.
class Pseudonyms {
 public:
  /// Gives each of `names` that has none yet "anon-KIND-007"; in their order, with as many digits
  /// for all.
  void add(std::string_view kind, const std::set<std::string>& names);
  /// The same with a replacement of one's own. Does nothing where the name has one.
  void add_as(const std::string& name, const std::string& replacement);

  /// Of a field that holds a name. What was never added is searched as `words` does.
  [[nodiscard]] model::Text name(const model::Text& text);
  /// Of a field that may hold a name: the value of a label, a selector, a taint. Numbers stay.
  [[nodiscard]] model::Text value(const model::Text& text);
  /// Names that stand in a text as whole words, or as pieces of one between dashes, in any case of
  /// letters; addresses, UIDs, and URLs of named hosts too, known or not.
  [[nodiscard]] model::Text text(const model::Text& of);
  [[nodiscard]] std::string words(std::string_view text);
  /// Images that hold the word keep it: it tells what they are for.
  void keep_in_images(const std::string& word) { kept_in_images_.insert(word); }
  /// From then on the image is found in texts, with another registry, tag or none, too.
  [[nodiscard]] model::Text image(const model::Text& text);
  /// Of an image that a text names: it may be one of those, written otherwise.
  void add_mentioned_image(const std::string& image);
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
  /// The same where a text's common words are not meant.
  [[nodiscard]] const model::Text* find_in_text(std::string_view word);
  /// A name that turns up only now.
  [[nodiscard]] std::string number(std::string_view kind, std::string_view name);
  [[nodiscard]] const std::string* find_image(std::string_view word);
  [[nodiscard]] const std::string* find_bare_image(std::string_view word) const;
  [[nodiscard]] std::string token(std::string_view word);
  /// "anon-node-1.anon-domain-1"; empty where no node's name stands before the first dot.
  [[nodiscard]] std::string host_in_domain(std::string_view word);
  [[nodiscard]] std::string parts(std::string_view word);
  [[nodiscard]] std::string pieces(std::string_view word, std::string_view separators);
  [[nodiscard]] std::string runs(std::string_view word);
  [[nodiscard]] std::string run_for(std::string_view run, bool outside);
  [[nodiscard]] const model::Text* find_quoted(std::string_view text, std::size_t& end);
  [[nodiscard]] std::string url(std::string_view text);
  [[nodiscard]] std::string address_for(std::string_view address);
  [[nodiscard]] std::string uid_for(std::string_view uid);

  std::unordered_map<std::string, model::Text, AnyCase, AnyCase> names_;
  Table<model::Text> other_spellings_;  // of names_, letter by letter
  Table<model::Text> values_;           // of fields that hold no known name
  Table<std::string> images_;
  Table<std::string> bare_images_;  // without tag; the path of a repository too
  std::set<std::string> kept_in_images_ = {"csi-node-driver-registrar"};
  Table<std::string> addresses_;
  Table<std::string> uids_;
  Table<std::string> urls_;
  std::map<std::string, std::size_t, std::less<>> spellings_;  // replacement -> others in use
  std::map<std::string, std::size_t, std::less<>> numbers_;    // kind -> how many turned up late
  std::size_t longest_ = 0;                                    // name
};

}  // namespace dsdoctor::redaction
