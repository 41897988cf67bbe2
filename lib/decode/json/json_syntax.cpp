// SPDX-License-Identifier: Apache-2.0
#include "decode/json/json_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "decode/bytes/sniff.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

/// Tracks the parser's position, so that an error can name the enclosing field.
class PathTracker final : public nlohmann::json_sax<json> {
 public:
  bool null() override { return value_ended(); }
  bool boolean(bool /*value*/) override { return value_ended(); }
  bool number_integer(std::int64_t /*value*/) override { return value_ended(); }
  bool number_unsigned(std::uint64_t /*value*/) override { return value_ended(); }
  bool number_float(double /*value*/, const std::string& /*text*/) override {
    return value_ended();
  }
  bool string(std::string& /*value*/) override { return value_ended(); }
  bool binary(json::binary_t& /*value*/) override { return value_ended(); }
  bool start_object(std::size_t /*size*/) override { return opened(false); }
  bool start_array(std::size_t /*size*/) override { return opened(true); }
  bool end_object() override { return closed(); }
  bool end_array() override { return closed(); }
  bool key(std::string& name) override {
    open_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& error) override {
    token = last_token;
    end_of_token = position;
    complaint = error.what();
    return false;
  }

  /// "items[3].metadata"; empty at the top level.
  [[nodiscard]] std::string path() const {
    std::string result;
    for (const Open& open : open_) {
      if (open.array) {
        result += fmt::format("[{}]", open.index);
      } else if (!open.key.empty()) {
        result += fmt::format("{}{}", result.empty() ? "" : ".", open.key);
      }
      if (result.size() > longest) return base::printable(result, longest) + "...";
    }
    return result;
  }

  std::string token;
  std::size_t end_of_token = 0;
  std::string complaint;
  bool too_deep = false;

 private:
  static constexpr std::size_t longest = 200;   // bytes of a path
  static constexpr std::size_t deepest = 1000;  // same limit as the decoder of valid JSON

  struct Open {
    bool array = false;
    std::size_t index = 0;
    std::string key = {};
  };

  bool opened(bool array) {
    open_.push_back({array});
    too_deep = open_.size() > deepest;
    return !too_deep;
  }
  bool closed() {
    open_.pop_back();
    return value_ended();
  }
  bool value_ended() {
    if (!open_.empty()) {
      ++open_.back().index;
      open_.back().key.clear();
    }
    return true;
  }

  std::vector<Open> open_;
};

struct Wording {
  std::string_view complaint;  // part of nlohmann's message
  std::string_view ours;
};

constexpr Wording in_text[] = {
    {"forbidden character after backslash",
     "expected one of \" \\ / b f n r t u after the "
     "backslash"},
    {"must be escaped", "a string contains a line break or another control character"},
    {"surrogate", "a \\u escape is half of a surrogate pair"},
    {"'\\u' must be followed", "expected four hexadecimal digits after \\u"},
};

constexpr Wording in_structure[] = {
    {"while parsing object key", "expected a key in double quotes"},
    {"; expected ':'", "expected a colon"},
    {"; expected '}'", "expected a comma or }"},
    {"; expected ']'", "expected a comma or ]"},
    {"expected end of input", "expected nothing after the end of the value"},
    {"while parsing value",
     "expected a value: a string in double quotes, a number, true, false, "
     "null, [ or {"},
    {"while parsing array", "expected a comma or ]"},
    {"while parsing object", "expected a comma or }"},
};

template <std::size_t N>
std::string_view worded(std::string_view complaint, const Wording (&wordings)[N]) {
  for (const Wording& wording : wordings) {
    if (complaint.find(wording.complaint) != std::string_view::npos) return wording.ours;
  }
  return {};
}

/// Start of the word, number or string whose last byte is at `last`.
std::size_t token_start(std::string_view text, std::size_t last, std::size_t token_size) {
  if (text[last] == '"') return last + 1 - std::min(token_size, last + 1);
  const auto in_word = [](char c) {
    return base::is_alphanumeric(c) || c == '_' || c == '.' || c == '+' || c == '-';
  };
  if (last > 0 && text[last] == ' ' && in_word(text[last - 1])) --last;  // a blank inside a word
  while (last > 0 && in_word(text[last]) && in_word(text[last - 1])) --last;
  return last;
}

/// The first characters of the text, in quotes unless it contains quotes.
std::string shown(std::string_view text) {
  constexpr std::size_t enough = 12;
  text = text.substr(0, std::min(text.find_first_of("\r\n"), enough));
  return text.find('"') == text.npos ? quoted_opening(text) : std::string(text);
}

/// The last byte before `at` that is not white space; 0 if there is none.
char byte_before(std::string_view text, std::size_t at) {
  const std::size_t found = text.substr(0, at).find_last_not_of(" \t\r\n");
  return found == std::string_view::npos ? '\0' : text[found];
}

std::string_view kind_of_value(char first) {
  switch (first) {
    case '"': return "a string";
    case '[': return "an array";
    case 'n': return "null";
    case 't':
    case 'f': return "a boolean";
    default: return "a number";
  }
}

}  // namespace

base::Error json_syntax_error(std::string_view text, std::size_t start, std::size_t end,
                              std::string_view file, std::string_view refusal) {
  const std::string_view value = text.substr(start, end - start);
  PathTracker tracker;
  const auto error = [&](std::size_t offset, std::string what) {
    return base::Error{base::ErrorKind::Malformed, to_string(file, place_of(text, start + offset)),
                       std::move(what)};
  };
  if (json::sax_parse(value.begin(), value.end(), &tracker)) return error(0, std::string(refusal));
  if (tracker.too_deep) return error(0, "values are nested more than 1000 levels deep");
  const std::string path = tracker.path();
  constexpr std::size_t longest_path = 200;
  const std::string inside =
      path.empty() ? "" : fmt::format(" inside {}", base::limited(path, longest_path));
  const std::string_view complaint = tracker.complaint;
  const auto says = [&](std::string_view part) { return complaint.find(part) != complaint.npos; };
  if (tracker.end_of_token > value.size() || says("unexpected end of input")) {
    const std::size_t final = value.find_last_not_of(" \t\r\n");
    return error(final == value.npos ? 0 : final + 1,
                 fmt::format("unexpected end of file{}; is the file cut off?", inside));
  }
  if (const auto what = worded(complaint, in_text); !what.empty()) {
    return error(tracker.end_of_token - 1, fmt::format("{}{}", what, inside));
  }
  const std::size_t last = std::max<std::size_t>(tracker.end_of_token, 1) - 1;
  const std::size_t offset = token_start(value, last, tracker.token.size());
  const char found = value[offset];
  if ((found == '}' || found == ']') && byte_before(value, offset) == ',') {
    return error(offset, fmt::format("unexpected comma before {}{}: remove it", found, inside));
  }
  const std::string there = shown(value.substr(offset));
  if (path.empty() && offset == 0 && byte_before(text, start) == '}') {
    return error(0, fmt::format("the object has ended before {}", there));
  }
  const auto expected = worded(complaint, in_structure);
  return error(offset, fmt::format("unexpected {}{}; {}", there, inside,
                                   expected.empty() ? refusal : expected));
}

std::string item_is_not_an_object(std::size_t item, char first) {
  return fmt::format("items[{}] is {}; expected an object", item, kind_of_value(first));
}

}  // namespace dsdoctor::decode
