#include "line/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace dsdoctor::cmd {
namespace {

base::Error not_watching() {
  base::Error error = base::usage_error("-w is not supported");
  error.hints.emplace_back("run it again, or put `watch` before the command");
  return error;
}

/// Flags that every command of kubectl has, and that mean nothing here.
base::Error unknown_flag(std::string_view name) {
  constexpr std::string_view of_kubectl[] = {
      "username",       "password", "match-server-version", "warnings-as-errors", "profile",
      "profile-output", "vmodule",  "log-flush-frequency"};
  if (name == "watch") return not_watching();
  base::Error error = base::usage_error(fmt::format("unknown flag: --{}", name));
  if (std::ranges::find(of_kubectl, name) != std::end(of_kubectl)) {
    error.hints.emplace_back("a flag of kubectl itself; remove it");
  }
  return error;
}

// Each puts a value where it belongs, and returns what is wrong with it; empty where nothing is.

std::string put(const std::string& value, std::string& target) {
  target = value;
  return {};
}

std::string put(const std::string& value, std::vector<std::string>& target) {
  target.push_back(value);
  return {};
}

std::string put(const std::string& value, bool& target) {
  constexpr std::array<std::string_view, 6> yes = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> no = {"0", "f", "F", "FALSE", "false", "False"};
  const bool on = std::ranges::find(yes, value) != yes.end();
  if (!on && std::ranges::find(no, value) == no.end()) return "a boolean is true or false";
  target = on;
  return {};
}

/// As Go reads it; octal behind a zero.
std::string put(const std::string& value, int& target) {
  const bool sign = value.starts_with('-') || value.starts_with('+');
  const bool digits = base::is_number(std::string_view(value).substr(sign ? 1 : 0));
  char* end = nullptr;
  const long long number = std::strtoll(value.c_str(), &end, 0);
  if (!digits || *end != '\0') {
    return fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", value);
  }
  if (!std::in_range<int>(number)) {
    return fmt::format("strconv.ParseInt: parsing \"{}\": value out of range", value);
  }
  target = static_cast<int>(number);
  return {};
}

}  // namespace

base::Result<const std::string*> WordReader::next_argument(const std::vector<Flag>& flags) {
  while (at_ < words_.size()) {
    const std::string& word = words_[at_++];
    if (only_arguments_ || word.size() < 2 || word.front() != '-') return &word;
    if (word == "--") {
      only_arguments_ = true;
      continue;
    }
    const base::Status status =
        word[1] == '-' ? read_long(word, flags) : read_shorthands(word, flags);
    if (!status) return status.error();
  }
  return nullptr;
}

base::Status WordReader::read_rest(const std::vector<Flag>& flags,
                                   std::vector<std::string>& arguments) {
  while (true) {
    const auto argument = next_argument(flags);
    if (!argument) return argument.error();
    if (*argument == nullptr) return std::monostate();
    arguments.push_back(**argument);
  }
}

base::Status WordReader::check(const std::vector<Flag>& flags) const {
  for (const GivenFlag& given : given_) {
    const bool known = std::ranges::find(flags, given.name, &Flag::name) != flags.end();
    const bool shorthand = given.typed.front() == '\'';
    if (!known && shorthand) return base::usage_error("unknown shorthand flag: " + given.typed);
    if (!known) return unknown_flag(given.name);
  }
  return std::monostate();
}

base::Status WordReader::read_long(const std::string& word, const std::vector<Flag>& flags) {
  const std::size_t equals = std::min(word.find('='), word.size());
  std::string name = word.substr(2, equals - 2);
  if (name.empty() || name.front() == '-') return base::usage_error("bad flag syntax: " + word);
  std::ranges::replace(name, '_', '-');
  const auto flag = std::ranges::find(flags, name, &Flag::name);
  if (flag == flags.end()) return unknown_flag(name);
  const std::string typed = "--" + name;
  if (equals < word.size()) return set(*flag, typed, word.substr(equals + 1));
  return flag->is_switch() ? set(*flag, typed, "true") : take_value(*flag, typed);
}

/// `-Av6`: switches, until a flag that takes the rest of the word or the next word as its value.
base::Status WordReader::read_shorthands(const std::string& word, const std::vector<Flag>& flags) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    const auto flag = std::ranges::find(flags, word[i], &Flag::shorthand);
    if (flag == flags.end() && word[i] == 'w') return not_watching();
    const std::string typed = fmt::format("'{}' in {}", word[i], word);
    if (flag == flags.end()) return base::usage_error("unknown shorthand flag: " + typed);
    const std::string rest = word.substr(i + 1);
    if (rest.starts_with('=')) return set(*flag, typed, rest.substr(1));
    if (!flag->is_switch() && rest.empty()) return take_value(*flag, typed);
    if (!flag->is_switch()) return set(*flag, typed, rest);
    if (auto status = set(*flag, typed, "true"); !status) return status;
  }
  return std::monostate();
}

base::Status WordReader::take_value(const Flag& flag, const std::string& typed) {
  if (at_ < words_.size()) return set(flag, typed, words_[at_++]);
  awaiting_ = flag.name;
  return base::usage_error("flag needs an argument: " + typed);
}

base::Status WordReader::set(const Flag& flag, const std::string& typed, const std::string& value) {
  const std::string fault =
      std::visit([&](auto* target) { return put(value, *target); }, flag.target);
  if (!fault.empty()) {
    const std::string shorthand = flag.shorthand == 0 ? "" : fmt::format("-{}, ", flag.shorthand);
    return base::usage_error(fmt::format("invalid argument \"{}\" for \"{}--{}\" flag: {}", value,
                                         shorthand, flag.name, fault));
  }
  const auto* const on = std::get_if<bool*>(&flag.target);
  const std::string shown = on == nullptr ? "=" + value : **on ? "" : "=false";
  given_.push_back({flag.name, typed, fmt::format("--{}{}", flag.name, shown)});
  return std::monostate();
}

}  // namespace dsdoctor::cmd
