#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "model/text.h"

namespace dsdoctor::redaction {

/// One replacement for each name, the same wherever it stands, and never the same for two names: so
/// that what was equal stays equal, and what differed still does.
///
/// Names that mean something to Kubernetes stay: `default`, `kube-system`, `system:...` and the
/// words of its own messages. Deterministic: equal calls in equal order give equal replacements.
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
  /// Names that stand in a text as whole words; addresses and UIDs too, known or not.
  [[nodiscard]] model::Text text(const model::Text& of);
  [[nodiscard]] std::string words(std::string_view text);
  [[nodiscard]] model::Text image(const model::Text& text);
  [[nodiscard]] model::Text uid(const model::Text& text);
  [[nodiscard]] model::Text address(const model::Text& text);

  /// A name that stays as it is.
  [[nodiscard]] static bool is_reserved(std::string_view name);

 private:
  [[nodiscard]] const std::string* find(std::string_view name) const;
  [[nodiscard]] std::string token(std::string_view word);
  [[nodiscard]] std::string pieces(std::string_view word, std::string_view separators);
  [[nodiscard]] std::string with_stem(std::string_view word);
  [[nodiscard]] std::string address_for(std::string_view address);
  [[nodiscard]] std::string uid_for(std::string_view uid);

  std::map<std::string, std::string, std::less<>> names_;
  std::map<std::string, std::string, std::less<>> addresses_;
  std::map<std::string, std::string, std::less<>> uids_;
  std::map<std::string, std::string, std::less<>> images_;
};

}  // namespace dsdoctor::redaction
