#include "commands.h"
#include "completion_scripts.h"

namespace dsdoctor::cmd {

ExitCode run(const CompletionOptions& options, Context& ctx) {
  ctx.out << (options.shell == "bash"  ? bash_completion()
              : options.shell == "zsh" ? zsh_completion()
                                       : fish_completion());
  return ExitCode::Clean;
}

}  // namespace dsdoctor::cmd
