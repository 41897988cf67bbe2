#include "commands.h"
#include "complete.h"
#include "invocation.h"

namespace dsdoctor::cmd {

ExitCode run(const ShowText& text, Context& ctx) {
  ctx.out << text.text;
  return ExitCode::Clean;
}

ExitCode run(const std::vector<std::string>& words, Context& ctx) {
  // The shells' completion scripts ask this way; the protocol is Cobra's, as kubectl speaks it.
  if (words.size() > 1 && (words[0] == "__complete" || words[0] == "__completeNoDesc")) {
    ctx.out << completion_lines(complete({words.begin() + 1, words.end()}),
                                words[0] == "__complete");
    return ExitCode::Clean;
  }
  const auto invocation = parse_invocation(words, ctx.program);
  if (!invocation) return fail(ctx, invocation.error());
  return std::visit([&](const auto& options) { return run(options, ctx); }, *invocation);
}

}  // namespace dsdoctor::cmd
