#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/problems/problem.h"
#include "kube/os/environment.h"

/// What users keep at home. Nothing in it ends a command.
namespace dsdoctor::cmd {

/// Where the file `name` is: in dsdoctor below XDG_CONFIG_HOME, or below ~/.config. Empty without a
/// home.
[[nodiscard]] std::string user_file(const kube::Environment& environment, std::string_view name);

/// Adds what the user's config.yaml accepts to `attention`. What is wrong with the file is a
/// warning: one about a file that cannot be read, one about each part that says nothing.
void add_user_config(const kube::Environment& environment, diagnosis::Attention& attention,
                     std::vector<std::string>& warnings);

}  // namespace dsdoctor::cmd
