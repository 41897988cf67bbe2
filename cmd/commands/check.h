// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "fixes/explanation.h"
#include "line/options.h"
#include "question/context.h"
#include "question/question.h"

namespace dsdoctor::cmd {

/// The answer of check about one cluster.
struct CheckAnswer {
  std::unique_ptr<const Question> question;  // never null
  fixes::Explanation explanation;
  std::optional<base::Error> none = {};  // that no DaemonSet was read
  bool answered = false;                 // enough was read to call it healthy
};

/// Reads the cluster or the files and explains the problems. Prints warnings.
/// Errors: as ask().
[[nodiscard]] base::Result<CheckAnswer> check_answer(const CheckOptions& options, Context& ctx);

/// Makes the answer of check to each state of a cluster that stays current. Keeps the references.
[[nodiscard]] std::function<base::Result<fixes::Explanation>(const Question&, Context&)>
live_answer(const AnswerOptions& asked, const diagnosis::Attention& attention);

void print(const CheckAnswer& answer, const CheckOptions& options, Context& ctx);

/// Prints why there is no answer or only a part of one, and saves --report. Returns the exit code.
[[nodiscard]] ExitCode finish(const CheckAnswer& answer, const CheckOptions& options, Context& ctx);

/// Several clusters: the inputs of --by-file, or those of --contexts. One answer by problem; in
/// formats for programs also an answer about each.
ExitCode check_fleet(const CheckOptions& options, Context& ctx);

}  // namespace dsdoctor::cmd
