// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/command.h"
#include "base/edit_distance.h"
#include "base/printable.h"
#include "line/commands_of_line.h"
#include "line/formats.h"

namespace dsdoctor::cmd {

base::Result<Invocation> make_findings(Raw& raw, const std::vector<std::string>& arguments,
                                       const std::string&) {
  const auto format = parse_format(raw.output, "findings");
  if (!format) return format.error();
  const auto color = parse_color(raw.color);
  if (!color) return color.error();
  if (auto column = check_sort_by(raw.print.sort_by, "findings"); !column) return column.error();
  if (raw.whole && !arguments.empty()) {
    return base::usage_error("findings takes either a WORD or --all");
  }
  // A message such as "Too many pods" needs no quotes.
  return Invocation(FindingsOptions{fmt::format("{}", fmt::join(arguments, " ")),
                                    {{*format, *color}, raw.print.no_headers, raw.print.sort_by},
                                    raw.whole});
}

const std::vector<std::string>& commands_of_cluster() {
  static const std::vector<std::string> all = {"explain", "diff-nodes", "suggest", "check",
                                               "serve",   "taints",     "snapshot"};
  return all;
}

base::Result<Invocation> make_rbac(Raw& raw, const std::vector<std::string>& arguments,
                                   const std::string&) {
  for (const std::string& argument : arguments) {
    if (std::ranges::find(commands_of_cluster(), argument) != commands_of_cluster().end()) continue;
    base::Error error =
        base::usage_error(fmt::format("\"{}\" is not a command that reads a cluster: rbac takes {}",
                                      argument, fmt::join(commands_of_cluster(), ", ")));
    for (const std::string& near : base::near_words(argument, commands_of_cluster(), 1)) {
      error.hints.push_back(fmt::format("did you mean: rbac {}", near));
    }
    return error;
  }
  const auto format = parse_format(raw.output, "rbac");
  if (!format) return format.error();
  const std::string& ns = raw.answer.input.source.connection.ns;
  if (!ns.empty() && !base::is_name(base::NameKind::Label, ns)) {
    return base::usage_error(fmt::format("invalid namespace \"{}\"", base::printable_line(ns)));
  }
  const bool never_watches =
      !arguments.empty() && std::ranges::none_of(arguments, [](const std::string& command) {
        return command == "explain" || command == "check" || command == "diff-nodes" ||
               command == "serve";
      });
  if (raw.watch.watches && never_watches) {
    return base::usage_error("--watch is for check, explain, diff-nodes and serve");
  }
  const bool serves = std::ranges::find(arguments, "serve") != arguments.end();
  const bool watches = raw.watch.watches || serves;
  return Invocation(RbacOptions{arguments, ns, watches, *format});
}

base::Result<Invocation> make_version(Raw& raw, const std::vector<std::string>& arguments,
                                      const std::string&) {
  if (!arguments.empty()) return base::usage_error("version takes no arguments");
  auto format = parse_format(raw.output, "version");
  if (!format) return format.error();
  return Invocation(VersionOptions{*format});
}

base::Result<Invocation> make_completion(Raw&, const std::vector<std::string>& arguments,
                                         const std::string&) {
  const auto shells = completion_shells();
  if (arguments.size() != 1) {
    return base::usage_error(fmt::format("completion takes one of: {}", fmt::join(shells, ", ")));
  }
  const std::string& shell = arguments.front();
  if (std::ranges::find(shells, shell) == shells.end()) {
    return base::usage_error(
        fmt::format("unsupported shell \"{}\": must be one of {}", shell, fmt::join(shells, ", ")));
  }
  return Invocation(CompletionOptions{shell});
}

}  // namespace dsdoctor::cmd
