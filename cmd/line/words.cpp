// SPDX-License-Identifier: Apache-2.0
#include "line/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/edit_distance.h"
#include "base/text.h"

namespace dsdoctor::cmd {
namespace {

base::Error not_watching() {
  base::Error error = base::usage_error("-w is not supported by this command");
  error.hints.emplace_back("check, explain and diff-nodes have it");
  return error;
}

/// Flags of all kubectl commands that have no effect here.
base::Error unknown_flag(const std::string& name, const Flags& flags) {
  constexpr std::string_view of_kubectl[] = {
      "username",       "password", "match-server-version", "warnings-as-errors", "profile",
      "profile-output", "vmodule",  "log-flush-frequency"};
  if (name == "watch") return not_watching();
  base::Error error = base::usage_error(fmt::format("unknown flag: --{}", name));
  if (std::ranges::find(of_kubectl, name) != std::end(of_kubectl)) {
    error.hints.emplace_back("a flag of kubectl itself; remove it");
    return error;
  }
  std::vector<std::string> names;
  for (const CLI::Option* flag : flags.all()) names.push_back(name_of(*flag));
  for (const std::string& near : base::near_words(name, names, 2)) {
    error.hints.push_back(fmt::format("did you mean: --{}", near));
  }
  return error;
}

// Each rewrites a value in a form that CLI11 reads as Go does, and returns the error; empty for a
// valid value.

std::string rewrite_bool(std::string& value) {
  const auto on = parse_bool(value);
  if (!on) return "a boolean is true or false";
  value = *on ? "true" : "false";
  return {};
}

/// Parses a number like Go; a leading zero means octal.
std::string rewrite_number(std::string& value) {
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
  value = std::to_string(number);
  return {};
}

}  // namespace

std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> yes = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> no = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(yes, text) != yes.end()) return true;
  if (std::ranges::find(no, text) != no.end()) return false;
  return std::nullopt;
}

void add_value(CLI::App& app, const std::string& names, std::string& target,
               const std::string& description) {
  app.add_option(names, target, description)->capture_default_str();
}

void add_value(CLI::App& app, const std::string& names, int& target,
               const std::string& description) {
  app.add_option(names, target, description)->capture_default_str();
}

void add_value(CLI::App& app, const std::string& names, std::vector<std::string>& target,
               const std::string& description) {
  // CLI11 would interpret "{}" and "%%" in its conversion to a vector, and split "[a,b]" if an
  // option may have extra arguments.
  const CLI::callback_t append = [&target](const CLI::results_t& values) {
    target.push_back(values.front());
    return true;
  };
  app.add_option(names, append, description)->expected(1, -1)->allow_extra_args(false);
}

void add_switch(CLI::App& app, const std::string& names, bool& target,
                const std::string& description) {
  app.add_flag(names, target, description);
}

const std::string& name_of(const CLI::Option& flag) { return flag.get_lnames().front(); }

std::string shown_names(const CLI::Option& flag) {
  const auto& shorthands = flag.get_snames();
  const std::string shorthand = shorthands.empty() ? "" : fmt::format("-{}, ", shorthands.front());
  return fmt::format("{}--{}", shorthand, name_of(flag));
}

bool is_switch(const CLI::Option& flag) { return flag.get_expected_max() == 0; }
bool is_list(const CLI::Option& flag) { return flag.get_expected_max() > 1; }
bool is_number(const CLI::Option& flag) { return flag.get_type_name() == "INT"; }

CLI::App& Flags::add_app() {
  CLI::App& app = *apps_.emplace_back(std::make_unique<CLI::App>());
  app.set_help_flag();  // help.h prints help in kubectl's layout
  return app;
}

CLI::Option* Flags::find(const std::string& dashed) const {
  for (const auto& app : apps_) {
    if (CLI::Option* const flag = app->get_option_no_throw(dashed)) return flag;
  }
  return nullptr;
}

std::vector<const CLI::Option*> Flags::all() const {
  std::vector<const CLI::Option*> result;
  for (const auto& app : apps_) {
    const auto options = app->get_options();
    result.insert(result.end(), options.begin(), options.end());
  }
  std::ranges::sort(result, {}, [](const CLI::Option* flag) { return name_of(*flag); });
  return result;
}

base::Result<const std::string*> WordReader::next_argument(const Flags& flags) {
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

base::Status WordReader::read_rest(const Flags& flags, std::vector<std::string>& arguments) {
  while (true) {
    const auto argument = next_argument(flags);
    if (!argument) return argument.error();
    if (*argument == nullptr) return std::monostate();
    arguments.push_back(**argument);
  }
}

base::Status WordReader::check(const Flags& flags) const {
  for (const GivenFlag& given : given_) {
    if (flags.find("--" + given.name) != nullptr) continue;
    const bool shorthand = given.typed.front() == '\'';
    if (shorthand) return base::usage_error("unknown shorthand flag: " + given.typed);
    return unknown_flag(given.name, flags);
  }
  return std::monostate();
}

base::Status WordReader::read_long(const std::string& word, const Flags& flags) {
  const std::size_t equals = std::min(word.find('='), word.size());
  std::string name = word.substr(2, equals - 2);
  if (name.empty() || name.front() == '-') return base::usage_error("bad flag syntax: " + word);
  std::ranges::replace(name, '_', '-');
  const std::string typed = "--" + name;
  CLI::Option* const flag = flags.find(typed);
  if (flag == nullptr) return unknown_flag(name, flags);
  if (equals < word.size()) return set(*flag, typed, word.substr(equals + 1));
  return is_switch(*flag) ? set(*flag, typed, "true") : take_value(*flag, typed);
}

/// `-Av6`: switches, until a flag that takes the rest of the word or the next word as its value.
base::Status WordReader::read_shorthands(const std::string& word, const Flags& flags) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    CLI::Option* const flag = flags.find({'-', word[i]});
    if (flag == nullptr && word[i] == 'w') return not_watching();
    const std::string typed = fmt::format("'{}' in {}", word[i], word);
    if (flag == nullptr) return base::usage_error("unknown shorthand flag: " + typed);
    const std::string rest = word.substr(i + 1);
    if (rest.starts_with('=')) return set(*flag, typed, rest.substr(1));
    if (!is_switch(*flag) && rest.empty()) return take_value(*flag, typed);
    if (!is_switch(*flag)) return set(*flag, typed, rest);
    if (auto status = set(*flag, typed, "true"); !status) return status;
  }
  return std::monostate();
}

base::Status WordReader::take_value(CLI::Option& flag, const std::string& typed) {
  if (at_ < words_.size()) return set(flag, typed, words_[at_++]);
  awaiting_ = name_of(flag);
  return base::usage_error("flag needs an argument: " + typed);
}

base::Status WordReader::set(CLI::Option& flag, const std::string& typed,
                             const std::string& value) {
  std::string text = value;
  std::string fault;
  if (is_switch(flag)) fault = rewrite_bool(text);
  if (is_number(flag)) fault = rewrite_number(text);
  if (!fault.empty()) {
    return base::usage_error(fmt::format("invalid argument \"{}\" for \"{}\" flag: {}", value,
                                         shown_names(flag), fault));
  }
  // CLI11 converts one value at a time, and cannot fail: numbers and booleans were checked above.
  flag.clear();
  flag.add_result(text);
  flag.run_callback();
  const std::string behind_name = !is_switch(flag) ? "=" + value : text == "true" ? "" : "=false";
  given_.push_back({name_of(flag), typed, fmt::format("--{}{}", name_of(flag), behind_name)});
  return std::monostate();
}

}  // namespace dsdoctor::cmd
