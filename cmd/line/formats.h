#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::cmd {

/// What `-o` of a command takes, the default first. Empty: the command has no such flag.
[[nodiscard]] const std::vector<std::string>& output_formats(std::string_view command);

}  // namespace dsdoctor::cmd
