// SPDX-License-Identifier: Apache-2.0
#include "complete/completion_line.h"

#include <algorithm>
#include <utility>

#include "line/commands_of_line.h"
#include "line/invocation.h"

namespace dsdoctor::cmd {
namespace {

bool is_command(const std::string& word) {
  return std::ranges::any_of(command_infos(),
                             [&](const CommandInfo& command) { return command.name == word; });
}

}  // namespace

CompletionLine read_line(const std::vector<std::string>& words) {
  CompletionLine line;
  Raw raw;
  WordReader reader(words);
  // Without a command it is explain; a word like options has no flags.
  Flags flags = flags_of(*find_command("explain"), raw);
  while (true) {
    const auto word = reader.next_argument(flags);
    if (!word) continue;
    if (*word == nullptr) break;
    const bool topic = !line.arguments.empty() && line.arguments.front() == "help";
    if (!line.command.empty() || topic || !is_command(**word)) {
      line.arguments.push_back(**word);
      continue;
    }
    line.command = **word;
    if (const Command* command = find_command(**word)) flags = flags_of(*command, raw);
  }
  for (const GivenFlag& flag : reader.given()) line.flags.push_back(flag.name);
  line.source = std::move(raw.answer.input.source);
  line.awaiting = reader.awaiting();
  line.only_arguments = reader.only_arguments();
  return line;
}

}  // namespace dsdoctor::cmd
