// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "line/options.h"
#include "question/context.h"

namespace dsdoctor::cmd {

/// Prints the answer about one input.
using AnswerTo = std::function<ExitCode(const std::string& input, Context& ctx)>;

/// Prints an answer for each input of `files` (see source::inputs_of), each under a heading; as
/// data, one document of kind AnswerList. Lines on stderr begin with the input in brackets.
/// Returns the highest exit code. `format` is text, Markdown, JSON or YAML.
ExitCode answer_by_file(const std::vector<std::string>& files, OutputFormat format,
                        const AnswerTo& answer, Context& ctx);

}  // namespace dsdoctor::cmd
