// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "commands/answer_list.h"
#include "commands/commands.h"
#include "complete/complete.h"
#include "complete/completion_names.h"
#include "line/help.h"
#include "line/invocation.h"
#include "question/user_files.h"

namespace dsdoctor::cmd {

ExitCode run(const ShowText& text, Context& ctx) {
  ctx.out << wrapped_help(text.text, ctx.terminal_width);
  return ExitCode::Clean;
}

namespace {

/// Answers the same question about each input of -f.
template <typename Options>
ExitCode run_by_file(const Options& options, Context& ctx) {
  const AnswerTo answer = [&](const std::string& input, Context& each) {
    Options one = options;
    one.input.source.files = {input};
    one.input.source.by_file = false;
    return run(one, each);
  };
  return answer_by_file(options.input.source.files, options.print.format, answer, ctx);
}

/// The command of the shells' completion scripts, with the protocol of Cobra, which kubectl uses.
bool asks_for_completion(const std::vector<std::string>& words) {
  return !words.empty() && (words[0] == "__complete" || words[0] == "__completeNoDesc");
}

/// Completes nothing on any failure: a message would be printed into the prompt.
Completion completion_of(const std::vector<std::string>& words, Context& ctx) {
  try {
    SourceNames names(ctx);
    return complete(words, names);
  } catch (...) {
    return {};
  }
}

/// Always exits with 0: otherwise the shell offers files.
ExitCode run_completion(const std::vector<std::string>& words, Context& ctx) {
  Completion completion;
  if (words.size() > 1) completion = completion_of({words.begin() + 1, words.end()}, ctx);
  ctx.out << completion_lines(completion, words[0] == "__complete");
  ctx.err << completion_note(completion);
  return ExitCode::Clean;
}

}  // namespace

ExitCode run(const std::vector<std::string>& words, Context& ctx) {
  ctx.words = words;
  if (asks_for_completion(words)) return run_completion(words, ctx);
  std::vector<std::string> warnings;
  std::vector<DefaultFlag> defaults;
  std::vector<std::string> faults;
  for (const auto& each : user_config(ctx.environment, faults).defaults) {
    defaults.push_back({each.where, each.command, each.flag, each.value});
  }
  const auto invocation = parse_invocation(words, ctx.program, defaults, warnings);
  warn(ctx, warnings);
  if (!invocation) return fail(ctx, invocation.error());
  return std::visit(
      [&](const auto& options) {
        using Options = std::decay_t<decltype(options)>;
        // The other commands read the list of ignored problems, and report the file's faults then.
        if constexpr (std::is_same_v<Options, SuggestOptions> ||
                      std::is_same_v<Options, TaintsOptions> ||
                      std::is_same_v<Options, SnapshotOptions>) {
          warn(ctx, faults);
        }
        if constexpr (std::is_base_of_v<AnswerOptions, Options>) {
          const bool is_joined = std::is_same_v<Options, CheckOptions>;
          if (options.input.source.by_file && !is_joined) return run_by_file(options, ctx);
        }
        return run(options, ctx);
      },
      *invocation);
}

}  // namespace dsdoctor::cmd
