// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/text.h"
#include "decode/cluster/snapshot.h"
#include "model/fields.h"
#include "redaction/well_known.h"

/// Visits every text of a cluster with the path of its field (its names in the model), and compares
/// the words of two files.
namespace dsdoctor::redaction::testing {

/// The end of the first part of a word in camel case: "Kubelet" of "KubeletNotReady", "CNI" of
/// "CNIConfig".
inline std::size_t end_of_piece(std::string_view word) {
  std::size_t end = 0;
  while (end < word.size() && base::is_upper(word[end])) ++end;
  if (end == word.size() || end > 1) return end == word.size() ? end : end - 1;
  const auto next = std::find_if(word.begin() + 1, word.end(), base::is_upper);
  return static_cast<std::size_t>(next - word.begin());
}

/// Reports whether a word is a quantity or duration, "5m0s", "16Gi", "1e3", or a part of a time:
/// "22T10".
inline bool is_amount(std::string_view word) {
  static const std::set<std::string_view> units = {
      "m", "k", "K", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
      "n", "u", "s", "h", "d", "y", "Z", "B", "ms", "us", "ns", "KB", "MB", "e"};
  if (!base::is_digit(word.front())) return false;
  for (std::size_t end = 0; !word.empty(); word.remove_prefix(end)) {
    end = std::min(word.find_first_not_of("0123456789"), word.size());
    if (end == 0) end = std::min(word.find_first_of("0123456789"), word.size());
    if (!base::is_digit(word.front()) && !units.contains(word.substr(0, end))) return false;
  }
  return true;
}

/// Reports whether a word of letters and digits can identify the owner of a file. It cannot if it
/// is a well-known word or consists of such words ("KubeletNotReady", "eth0"), or is a number or a
/// quantity.
inline bool is_telling(std::string_view word) {
  constexpr std::size_t account_of_customer = 12;
  constexpr std::size_t most_digits = 3;   // after a word
  constexpr std::size_t octet_of_mac = 2;  // "1f": replacements of addresses have all of these
  if (base::is_number(word)) return word.size() == account_of_customer;
  if (word.size() <= octet_of_mac || is_common(word) || is_amount(word)) return false;
  const std::size_t letters = word.find_last_not_of("0123456789") + 1;
  if (word.size() - letters > most_digits) return true;
  word = word.substr(0, letters);
  if (word == "v") return false;
  while (!word.empty()) {
    const std::string_view piece = word.substr(0, end_of_piece(word));
    if (!is_listed(piece)) return true;
    word.remove_prefix(piece.size());
  }
  return false;
}

/// Calls `visit(word)` for each run of letters and digits, including letters of other alphabets.
inline void each_word(std::string_view text, const auto& visit) {
  const auto of_word = [](char c) {
    return base::is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t start = at;
    while (at < text.size() && of_word(text[at])) ++at;
    if (at > start) visit(text.substr(start, at - start));
  }
}

using WordSet = std::set<std::string, std::less<>>;

/// The words of a text in lower case.
inline WordSet words_of(std::string_view text) {
  WordSet result;
  each_word(text, [&](std::string_view word) {
    std::string lower = base::lower_case(word);
    result.insert(std::move(lower));
  });
  return result;
}

inline void fields(model::ServerVersion& of, const auto& visit) {
  auto& [major, minor, patch, git_version] = of;
  visit("major minor patch git_version", major, minor, patch, git_version);
}
inline void fields(model::Omission& of, const auto& visit) {
  auto& [resource, ns, reason, message, consequence] = of;
  visit("resource ns reason message consequence", resource, ns, reason, message, consequence);
}
inline void fields(model::Warning& of, const auto& visit) {
  auto& [where, what] = of;
  visit("where what", where, what);
}
inline void fields(model::SourceInfo& of, const auto& visit) {
  auto& [kind, context, server, paths, server_version, read_at, saved_from, as_of, read] = of;
  visit("kind context server paths server_version read_at saved_from as_of read", kind, context,
        server, paths, server_version, read_at, saved_from, as_of, read);
}

/// "node_name" of `&model::Pod::node_name`
template <auto Member>
std::string member_name() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const std::size_t start = function.find("Member = ");
  const std::string_view pointer =
      function.substr(start, function.find_first_of(";]", start) - start);
  const std::string_view name = pointer.substr(pointer.rfind(':') + 1);
  return std::string(name.substr(0, name.find(')')));
}
template <auto Member, typename Form>
std::string member_name(const model::description::Field<Member, Form>& /*field*/) {
  return member_name<Member>();
}
template <template <auto> typename Kind, auto Member>
std::string member_name(const Kind<Member>& /*member*/) {
  return member_name<Member>();
}

/// Creates one element in every list, a value in every optional, and one entry in every map; then
/// replaces every text with `text_for(path)`. Paths of map keys end in ".key".
template <typename TextFor>
class Filler {
 public:
  explicit Filler(TextFor text_for) : text_for_(std::move(text_for)) {}

  template <typename T>
  void fill(T& value, const std::string& path) {
    if constexpr (std::is_same_v<T, model::Text> || std::is_same_v<T, model::UniqueText> ||
                  std::is_same_v<T, std::string>) {
      value = T(text_for_(path));
    } else if constexpr (model::description::Described<T>) {
      model::description::each_member(value, [&](auto& member, const auto& described) {
        fill(member, path + "." + member_name(described));
      });
    } else if constexpr (requires { fields(value, *this); }) {
      fields(value, [&](std::string_view names, auto&... members) {
        (fill(members, path + "." + next(names)), ...);
      });
    }
  }
  template <typename T>
  void fill(std::vector<T>& list, const std::string& path) {
    if (list.empty()) list.emplace_back();
    for (T& element : list) fill(element, path);
  }
  template <model::description::KeptList List>
  void fill(List& list, const std::string& path) {
    if (list.empty()) list.emplace_back();
    for (auto& element : list) fill(element, path);
  }
  /// Only public names are read as another kind.
  void fill(std::optional<model::OtherKind>& /*value*/, const std::string& /*path*/) {}
  template <typename T>
  void fill(std::optional<T>& value, const std::string& path) {
    if constexpr (std::is_class_v<T>) fill(value ? *value : value.emplace(), path);
  }
  template <typename T>
  void fill(model::SharedOptional<T>& value, const std::string& path) {
    std::optional<T> filled = value;
    fill(filled, path);
    value = std::move(filled);
  }
  template <typename T>
  void fill(model::Shared<T>& shared, const std::string& path) {
    T copy = *shared;
    fill(copy, path);
    shared = std::move(copy);
  }
  void fill(model::Labels& labels, const std::string& path) {
    model::Text key(text_for_(path + ".key"));
    model::Text value(text_for_(path + ".value"));
    labels = {{std::move(key), std::move(value)}};
  }

 private:
  static std::string next(std::string_view& names) {
    const std::size_t end = std::min(names.find(' '), names.size());
    std::string first(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    return first;
  }

  TextFor text_for_;
};

/// The snapshot of a cluster.
inline std::string bytes_of(const model::Cluster& cluster) {
  std::string bytes;
  REQUIRE(decode::write_snapshot({}, cluster, [&](std::string_view piece) -> base::Status {
    bytes += piece;
    return std::monostate{};
  }));
  return bytes;
}

/// The text without JSON escapes of line ends and other control characters.
inline std::string without_escapes(std::string_view json) {
  constexpr std::size_t unicode = 6;  // "\\u001b"
  std::string result;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '\\' || at + 1 == json.size()) {
      result += json[at++];
      continue;
    }
    result += ' ';
    at += json[at + 1] == 'u' ? unicode : 2;
  }
  return result;
}

/// The words of every snapshot: names of fields, and placeholders of hidden values.
inline const WordSet& words_of_form() {
  static const WordSet words = [] {
    model::Cluster cluster;
    Filler filler([](const std::string& /*path*/) { return "x"; });
    filler.fill(cluster, "");
    cluster.daemon_sets.front().template_fingerprint = 1;
    return words_of(bytes_of(cluster) + " (not shown)");
  }();
  return words;
}

/// The telling words of a snapshot that another one contains, ignoring case: as words, or inside
/// telling words if they are too long for a coincidence.
inline WordSet words_left(std::string_view before, std::string_view after) {
  constexpr std::size_t least_length = 5;
  WordSet left;
  each_word(without_escapes(before), [&](std::string_view word) {
    std::string lower = base::lower_case(word);
    if (!words_of_form().contains(lower) && is_telling(word)) left.insert(std::move(lower));
  });
  const std::string text = without_escapes(after);
  const WordSet words = words_of(text);
  std::string telling;
  each_word(text, [&](std::string_view word) {
    if (is_telling(word)) telling += base::lower_case(word) + " ";
  });
  std::erase_if(left, [&](const std::string& word) {
    const bool part = word.size() >= least_length && telling.find(word) != telling.npos;
    return !words.contains(word) && !part;
  });
  return left;
}

}  // namespace dsdoctor::redaction::testing
