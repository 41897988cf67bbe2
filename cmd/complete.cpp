#include "complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "invocation.h"

namespace dsdoctor::cmd {
namespace {

/// The values that a flag can have, where they are few and fixed.
std::vector<Candidate> fixed_values(const std::string& command, const std::string& flag) {
  if (flag == "output" && command == "version") return {{"json", ""}, {"yaml", ""}};
  if (flag == "output") {
    return {{"table", ""}, {"wide", ""}, {"json", ""}, {"yaml", ""}, {"name", ""}};
  }
  if (flag == "color") return {{"auto", ""}, {"always", ""}, {"never", ""}};
  if (flag == "feature-gates") {
    return {{"TaintTolerationComparisonOperators=true", ""},
            {"TaintTolerationComparisonOperators=false", ""}};
  }
  return {};
}

bool takes_a_file(const std::string& flag) {
  static constexpr std::string_view flags[] = {
      "filename",           "kubeconfig", "kuberc", "certificate-authority",
      "client-certificate", "client-key"};
  return std::ranges::find(flags, flag) != std::end(flags);
}

Completion values_of(const std::string& command, const std::string& flag, std::string_view prefix) {
  Completion result;
  result.directive = takes_a_file(flag) ? Directive::Default : Directive::NoFileComp;
  for (Candidate& candidate : fixed_values(command, flag)) {
    if (candidate.value.starts_with(prefix)) result.candidates.push_back(std::move(candidate));
  }
  return result;
}

/// The command on the line; explain where none is, as everywhere.
std::string command_on(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    for (const CommandInfo& command : command_infos()) {
      if (words[i] == command.name) return command.name;
    }
  }
  return "explain";
}

bool has_command(const std::vector<std::string>& words) {
  return std::ranges::any_of(words.begin(), words.end() - 1, [](const std::string& word) {
    return std::ranges::any_of(command_infos(),
                               [&](const auto& command) { return command.name == word; });
  });
}

/// The flag that the word before the cursor is, if the cursor stands at its value.
const FlagInfo* flag_awaiting_value(const std::vector<FlagInfo>& flags,
                                    const std::vector<std::string>& words) {
  if (words.size() < 2) return nullptr;
  const std::string& before = words[words.size() - 2];
  const auto at = std::ranges::find_if(flags, [&](const FlagInfo& flag) {
    const bool is_long = before == "--" + flag.shape.name;
    const bool is_short = flag.shape.shorthand != 0 && before.size() == 2 && before[0] == '-' &&
                          before[1] == flag.shape.shorthand;
    return flag.shape.takes_value && (is_long || is_short);
  });
  return at == flags.end() ? nullptr : &*at;
}

Completion complete_flag(const std::vector<FlagInfo>& flags, const std::string& command,
                         const std::vector<std::string>& words) {
  const std::string& current = words.back();
  if (const std::size_t equals = current.find('='); equals != std::string::npos) {
    const std::size_t dashes = std::min(current.find_first_not_of('-'), equals);
    return values_of(command, current.substr(dashes, equals - dashes),
                     std::string_view(current).substr(equals + 1));
  }
  Completion result;
  for (const FlagInfo& flag : flags) {
    const std::string name = "--" + flag.shape.name;
    const bool used = std::ranges::any_of(words.begin(), words.end() - 1, [&](const auto& word) {
      return word == name || word.starts_with(name + "=");
    });
    if (name.starts_with(current) && (!used || flag.repeatable) && flag.shape.name != "help") {
      result.candidates.push_back({name, flag.description});
    }
  }
  return result;
}

}  // namespace

Completion complete(const std::vector<std::string>& words) {
  const std::string command = command_on(words);
  const auto flags = flag_infos(command);
  if (const FlagInfo* flag = flag_awaiting_value(flags, words)) {
    return values_of(command, flag->shape.name, words.back());
  }
  const std::string& current = words.back();
  if (current.starts_with('-')) return complete_flag(flags, command, words);
  Completion result;
  if (command == "completion") {
    for (const char* shell : {"bash", "fish", "zsh"}) {
      if (std::string_view(shell).starts_with(current)) result.candidates.push_back({shell, ""});
    }
  } else if (!has_command(words)) {
    for (const CommandInfo& info : command_infos()) {
      if (info.name.starts_with(current)) {
        result.candidates.push_back({info.name, info.description});
      }
    }
  }
  return result;
}

std::string completion_lines(const Completion& completion, bool descriptions) {
  std::string result;
  for (const Candidate& candidate : completion.candidates) {
    result += candidate.value;
    if (descriptions && !candidate.description.empty()) result += "\t" + candidate.description;
    result += "\n";
  }
  return result + fmt::format(":{}\n", static_cast<int>(completion.directive));
}

}  // namespace dsdoctor::cmd
