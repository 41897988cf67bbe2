// SPDX-License-Identifier: Apache-2.0
#include "line/invocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/edit_distance.h"
#include "base/shell_word.h"
#include "line/commands_of_line.h"
#include "line/formats.h"
#include "line/help.h"

namespace dsdoctor::cmd {
namespace {

/// The line without its output format, for the user to copy.
std::string without_output(const Command& command, const std::vector<std::string>& arguments,
                           const std::vector<GivenFlag>& flags, const std::string& program) {
  std::string line = fmt::format("{} {}", program, command.name);
  for (const std::string& argument : arguments) line += " " + base::shell_word(argument);
  for (const GivenFlag& flag : flags) {
    if (flag.name != "output") line += " " + base::shell_word(flag.word);
  }
  return line;
}

/// The flags that are allowed before the command; none if the line begins with the command.
Flags flags_before_command(const std::vector<std::string>& words, Raw& raw) {
  if (words.empty() || !words.front().starts_with('-')) return {};
  Flags flags = flags_of_all(raw);
  add_switch(flags.add_app(), "--version", raw.version, "");
  return flags;
}

base::Error with_see_line(base::Error error, const std::string& program) {
  error.hints.push_back(fmt::format("See '{} --help' for usage.", program));
  return error;
}

base::Error unknown_command(const std::string& word, const std::string& program) {
  base::Error error =
      base::usage_error(fmt::format("unknown command \"{}\" for \"{}\"", word, program));
  std::vector<std::string> names;
  for (const CommandInfo& command : command_infos()) names.push_back(command.name);
  const auto near_names = base::near_words(word, names);
  for (const std::string& near : near_names) {
    error.hints.push_back(fmt::format("did you mean: {} {}", program, near));
  }
  if (near_names.empty()) {
    error.hints.push_back(
        fmt::format("for a DaemonSet: {} explain {}", program, base::shell_word(word)));
  }
  return with_see_line(std::move(error), program);
}

Invocation help_of_program(const std::string& program) {
  return ShowText{program_help(program, command_infos())};
}
Invocation help_of(const Command& command, const std::string& program) {
  Raw defaults;
  return ShowText{command_help(command, flags_of(command, defaults), program)};
}
Invocation help_of_connection(const std::string& program) {
  Raw defaults;
  return ShowText{connection_help(flags_of(*find_command("explain"), defaults), program)};
}

/// Reads the words after `help`; flags are skipped.
base::Result<Invocation> help_about(WordReader& reader, const std::string& program) {
  auto topic = reader.next_argument({});
  while (!topic) topic = reader.next_argument({});
  if (*topic == nullptr || **topic == "help") return help_of_program(program);
  if (const Command* command = find_command(**topic)) return help_of(*command, program);
  if (**topic == "options") return help_of_connection(program);
  return with_see_line(base::usage_error(fmt::format("unknown help topic \"{}\"", **topic)),
                       program);
}

/// Reads the words after `options`.
base::Result<Invocation> options_command(WordReader& reader, Raw& raw, const std::string& program) {
  std::vector<std::string> arguments;
  const base::Status status = reader.read_rest(flags_of_all(raw), arguments);
  if (!status) return with_see_line(status.error(), program);
  if (arguments.empty()) return help_of_connection(program);
  return with_see_line(base::usage_error("options takes no arguments"), program);
}

/// Whether the word is TYPE/NAME, or a TYPE to be followed by names.
bool names_objects(const std::string& word) {
  return word.find('/') != std::string::npos || object_type(word).has_value();
}

}  // namespace

base::Result<Invocation> parse_invocation(const std::vector<std::string>& words,
                                          const std::string& program) {
  Raw raw;
  WordReader reader(words);
  const auto first = reader.next_argument(flags_before_command(words, raw));
  const std::string* const word = first ? *first : nullptr;
  if (raw.help && word == nullptr) {
    if (!first) return with_see_line(first.error(), program);
    return help_of_program(program);
  }
  if (raw.version) return Invocation(VersionOptions{});
  if (word != nullptr && *word == "help") return help_about(reader, program);
  if (word != nullptr && *word == "options") return options_command(reader, raw, program);
  std::vector<std::string> arguments;
  const Command* command = word == nullptr ? nullptr : find_command(*word);
  if (command == nullptr) {
    command = find_command("explain");
    if (word != nullptr && !names_objects(*word)) return unknown_command(*word, program);
    if (word != nullptr) arguments.push_back(*word);
  }
  const Flags flags = flags_of(*command, raw);
  base::Status status = reader.check(flags);
  if (status && !first) status = first.error();
  if (status) status = reader.read_rest(flags, arguments);
  if (!status) {
    return with_see_line(status.error(), fmt::format("{} {}", program, command->name));
  }
  if (raw.help) return help_of(*command, program);
  const std::string line = without_output(*command, arguments, reader.given(), program);
  if (auto refused = refused_template(raw.output, line)) return std::move(*refused);
  return command->make(raw, arguments, program);
}

std::vector<CommandInfo> command_infos() {
  std::vector<CommandInfo> result;
  for (const Command& command : commands()) {
    result.push_back({std::string(command.name), std::string(command.summary)});
  }
  result.push_back({"options", "List the connection options"});
  return result;
}

}  // namespace dsdoctor::cmd
