// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "decode/objects/user_config.h"
#include "diagnosis/problems/problem.h"
#include "kube/os/environment.h"

/// Files that users keep at home. None of them ends a command.
namespace dsdoctor::cmd {

/// Returns the path of the file `name`: in dsdoctor below XDG_CONFIG_HOME, or below ~/.config.
/// Empty without a home.
[[nodiscard]] std::string user_file(const kube::Environment& environment, std::string_view name);

/// Reads the user's config.yaml, once for each command. Errors in the file are warnings: one for an
/// unreadable file, one for each invalid part.
[[nodiscard]] decode::UserConfig user_config(const kube::Environment& environment,
                                             std::vector<std::string>& warnings);

/// Adds the patterns that the user's config.yaml ignores to `attention`. Errors: as user_config.
void add_user_config(const kube::Environment& environment, diagnosis::Attention& attention,
                     std::vector<std::string>& warnings);

}  // namespace dsdoctor::cmd
