// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "line/command_texts.h"
#include "line/flags.h"

namespace dsdoctor::cmd {

/// A command: its flags, its texts, and how its parsed flags become an invocation.
struct Command : CommandText {
  std::function<void(CLI::App&, Raw&)> add_flags;
  std::function<base::Result<Invocation>(Raw&, const std::vector<std::string>&, const std::string&)>
      make;
};

/// In the order of help.
[[nodiscard]] const std::vector<Command>& commands();
/// Null where there is none of that name.
[[nodiscard]] const Command* find_command(std::string_view name);

/// A parser of one command, with its flags declared; it fills `raw`, which must outlive it.
[[nodiscard]] std::unique_ptr<CLI::App> app_for(const Command& command, Raw& raw);

}  // namespace dsdoctor::cmd
