// SPDX-License-Identifier: Apache-2.0
#include "commands/commands.h"
#include "commands/completion_scripts.h"

namespace dsdoctor::cmd {

ExitCode run(const CompletionOptions& options, Context& ctx) {
  ctx.out << (options.shell == "bash"   ? bash_completion()
              : options.shell == "zsh"  ? zsh_completion()
              : options.shell == "fish" ? fish_completion()
                                        : kubectl_completion());
  return ExitCode::Clean;
}

}  // namespace dsdoctor::cmd
