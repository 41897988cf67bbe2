#pragma once

#include "line/options.h"
#include "question/context.h"

/// One function a command; each in a file of its name.
namespace dsdoctor::cmd {

ExitCode run(const ExplainOptions& options, Context& ctx);
ExitCode run(const DiffNodesOptions& options, Context& ctx);
ExitCode run(const SuggestOptions& options, Context& ctx);
ExitCode run(const CheckOptions& options, Context& ctx);
ExitCode run(const FindingsOptions& options, Context& ctx);
ExitCode run(const TaintsOptions& options, Context& ctx);
ExitCode run(const SnapshotOptions& options, Context& ctx);
ExitCode run(const VersionOptions& options, Context& ctx);
ExitCode run(const CompletionOptions& options, Context& ctx);
ExitCode run(const ShowText& text, Context& ctx);

/// Parses and runs: the whole program but for the process around it. `words` are those behind the
/// program's name.
ExitCode run(const std::vector<std::string>& words, Context& ctx);

}  // namespace dsdoctor::cmd
