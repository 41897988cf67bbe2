// SPDX-License-Identifier: Apache-2.0
#include "line/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace dsdoctor::cmd {
namespace {

base::Error not_watching() {
  base::Error error = base::usage_error("-w is not supported");
  error.hints.emplace_back("run it again, or put `watch` before the command");
  return error;
}

/// What Go says of a text that is no integer of 32 bits; empty where it is one.
std::string number_fault(const std::string& text) {
  const bool sign = text.starts_with('-') || text.starts_with('+');
  const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* last = text.data() + text.size();
  int value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  const bool digits = text.size() > (sign ? 1U : 0U) &&
                      text.find_first_not_of("0123456789", sign ? 1 : 0) == std::string::npos;
  if (digits && error == std::errc::result_out_of_range) {
    return fmt::format("strconv.ParseInt: parsing \"{}\": value out of range", text);
  }
  if (digits && error == std::errc() && end == last) return {};
  return fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", text);
}

/// "-n, --namespace"
std::string shown(const FlagShape& shape) {
  return shape.shorthand == 0 ? "--" + shape.name
                              : fmt::format("-{}, --{}", shape.shorthand, shape.name);
}

std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> yes = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> no = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(yes, text) != yes.end()) return true;
  if (std::ranges::find(no, text) != no.end()) return false;
  return std::nullopt;
}

/// Flags that every command of kubectl has, and that mean nothing here.
base::Error unknown_flag(const std::string& name) {
  constexpr std::string_view of_kubectl[] = {
      "username",       "password", "match-server-version", "warnings-as-errors", "profile",
      "profile-output", "vmodule",  "log-flush-frequency"};
  if (name == "watch") return not_watching();
  base::Error error = base::usage_error("unknown flag: --" + name);
  if (std::ranges::find(of_kubectl, name) != std::end(of_kubectl)) {
    error.hints.emplace_back("a flag of kubectl itself; remove it");
  }
  return error;
}

class Reader {
 public:
  Reader(const std::vector<std::string>& words, const std::vector<FlagShape>& shapes)
      : words_(words), shapes_(shapes) {}

  base::Result<LineWords> read() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (word == "--") {
        result_.arguments.insert(result_.arguments.end(), words_.begin() + std::ptrdiff_t(at_),
                                 words_.end());
        break;
      }
      const bool is_argument = word.size() < 2 || word.front() != '-';
      if (is_argument) {
        result_.arguments.push_back(word);
        continue;
      }
      const base::Status status = word[1] == '-' ? read_long(word) : read_shorthands(word);
      if (!status) return status.error();
    }
    return std::move(result_);
  }

 private:
  base::Status read_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (name.empty() || name.front() == '-') return base::usage_error("bad flag syntax: " + word);
    std::ranges::replace(name, '_', '-');
    const auto shape = std::ranges::find(shapes_, name, &FlagShape::name);
    if (shape == shapes_.end()) return unknown_flag(name);
    if (equals != std::string::npos) return add(*shape, word.substr(equals + 1));
    if (!shape->takes_value) return add(*shape, "true");
    if (!shape->implied.empty()) return add(*shape, shape->implied);
    if (at_ == words_.size()) return base::usage_error("flag needs an argument: --" + name);
    return add(*shape, words_[at_++]);
  }

  /// `-Av6`: booleans, until one that takes the rest of the word or the next word as its value.
  base::Status read_shorthands(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto shape = std::ranges::find(shapes_, word[i], &FlagShape::shorthand);
      if (shape == shapes_.end() && word[i] == 'w') return not_watching();
      if (shape == shapes_.end()) {
        return base::usage_error(fmt::format("unknown shorthand flag: '{}' in {}", word[i], word));
      }
      const std::string rest = word.substr(i + 1);
      if (rest.starts_with('=')) return add(*shape, rest.substr(1));
      if (!shape->takes_value) {
        base::Status status = add(*shape, "true");
        if (!status) return status;
        continue;
      }
      if (!rest.empty()) return add(*shape, rest);
      if (!shape->implied.empty()) return add(*shape, shape->implied);
      if (at_ == words_.size()) {
        return base::usage_error(fmt::format("flag needs an argument: '{}' in {}", word[i], word));
      }
      return add(*shape, words_[at_++]);
    }
    return std::monostate{};
  }

  base::Status add(const FlagShape& shape, const std::string& value) {
    if (shape.number) {
      if (const std::string fault = number_fault(value); !fault.empty()) {
        return base::usage_error(
            fmt::format("invalid argument \"{}\" for \"{}\" flag: {}", value, shown(shape), fault));
      }
    }
    if (shape.takes_value) {
      if (value.empty()) {
        // "--name=" would make the parser take the next word.
        result_.flags.push_back("--" + shape.name);
        result_.flags.emplace_back();
      } else {
        result_.flags.push_back(fmt::format("--{}={}", shape.name, value));
      }
      return std::monostate{};
    }
    const auto parsed = parse_bool(value);
    if (!parsed) {
      return base::usage_error(
          fmt::format("invalid argument \"{}\" for \"{}\" flag: a boolean is true or false", value,
                      shown(shape)));
    }
    result_.flags.push_back(fmt::format("--{}={}", shape.name, *parsed ? "true" : "false"));
    return std::monostate{};
  }

  const std::vector<std::string>& words_;
  const std::vector<FlagShape>& shapes_;
  std::size_t at_ = 0;
  LineWords result_;
};

}  // namespace

base::Result<LineWords> read_words(const std::vector<std::string>& words,
                                   const std::vector<FlagShape>& shapes) {
  return Reader(words, shapes).read();
}

}  // namespace dsdoctor::cmd
