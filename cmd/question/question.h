// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "diagnosis/reporter.h"
#include "fixes/explanation.h"
#include "fixes/what_if.h"
#include "line/options.h"
#include "question/context.h"
#include "question/read.h"
#include "redaction/redact.h"
#include "render/words/envelope.h"

namespace dsdoctor::cmd {

/// The data of one question, and the reporter that evaluates it. Not movable: the reporter refers
/// to it.
struct Question : Reading {
  explicit Question(Reading reading);

  std::unique_ptr<const diagnosis::Reporter> reporter;  // of snapshot.cluster; never null

  /// The data that every answer contains.
  [[nodiscard]] render::Envelope envelope() const;
};

/// Finding, severity, action and number of placements of each problem, sorted: equal for the same
/// problems with other names.
using ProblemKinds = std::vector<std::tuple<std::string, int, int, std::size_t>>;
[[nodiscard]] ProblemKinds problem_kinds(const fixes::Explanation& explanation);

/// Replaces identifying names in the whole snapshot: see redaction/redact.h. Returns the new ones.
redaction::Renamed redact(source::Snapshot& snapshot);

/// Opens the source, reads the requested objects and applies hypothetical changes. Prints warnings
/// about invalid input and, in formats for programs, about omissions.
/// With --redact, the names are replaced last, so the result refers to the new ones.
/// Errors: Usage if redaction would change the problems; as read(); NotFound if none of the names
/// exists, or for unknown nodes; the errors of taints files and manifests.
[[nodiscard]] base::Result<Reading> read_asked(const AnswerOptions& asked,
                                               const WhatIfOptions& what_if, OutputFormat format,
                                               Context& ctx, Reads reads = {});

/// The same about a source that is already open: `ns` and `names` as they were resolved.
[[nodiscard]] base::Result<Reading> read_from(source::ClusterSource& source, const std::string& ns,
                                              const AnswerOptions& asked, OutputFormat format,
                                              Context& ctx, Reads reads);

/// The same with the reporter. Never null.
[[nodiscard]] base::Result<std::unique_ptr<const Question>> ask(const AnswerOptions& asked,
                                                                const WhatIfOptions& what_if,
                                                                OutputFormat format, Context& ctx,
                                                                Reads reads = {});

/// The parts of the answer to generate.
struct Shown {
  OutputFormat format = OutputFormat::Table;
  bool timeline = false;            // --timeline
  bool every_node = false;          // every node was named; each has a timeline
  bool by_class = false;            // classes of nodes are shown, without timelines
  fixes::Selection selection = {};  // without `selects`: the question's
  bool groups = false;
  bool suggestions = false;
};

/// Explains the selected DaemonSets except for the problems that flags and the user's own file
/// ignore, with timelines if the format shows them: formats for programs always, others with
/// --timeline or -o wide. Prints the errors of the user's own file.
[[nodiscard]] fixes::Explanation explanation_of(const Question& question,
                                                diagnosis::Attention attention, Context& ctx,
                                                const Shown& shown);

/// Prints the omissions on stderr, a line each, for answers in formats for programs.
void say_omissions(const Reading& reading, Context& ctx);

/// Prints "No resources found in X namespace." on stderr, in formats for people.
void say_nothing_found(const Question& question, OutputFormat format,
                       const render::Presentation& style, Context& ctx);

/// The error if the input has no list of DaemonSets and the answer is about them: then an empty
/// answer would be wrong.
[[nodiscard]] std::optional<base::Error> no_daemon_set_read(const Question& question);

/// Prints the names that were not found.
/// Returns Failed if there are any, else `otherwise`.
ExitCode finish(const Reading& reading, Context& ctx, ExitCode otherwise);

}  // namespace dsdoctor::cmd
