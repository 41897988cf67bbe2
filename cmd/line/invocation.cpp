// SPDX-License-Identifier: Apache-2.0
#include "line/invocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/edit_distance.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "diagnosis/views/alert.h"
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
  return base::usage_error(fmt::format("unknown command \"{}\" for \"{}\"", word, program));
}

/// The error for a word that is nearly a command; absent for other words.
std::optional<base::Error> misspelled_command(const std::string& word, const std::string& program) {
  std::vector<std::string> names;
  for (const CommandInfo& command : command_infos()) names.push_back(command.name);
  const auto near_names = base::near_words(word, names);
  if (near_names.empty()) return std::nullopt;
  base::Error error = unknown_command(word, program);
  for (const std::string& near : near_names) {
    error.hints.push_back(fmt::format("did you mean: {} {}", program, near));
  }
  error.hints.push_back(
      fmt::format("for a DaemonSet: {} explain {}", program, base::shell_word(word)));
  return with_see_line(std::move(error), program);
}

/// A command of kubectl that users try here, and the command of this program to use instead.
struct VerbOfKubectl {
  std::string_view verb;
  std::string_view command;  // empty: this program changes nothing
};
constexpr VerbOfKubectl verbs_of_kubectl[] = {{"get", "explain"},     {"describe", "explain"},
                                              {"list", "check"},      {"ls", "check"},
                                              {"status", "check"},    {"wait", "check"},
                                              {"events", "explain"},  {"diff", "diff-nodes"},
                                              {"rollout", "explain"}, {"logs", ""},
                                              {"exec", ""},           {"top", ""},
                                              {"debug", ""},          {"edit", "suggest"},
                                              {"apply", "suggest"},   {"patch", "suggest"},
                                              {"delete", "suggest"},  {"create", "suggest"},
                                              {"replace", "suggest"}, {"scale", "suggest"},
                                              {"label", "suggest"},   {"annotate", "suggest"},
                                              {"drain", "explain"},   {"cordon", "explain"},
                                              {"uncordon", "explain"}};

/// The error for a command of kubectl, with our command for the same arguments; absent for other
/// words. `word` is an element of `words`.
std::optional<base::Error> command_of_kubectl(const std::vector<std::string>& words,
                                              const std::string& word, const std::string& program) {
  const auto* const verb = std::ranges::find(verbs_of_kubectl, word, &VerbOfKubectl::verb);
  if (verb == std::end(verbs_of_kubectl)) return std::nullopt;
  base::Error error = unknown_command(word, program);
  std::string as_typed;
  std::string rest;  // without a type
  bool has_name = false;
  bool is_value = false;  // may be the value of the flag before it
  for (const std::string& each : words) {
    if (&each == &word) continue;
    const std::string quoted = " " + base::shell_word(each);
    as_typed += quoted;
    if (object_type(each) == ObjectType::DaemonSet) continue;
    rest += quoted;
    const bool is_flag = each.starts_with('-');
    has_name = has_name || (!is_flag && !is_value);
    is_value = is_flag && each.find('=') == std::string::npos;
  }
  if (verb->command.empty()) {
    error.hints.push_back(
        fmt::format("{0} is a command of kubectl: kubectl {0}{1}", word, as_typed));
    return with_see_line(std::move(error), program);
  }
  // A list without names is that of the problems.
  const std::string_view command =
      verb->verb == "get" && !has_name ? std::string_view("check") : verb->command;
  error.hints.push_back(fmt::format("did you mean: {} {}{}", program, command, rest));
  if (verb->command == "suggest") {
    error.hints.emplace_back("nothing is changed: it prints commands for kubectl");
  }
  return with_see_line(std::move(error), program);
}

/// The name of an alert about DaemonSets, in any case.
bool is_alert(const std::string& word) {
  return std::ranges::any_of(diagnosis::all_alerts, [&](const diagnosis::Alert alert) {
    return base::same_ignoring_case(word, to_string(alert));
  });
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

/// The command for the first word of a line; explain for a line without words. Another word than
/// a command asks about an alert, or is the first of `arguments`.
/// Errors: Usage, for a misspelled command or one of kubectl.
base::Result<const Command*> command_meant(const std::vector<std::string>& words,
                                           const std::string* word, const std::string& program,
                                           Raw& raw, std::vector<std::string>& arguments) {
  if (word == nullptr) return find_command("explain");
  if (const Command* command = find_command(*word)) return command;
  if (is_alert(*word)) {
    raw.alert = *word;
    return find_command("check");
  }
  if (!names_objects(*word)) {
    if (auto error = command_of_kubectl(words, *word, program)) return std::move(*error);
    if (auto error = misspelled_command(*word, program)) return std::move(*error);
  }
  arguments.push_back(*word);
  return find_command("explain");
}

/// Why a flag cannot have a default; empty if it can.
std::string_view refused_default(const CLI::Option* flag) {
  if (flag == nullptr) return "the command has no such flag";
  if (flag->get_group() == connection_group) return "the kubeconfig has the connection";
  return name_of(*flag) == "help" ? "a default would replace every answer" : "";
}

/// Sets the defaults of the command whose flags are not on the line.
void set_defaults(const Command& command, const std::vector<DefaultFlag>& defaults,
                  const Flags& flags, const WordReader& line, bool has_names,
                  std::vector<std::string>& warnings) {
  const auto is_given = [&](std::string_view name) {
    return std::ranges::find(line.given(), name, &GivenFlag::name) != line.given().end();
  };
  for (const DefaultFlag& each : defaults) {
    if (each.command != command.name) {
      if (find_command(each.command) == nullptr) {
        warnings.push_back(fmt::format("{}: there is no command {}", each.where, each.command));
      }
      continue;
    }
    const CLI::Option* const flag = flags.find("--" + each.flag);
    if (const std::string_view why = refused_default(flag); !why.empty()) {
      warnings.push_back(fmt::format("{}: {}: {}", each.where, each.flag, why));
      continue;
    }
    const bool is_scope = each.flag == "all-namespaces" || each.flag == "namespace";
    const bool has_scope = is_given("namespace") || is_given("all-namespaces") ||
                           (has_names && each.flag == "all-namespaces");
    if (is_given(each.flag) || (is_scope && has_scope)) continue;
    const std::vector<std::string> words = {fmt::format("--{}={}", each.flag, each.value)};
    std::vector<std::string> none;
    WordReader reader(words);
    if (const base::Status status = reader.read_rest(flags, none); !status) {
      warnings.push_back(fmt::format("{}: {}", each.where, status.error().what));
    }
  }
}

}  // namespace

base::Result<Invocation> parse_invocation(const std::vector<std::string>& words,
                                          const std::string& program) {
  std::vector<std::string> warnings;
  return parse_invocation(words, program, {}, warnings);
}

base::Result<Invocation> parse_invocation(const std::vector<std::string>& words,
                                          const std::string& program,
                                          const std::vector<DefaultFlag>& defaults,
                                          std::vector<std::string>& warnings) {
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
  const auto meant = command_meant(words, word, program, raw, arguments);
  if (!meant) return meant.error();
  const Command* const command = *meant;
  const Flags flags = flags_of(*command, raw);
  base::Status status = reader.check(flags);
  if (status && !first) status = first.error();
  if (status) status = reader.read_rest(flags, arguments);
  if (!status) {
    return with_see_line(status.error(), fmt::format("{} {}", program, command->name));
  }
  if (raw.help) return help_of(*command, program);
  set_defaults(*command, defaults, flags, reader, !arguments.empty(), warnings);
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
