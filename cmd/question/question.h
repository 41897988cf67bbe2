#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diagnosis/reporter.h"
#include "fixes/explanation.h"
#include "fixes/what_if.h"
#include "line/options.h"
#include "question/context.h"
#include "question/read.h"
#include "render/words/envelope.h"

namespace dsdoctor::cmd {

/// The data of one question, and the reporter that evaluates it. Not movable: the reporter refers
/// to it.
struct Question : Reading {
  explicit Question(Reading reading);

  std::unique_ptr<const diagnosis::Reporter> reporter;  // of snapshot.cluster; never null

  /// What every answer says besides.
  [[nodiscard]] render::Envelope envelope() const;
};

/// Opens the source, reads what is asked for and puts what would be in its place. Prints warnings
/// about what was read, and, where programs read the answer, what was not.
/// Errors: as read(); NotFound when no name that was asked for exists, and for nodes that do not;
/// what is wrong with a file of taints or a manifest.
[[nodiscard]] base::Result<Reading> read_asked(const AnswerOptions& asked,
                                               const WhatIfOptions& what_if, OutputFormat format,
                                               Context& ctx, Reads reads = {});

/// The same with who judges it. Never null.
[[nodiscard]] base::Result<std::unique_ptr<const Question>> ask(const AnswerOptions& asked,
                                                                const WhatIfOptions& what_if,
                                                                OutputFormat format, Context& ctx,
                                                                Reads reads = {});

/// The parts of the answer to make.
struct Shown {
  OutputFormat format = OutputFormat::Table;
  bool timeline = false;            // --timeline
  bool every_node = false;          // single nodes were asked for; each has a timeline
  fixes::Selection selection = {};  // without `selects`: the question's
  bool groups = false;
  bool suggestions = false;
};

/// Explains what is asked about, but for the problems that flags and the user's own file accept,
/// and with timelines where the answer is going to show them: to a program always, to a person with
/// --timeline or -o wide. Prints what is wrong with the user's own file.
[[nodiscard]] fixes::Explanation explanation_of(const Question& question,
                                                diagnosis::Attention attention, Context& ctx,
                                                const Shown& shown);

/// What could not be read, a line each on stderr: for answers that people do not read.
void say_omissions(const Reading& reading, Context& ctx);

/// "No resources found in X namespace." on stderr, for the formats that people read.
void say_nothing_found(const Question& question, OutputFormat format,
                       const render::Presentation& style, Context& ctx);

/// That the input has no list of DaemonSets, where the answer is about them: none is no answer
/// then.
[[nodiscard]] std::optional<base::Error> no_daemon_set_read(const Question& question);

/// Prints the names that were not found.
/// Returns Failed if there are any, else `otherwise`.
ExitCode finish(const Reading& reading, Context& ctx, ExitCode otherwise);

}  // namespace dsdoctor::cmd
