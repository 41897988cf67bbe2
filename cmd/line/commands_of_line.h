// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "line/command_texts.h"
#include "line/flags.h"

namespace dsdoctor::cmd {

/// A command: its flags, its texts, and the function that makes an invocation of the parsed flags.
struct Command : CommandText {
  void (*add_flags)(CLI::App&, Raw&) = nullptr;
  base::Result<Invocation> (*make)(Raw&, const std::vector<std::string>& arguments,
                                   const std::string& program) = nullptr;
};

/// The invocations of commands that read no cluster.
[[nodiscard]] base::Result<Invocation> make_findings(Raw& raw,
                                                     const std::vector<std::string>& arguments,
                                                     const std::string& program);
[[nodiscard]] base::Result<Invocation> make_rbac(Raw& raw,
                                                 const std::vector<std::string>& arguments,
                                                 const std::string& program);
[[nodiscard]] base::Result<Invocation> make_version(Raw& raw,
                                                    const std::vector<std::string>& arguments,
                                                    const std::string& program);
[[nodiscard]] base::Result<Invocation> make_completion(Raw& raw,
                                                       const std::vector<std::string>& arguments,
                                                       const std::string& program);

/// The commands that read a cluster: those that need permissions.
[[nodiscard]] const std::vector<std::string>& commands_of_cluster();

/// In the order of help.
[[nodiscard]] const std::vector<Command>& commands();
/// Null if there is no command of that name.
[[nodiscard]] const Command* find_command(std::string_view name);

/// Declares the flags of a command. They set `raw`, which must outlive them.
[[nodiscard]] Flags flags_of(const Command& command, Raw& raw);
/// Declares the flags of all commands.
[[nodiscard]] Flags flags_of_all(Raw& raw);

}  // namespace dsdoctor::cmd
