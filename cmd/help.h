#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours to name
class App;
}

namespace dsdoctor::cmd {

struct CommandInfo;

/// Flags of this group are shown by `options`, not in every help text.
inline constexpr const char* connection_group = "Connection";

/// kubectl's layout: description, examples, options, usage, footer.
[[nodiscard]] std::string command_help(const CLI::App& command, const std::string& examples,
                                       const std::string& usage, const std::string& program);

/// The flags that reach a cluster, which every command shares.
[[nodiscard]] std::string connection_help(const CLI::App& command, const std::string& program);

/// What the program is and which commands it has.
[[nodiscard]] std::string program_help(const std::string& program,
                                       const std::vector<CommandInfo>& commands);

}  // namespace dsdoctor::cmd
