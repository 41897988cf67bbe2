// SPDX-License-Identifier: Apache-2.0
#include "line/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "line/flags.h"
#include "render/words/style.h"
#include "source/file_source.h"

namespace dsdoctor::cmd {
namespace {

std::string default_of(const CLI::Option& flag) {
  if (is_switch(flag)) return "false";
  if (is_list(flag)) return "[]";
  const std::string value = flag.get_default_str();
  return is_number(flag) ? value : fmt::format("'{}'", value);
}

bool is_connection(const CLI::Option* flag) { return flag->get_group() == connection_group; }

/// The flags of a group, by name.
std::string flag_list(const Flags& flags, std::string_view group) {
  std::string result;
  for (const CLI::Option* flag : flags.all()) {
    if (name_of(*flag) == "help" || flag->get_group() != group) continue;
    result += fmt::format("    {}={}:\n        {}\n", shown_names(*flag), default_of(*flag),
                          flag->get_description());
  }
  return result;
}

/// Replaces `{}` in a text by the program's name.
std::string named(std::string text, const std::string& program) {
  for (std::size_t at = text.find("{}"); at != text.npos; at = text.find("{}", at)) {
    text.replace(at, 2, program);
    at += program.size();
  }
  return text;
}

}  // namespace

std::string wrapped_help(const std::string& text, std::size_t width) {
  constexpr std::size_t steps[] = {120, 100, 80};
  const auto* const step =
      std::ranges::find_if(steps, [&](std::size_t columns) { return columns <= width; });
  if (step == std::end(steps)) return text;
  constexpr std::size_t description_indent = 8;  // of an option
  render::Style style;
  style.width = *step;
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool prose = indent == 0 || indent == description_indent;
    if (line.size() <= *step || !prose) {
      result += line + "\n";
      continue;
    }
    std::istringstream pieces(
        render::wrapped(style, indent, std::string_view(line).substr(indent)));
    bool first = true;
    for (std::string piece; std::getline(pieces, piece);) {
      // Continued lines have the same indentation.
      result += piece.substr(first ? 0 : 2) + "\n";
      first = false;
    }
  }
  return result;
}

std::string command_help(const CommandText& command, const Flags& flags,
                         const std::string& program) {
  std::string result = fmt::format("{}\n\nExamples:\n{}", command.description,
                                   named(std::string(command.examples), program));
  for (const std::string_view group : flag_groups) {
    if (group == connection_group) continue;
    const std::string options = flag_list(flags, group);
    if (!options.empty()) result += fmt::format("\n{}:\n{}", group, options);
  }
  result += fmt::format("\nUsage:\n  {} {}\n", program, command.usage);
  if (std::ranges::any_of(flags.all(), is_connection)) {
    result += fmt::format("\nUse \"{} options\" for a list of connection options.\n", program);
  }
  return result;
}

std::string connection_help(const Flags& flags, const std::string& program) {
  return fmt::format(
      "The following options can be passed to any command that reads a cluster, as in "
      "kubectl:\n\n{}\nPut flags after the plugin name: {} explain -n logging\n",
      flag_list(flags, connection_group), program);
}

std::string program_help(const std::string& program, const std::vector<CommandInfo>& commands) {
  std::size_t width = 0;
  for (const CommandInfo& command : commands) width = std::max(width, command.name.size());
  std::string list;
  for (const CommandInfo& command : commands) {
    list += fmt::format("  {:<{}}   {}\n", command.name, width, command.description);
  }
  return named(
             R"(Explain why a DaemonSet has or does not have a pod on each node, and how to fix it.

Evaluates taints, tolerations, selectors and affinity as the DaemonSet controller does.
Read-only: patches are printed, never applied.

Examples:
  # An example, without a cluster
  {} explain datadog-agent --demo

  # Why does this DaemonSet not run on every node?
  {} explain datadog-agent -n datadog

  # Which nodes have a missing or an unexpected pod?
  {} diff-nodes -A

  # The same from a file; a snapshot has everything that answers use
  {} snapshot cluster.json.zst
  {} diff-nodes -A -f cluster.json.zst

  # The same from the output of kubectl
  )" + std::string(source::list_command) +
                 R"( |
    {} diff-nodes -A -f -

Available Commands:
)",
             program) +
         list +
         named(R"(
Usage:
  {} [command] [options]
  {} [TYPE/NAME... | TYPE NAME...] [options]

Without a command: explain the given objects, or the current namespace.
Use "{} <command> --help" for more about a command.
)",
               program);
}

}  // namespace dsdoctor::cmd
