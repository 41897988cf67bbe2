// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "line/options.h"
#include "question/context.h"

/// One function per command, each in a file with its name.
namespace dsdoctor::cmd {

ExitCode run(const ExplainOptions& options, Context& ctx);
ExitCode run(const DiffNodesOptions& options, Context& ctx);
ExitCode run(const SuggestOptions& options, Context& ctx);
ExitCode run(const CheckOptions& options, Context& ctx);
ExitCode run(const ServeOptions& options, Context& ctx);
ExitCode run(const FindingsOptions& options, Context& ctx);
ExitCode run(const TaintsOptions& options, Context& ctx);
ExitCode run(const SnapshotOptions& options, Context& ctx);
ExitCode run(const RbacOptions& options, Context& ctx);
ExitCode run(const VersionOptions& options, Context& ctx);
ExitCode run(const CompletionOptions& options, Context& ctx);
ExitCode run(const ShowText& text, Context& ctx);

/// Parses and runs a command line: the whole program except the process setup. `words` are the
/// arguments after the program's name.
ExitCode run(const std::vector<std::string>& words, Context& ctx);

}  // namespace dsdoctor::cmd
