// SPDX-License-Identifier: Apache-2.0
#include "line/invocation.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <utility>

#include "base/edit_distance.h"
#include "base/shell_word.h"
#include "line/commands_of_line.h"
#include "line/formats.h"
#include "line/help.h"
#include "line/words.h"

namespace dsdoctor::cmd {
namespace {

/// The line again without its output format, to be copied.
std::string without_output(const Command& command, const LineWords& words,
                           const std::string& program) {
  std::string line = fmt::format("{} {}", program, command.name);
  for (const std::string& argument : words.arguments) line += " " + base::shell_word(argument);
  bool value_of_output = false;  // an empty value is a word of its own
  for (const std::string& word : words.flags) {
    const bool skipped = std::exchange(value_of_output, word == "--output");
    if (skipped || word == "--output" || word.starts_with("--output=")) continue;
    const bool is_switch = word.starts_with("--") && word.ends_with("=true");
    line += " " + base::shell_word(is_switch ? word.substr(0, word.rfind('=')) : word);
  }
  return line;
}

base::Result<Invocation> parse_command(const Command& command,
                                       const std::vector<std::string>& words,
                                       const std::string& program) {
  Raw raw;
  const auto app = app_for(command, raw);
  auto read = read_words(words, shapes_of(*app));
  if (!read) {
    base::Error error = read.error();
    error.hints.push_back(fmt::format("See '{} {} --help' for usage.", program, command.name));
    return error;
  }
  try {
    // CLI11 takes the words from the back.
    std::vector<std::string> reversed(read->flags.rbegin(), read->flags.rend());
    app->parse(reversed);
  } catch (const CLI::ParseError& error) {
    return base::usage_error(error.what());
  }
  if (raw.help) {
    return Invocation(ShowText{
        command_help(*app, std::string(command.examples), std::string(command.usage), program)});
  }
  if (auto refused = refused_template(raw.output, without_output(command, *read, program))) {
    return std::move(*refused);
  }
  return command.make(raw, read->arguments, program);
}

/// Of all commands, each once: a flag may stand before the command.
std::vector<FlagShape> all_shapes() {
  std::vector<FlagShape> result;
  for (const Command& command : commands()) {
    Raw raw;
    for (FlagShape& shape : shapes_of(*app_for(command, raw))) {
      if (std::ranges::find(result, shape.name, &FlagShape::name) == result.end()) {
        result.push_back(std::move(shape));
      }
    }
  }
  return result;
}

/// The position of the first word that is no flag and no flag's value.
std::optional<std::size_t> command_position(const std::vector<std::string>& words) {
  // The flags of all commands take longer to collect than most answers about a small cluster.
  if (!words.empty() && !words.front().starts_with('-')) return 0;
  const auto shapes = all_shapes();
  for (std::size_t length = 1; length <= words.size(); ++length) {
    const std::vector<std::string> head(words.begin(), words.begin() + std::ptrdiff_t(length));
    const auto read = read_words(head, shapes);
    if (read && !read->arguments.empty()) return length - 1;
  }
  return std::nullopt;
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
  error.hints.push_back(fmt::format("See '{} --help' for usage.", program));
  return error;
}

base::Error with_see_line(base::Error error, const std::string& program) {
  error.hints.push_back(fmt::format("See '{} --help' for usage.", program));
  return error;
}

base::Result<Invocation> connection_options(const std::string& program) {
  Raw raw;
  return Invocation(ShowText{connection_help(*app_for(*find_command("explain"), raw), program)});
}

/// Behind the word `help`; its flags are no topics.
base::Result<Invocation> help_about(const std::vector<std::string>& words,
                                    const std::string& program) {
  const auto topic =
      std::ranges::find_if(words, [](const std::string& word) { return !word.starts_with('-'); });
  if (topic == words.end() || *topic == "help") {
    return Invocation(ShowText{program_help(program, command_infos())});
  }
  if (const Command* command = find_command(*topic)) {
    return parse_command(*command, {"--help"}, program);
  }
  if (*topic == "options") return connection_options(program);
  return with_see_line(base::usage_error(fmt::format("unknown help topic \"{}\"", *topic)),
                       program);
}

/// TYPE/NAME, or a TYPE that names follow: what kubectl's users type first.
bool names_objects(const std::string& word) {
  return word.find('/') != std::string::npos || object_type(word).has_value();
}

bool asks_for_help(const std::vector<std::string>& words) {
  return std::ranges::any_of(
      words, [](const std::string& word) { return word == "-h" || word == "--help"; });
}

}  // namespace

base::Result<Invocation> parse_invocation(const std::vector<std::string>& words,
                                          const std::string& program) {
  const auto position = command_position(words);
  if (!position) {
    if (asks_for_help(words)) {
      std::vector<std::string> flags = words;
      std::erase(flags, "--version");
      const auto read = read_words(flags, all_shapes());
      if (!read) return with_see_line(read.error(), program);
      return Invocation(ShowText{program_help(program, command_infos())});
    }
    if (std::ranges::find(words, "--version") != words.end()) {
      return Invocation(VersionOptions{});
    }
    return parse_command(*find_command("explain"), words, program);
  }
  const std::string& word = words[*position];
  std::vector<std::string> rest = words;
  rest.erase(rest.begin() + std::ptrdiff_t(*position));
  if (const Command* command = find_command(word)) return parse_command(*command, rest, program);
  if (word == "help") return help_about(rest, program);
  if (word == "options") {
    const auto read = read_words(rest, all_shapes());
    if (!read) return with_see_line(read.error(), program);
    if (!read->arguments.empty()) {
      return with_see_line(base::usage_error("options takes no arguments"), program);
    }
    return connection_options(program);
  }
  if (names_objects(word)) return parse_command(*find_command("explain"), words, program);
  return unknown_command(word, program);
}

SourceOptions lenient_source(const std::string& command,
                             const std::vector<std::vector<std::string>>& flags) {
  const auto parses = [&](const std::vector<std::string>& words, Raw& raw) {
    const auto app = app_for(*find_command(command), raw);
    const auto read = read_words(words, shapes_of(*app));
    if (!read) return false;
    try {
      app->parse(std::vector<std::string>(read->flags.rbegin(), read->flags.rend()));
    } catch (const CLI::ParseError&) {
      return false;
    }
    return true;
  };
  std::vector<std::string> sound;
  for (const auto& flag : flags) {
    Raw alone;
    if (parses(flag, alone)) sound.insert(sound.end(), flag.begin(), flag.end());
  }
  Raw raw;
  (void)parses(sound, raw);
  return std::move(raw.answer.input.source);
}

std::vector<FlagInfo> flag_infos(const std::string& command) {
  const Command* found = find_command(command);
  if (found == nullptr) return {};
  Raw raw;
  const auto app = app_for(*found, raw);
  std::vector<FlagInfo> result;
  for (const FlagShape& shape : shapes_of(*app)) {
    const CLI::Option* option = app->get_option("--" + shape.name);
    result.push_back({shape, option->get_description(), option->get_expected_max() > 1});
  }
  std::ranges::sort(result, {}, [](const FlagInfo& flag) { return flag.shape.name; });
  return result;
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
