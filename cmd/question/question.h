#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advice/explanation.h"
#include "advice/what_if.h"
#include "diagnosis/reporter.h"
#include "line/options.h"
#include "question/context.h"
#include "render/words/envelope.h"
#include "source/cluster_source.h"

namespace dsdoctor::cmd {

/// Everything that was read for one question, what it is about, and who judges it. It stays where
/// it was made: the reporter refers to it.
struct Question {
  source::Snapshot snapshot;
  std::string ns;                  // looked at; empty: all
  std::vector<ObjectName> names;   // asked for; the DaemonSet or node in place of what stood for it
  std::vector<std::string> nodes;  // as --node; that of the pod where one was asked for
  std::vector<const model::DaemonSet*> daemon_sets;  // into snapshot; those asked for
  std::vector<base::Error> not_found;                // names without a DaemonSet
  std::function<bool(const model::Node&)> selects;   // by --node and --node-selector; empty: all
  bool ns_unread = false;  // nothing was found in `ns`, and whether it exists could not be read
  std::unique_ptr<const diagnosis::TaintCatalogue> taints;  // where users have their own
  std::unique_ptr<diagnosis::Reporter> reporter;            // of snapshot.cluster; never null

  /// Set where something is taken as different: then `snapshot` is what would be.
  std::optional<advice::Changed> changed;

  /// What every answer says besides.
  [[nodiscard]] render::Envelope envelope() const;
};

/// What a command does not look at need not be read.
struct Reads {
  bool pods = true;
  bool revisions = true;
  bool everything = false;  // what any later question could need, not only what explains this one
  bool one_node = false;    // nothing but the node that is the only name
  bool follows = false;     // the only name may be a pod's or a node's
};

/// Reads the cluster and picks what the options ask for. Never null. Prints warnings about what was
/// read, and, for programs, what was not.
/// Errors: whatever the source says; NotFound when no name that was asked for exists, or no
/// DaemonSet controls the pod of that name; Usage for selectors, gates and changes that cannot be
/// parsed; what is wrong with a file of taints or a manifest.
[[nodiscard]] base::Result<std::unique_ptr<Question>> ask(const AnswerOptions& given, Context& ctx,
                                                          Reads reads = {});

/// What the answer shows.
struct Shown {
  bool every_node = false;           // single nodes were asked for; each has a timeline
  advice::Selection selection = {};  // without `selects`: the question's
  bool groups = false;
  bool suggestions = false;
};

/// Explains what is asked about, but for the problems that flags and the user's own file accept,
/// and with timelines where the answer is going to show them: to a program always, to a person with
/// --timeline or -o wide. Prints what is wrong with the user's own file.
[[nodiscard]] advice::Explanation explanation_of(const Question& question,
                                                 const AnswerOptions& options, Context& ctx,
                                                 const Shown& shown);

/// Of Question::ns_unread.
[[nodiscard]] std::string unread_namespace_text(std::string_view ns);

/// What could not be read, a line each on stderr: for answers that people do not read.
void say_omissions(const Question& question, Context& ctx);

/// "No resources found in X namespace." on stderr, for the formats that people read.
void say_nothing_found(const AnswerOptions& options, const Question& question, Context& ctx);

/// That the input has no list of DaemonSets, where the answer is about them: none is no answer
/// then.
[[nodiscard]] std::optional<base::Error> no_daemon_set_read(const Question& question,
                                                            const AnswerOptions& options);

/// Prints the names that were not found.
/// Returns Failed if there are any, else `otherwise`.
ExitCode finish(const Question& question, Context& ctx, ExitCode otherwise);

}  // namespace dsdoctor::cmd
