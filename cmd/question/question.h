#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diagnosis/reporter.h"
#include "line/options.h"
#include "question/context.h"
#include "render/data/json.h"
#include "render/terminal/what_if_text.h"
#include "source/cluster_source.h"

namespace dsdoctor::cmd {

/// Everything that was read for one question, and what it is about.
struct Question {
  source::Snapshot snapshot;
  std::string ns;                                    // looked at; empty: all
  std::vector<const model::DaemonSet*> daemon_sets;  // into snapshot; those asked for
  std::vector<base::Error> not_found;                // names without a DaemonSet
  diagnosis::ReportOptions report;
  std::unique_ptr<const diagnosis::TaintCatalogue> taints;  // report's, where users have their own

  /// Set where something is taken as different: then `snapshot` is what would be.
  std::optional<render::Changed> changed;

  [[nodiscard]] render::Envelope envelope() const;
  /// What an answer for people begins with; empty where nothing is taken as different.
  [[nodiscard]] std::string preamble(const render::Style& style) const;
};

/// What a command does not look at need not be read.
struct Reads {
  bool pods = true;
  bool revisions = true;
  bool everything = false;  // what any later question could need, not only what explains this one
};

/// Reads the cluster and picks what the options ask for. Prints warnings about what was read, and,
/// for programs, what was not.
/// Errors: whatever the source says; NotFound when no name that was asked for exists; Usage for
/// selectors, gates and changes that cannot be parsed; what is wrong with a file of taints or a
/// manifest.
[[nodiscard]] base::Result<Question> ask(const AnswerOptions& options, Context& ctx,
                                         Reads reads = {});

/// The node of that name. Errors: NotFound, with near names.
[[nodiscard]] base::Result<const model::Node*> find_node(const Question& question,
                                                         const std::string& name);

/// What could not be read, a line each on stderr: for answers that people do not read.
void say_omissions(const Question& question, Context& ctx);

/// "No resources found in X namespace." on stderr, for the formats that people read.
void say_nothing_found(const AnswerOptions& options, const Question& question, Context& ctx);

/// Prints the names that were not found.
/// Returns Failed if there are any, else `otherwise`.
ExitCode finish(const Question& question, Context& ctx, ExitCode otherwise);

}  // namespace dsdoctor::cmd
