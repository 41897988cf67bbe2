// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/printable.h"
#include "base/time.h"
#include "commands/commands.h"
#include "commands/saved_snapshot.h"
#include "diagnosis/views/daemon_set_comparison.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_history.h"
#include "diagnosis/views/two_inputs.h"
#include "live/watch.h"
#include "question/printing.h"
#include "question/selection.h"
#include "render/document/reports.h"
#include "render/terminal/texts.h"
#include "source/capture_time.h"

namespace dsdoctor::cmd {
namespace {

using Names = std::set<std::string_view>;

bool compares_nodes(const DiffNodesOptions& options) {
  const std::vector<ObjectName>& names = options.scope.names;
  return !names.empty() && names.front().type == ObjectType::Node;
}

ExitCode compare(const DiffNodesOptions& options, const Question& question, Context& ctx) {
  const auto first = find_node(question.snapshot, options.scope.names[0].name);
  if (!first) return fail(ctx, first.error());
  const auto second = find_node(question.snapshot, options.scope.names[1].name);
  if (!second) return fail(ctx, second.error());
  const auto comparison =
      diagnosis::compare_nodes(*question.reporter, question.daemon_sets, **first, **second);
  const render::Presentation style = style_for(question, options.print, ctx);
  Forms forms;
  forms.text = [&] {
    return render::comparison_text(comparison, question.snapshot.omissions, style);
  };
  forms.json = [&] { return render::to_json(comparison, question.envelope()); };
  forms.names = [&] { return daemon_set_names(question.choice.ns, comparison.daemon_sets); };
  forms.document = [&] {
    return render::comparison_document(comparison, question.envelope(), style);
  };
  print(question, options.print.format, forms, style, ctx);
  if (const auto none = no_daemon_set_read(question)) return fail(ctx, *none);
  return comparison.empty() ? ExitCode::Clean : ExitCode::Findings;
}

/// The error if one of the two names exists in several namespaces.
base::Error more_than_two(const std::vector<const model::DaemonSet*>& found) {
  base::Error error = base::usage_error(fmt::format(
      "two DaemonSets are compared, but {} have these names: choose a namespace with -n",
      found.size()));
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < std::min(found.size(), most); ++i) {
    error.hints.push_back(base::printable_line(
        fmt::format("{}/{}", found[i]->meta.ns.view(), found[i]->meta.name.view())));
  }
  return error;
}

ExitCode compare_daemon_sets(const DiffNodesOptions& options, const Question& question,
                             Context& ctx) {
  const auto& daemon_sets = question.daemon_sets;
  if (daemon_sets.size() > 2) return fail(ctx, more_than_two(daemon_sets));
  const bool same = options.scope.names[0].name == options.scope.names[1].name;
  if (daemon_sets.empty() || (daemon_sets.size() == 1 && !same))
    return ExitCode::Clean;  // a name was not found, with --ignore-not-found
  const auto comparison = diagnosis::compare_daemon_sets(*question.reporter, *daemon_sets.front(),
                                                         *daemon_sets.back(), question.selects);
  const source::Snapshot& snapshot = question.snapshot;
  const render::Presentation style = style_for(question, options.print, ctx);
  Forms forms;
  forms.text = [&] {
    return render::comparison_text(comparison, snapshot.info, snapshot.omissions, style);
  };
  forms.json = [&] { return render::to_json(comparison, question.envelope()); };
  forms.names = [&] {
    std::vector<std::string_view> names;
    for (const auto& node : comparison.nodes) names.push_back(node.first.name);
    return name_lines("node", names);
  };
  forms.document = [&] {
    return render::comparison_document(comparison, question.envelope(), style);
  };
  print(question, options.print.format, forms, style, ctx);
  if (!comparison.nodes.empty()) return ExitCode::Findings;
  return snapshot.cluster.nodes_known ? ExitCode::Clean : ExitCode::Failed;
}

/// Evaluates the same DaemonSets in the files of --since.
base::Result<std::unique_ptr<const Question>> ask_then(const DiffNodesOptions& options,
                                                       const Question& question, Context& ctx) {
  const std::string& ns = question.choice.ns;
  AnswerOptions then = options;
  then.input.source.files = options.since;
  then.input.source.demo = false;
  then.input.source.connection = {};  // a file does not need a connection
  then.input.source.connection.ns = ns;
  then.input.source.connection.all_namespaces = ns.empty();
  then.input.now = {};       // the time of the answer, not of the earlier state
  then.scope.nodes.clear();  // current nodes may be missing in the file
  then.scope.node_selector = {};
  then.scope.ignore_not_found = true;
  return ask(then, {}, options.print.format, ctx);
}

/// The name of an input in errors.
std::string input_name(const model::SourceInfo& source) {
  if (source.kind == "cluster") return "the cluster of context " + source.context;
  if (source.kind == "demo") return "--demo";
  return fmt::format("{}", fmt::join(source.paths, ", "));
}

std::optional<base::Error> of_two_clusters(const Question& then, const Question& now) {
  const auto sign = diagnosis::sign_of_two_clusters(then.snapshot.cluster, now.snapshot.cluster);
  if (!sign) return {};
  return base::Error{base::ErrorKind::Malformed, input_name(then.snapshot.info),
                     fmt::format("{} has another UID than in {}: these are two clusters; --since "
                                 "takes an earlier state of the same cluster",
                                 *sign, input_name(now.snapshot.info))};
}

/// Whether all objects of the input were read, not only the needed ones of a cluster.
bool is_read_in_full(const model::SourceInfo& source) {
  return source.kind != "cluster" && source.saved_from != "cluster";
}

/// The time of the state; absent if it is unknown.
model::OptionalTime time_of(const Question& question, const Context& ctx) {
  const model::SourceInfo& source = question.snapshot.info;
  if (source.kind != "files" || source.as_of) return source.moment();
  return source::newest_time_of(question.snapshot.cluster, ctx.now());
}

/// The envelope of the earlier state, with its time, even if that is close to the present.
render::Envelope earlier_envelope(const Question& then, const Question& now, Context& ctx) {
  render::Envelope result = then.envelope();
  const auto first = time_of(then, ctx);
  const auto second = time_of(now, ctx);
  if (result.source.kind == "files") result.source.as_of = first;
  const bool is_live = now.snapshot.info.kind == "cluster";  // then only a clock is wrong
  if (!is_live && first && second && *first > *second) {
    warn(ctx, {fmt::format("--since {} is of {}, later than the input it is compared with ({})",
                           input_name(then.snapshot.info), base::utc_text(*first),
                           base::utc_text(*second))});
  }
  return result;
}

ExitCode compare_since(const DiffNodesOptions& options, const Question& question, Context& ctx) {
  const auto asked = ask_then(options, question, ctx);
  if (!asked) return fail(ctx, asked.error());
  const Question& then = **asked;
  if (const auto error = of_two_clusters(then, question)) return fail(ctx, *error);
  const auto history = diagnosis::node_history(
      {*then.reporter, then.daemon_sets, is_read_in_full(then.snapshot.info)},
      {*question.reporter, question.daemon_sets, is_read_in_full(question.snapshot.info)},
      question.selects);
  const auto& nodes = question.snapshot.cluster.nodes;
  if (!question.selects && !nodes.empty() && history.comparable && history.compared_nodes == 0) {
    warn(ctx, {fmt::format("no node is in both {} and {}: these may be two clusters",
                           input_name(then.snapshot.info), input_name(question.snapshot.info))});
  }
  const render::Envelope before = earlier_envelope(then, question, ctx);
  const render::Envelope now = question.envelope();
  const render::Presentation style = style_for(question, options.print, ctx);
  Forms forms;
  forms.text = [&] { return render::history_text(history, before, now, style); };
  forms.json = [&] { return render::to_json(history, before, now); };
  forms.names = [&] {
    Names names;
    for (const auto& change : history.nodes) names.insert(change.name);
    for (const auto& flip : history.flips) names.insert(flip.node);
    return name_lines("node", names);
  };
  forms.document = [&] { return render::history_document(history, before, now, style); };
  print(question, options.print.format, forms, style, ctx);
  const bool lacks_named = !options.scope.names.empty() && !history.only_now.empty();
  if (!history.comparable || lacks_named) return finish(question, ctx, ExitCode::Failed);
  if (!history.empty()) return finish(question, ctx, ExitCode::Findings);
  return finish(question, ctx, history.verdicts_comparable ? ExitCode::Clean : ExitCode::Failed);
}

ExitCode show_differences(const DiffNodesOptions& options, const Question& question, Context& ctx) {
  const fixes::Explanation explanation =
      explanation_of(question, {.ignored = options.ignored}, ctx,
                     {.format = options.print.format,
                      .every_node = !options.scope.nodes.empty(),
                      .selection = {.problems = fixes::Selection::Problems::OfDifferences}});
  const auto diffs = fixes::placement_diffs(explanation);
  const source::Snapshot& snapshot = question.snapshot;
  const render::Presentation style = style_for(question, options.print, ctx);
  say_nothing_found(question, options.print.format, style, ctx);
  Forms forms;
  forms.text = [&] {
    return diffs.empty()
               ? std::string()
               : render::diff_text(explanation, diffs, snapshot.info, snapshot.omissions, style);
  };
  forms.json = [&] { return render::to_json(explanation, diffs, question.envelope(), style); };
  forms.names = [&] {
    Names names;
    for (const auto& diff : diffs) {
      for (const auto& node : diff.missing) names.insert(node.name);
      for (const auto& node : diff.unexpected) names.insert(node.name);
    }
    return name_lines("node", names);
  };
  forms.document = [&] {
    return render::diff_document(explanation, diffs, question.envelope(), style);
  };
  print(question, options.print.format, forms, style, ctx);
  if (const auto none = no_daemon_set_read(question)) return fail(ctx, *none);
  if (std::ranges::any_of(diffs, diagnosis::differs)) {
    return finish(question, ctx, ExitCode::Findings);
  }
  const bool comparable = snapshot.cluster.nodes_known &&
                          std::ranges::all_of(explanation.daemon_sets, [](const auto& answer) {
                            return answer.report.covered;
                          });
  const bool answered = (comparable || diffs.empty()) && !question.ns_unread;
  return finish(question, ctx, answered ? ExitCode::Clean : ExitCode::Failed);
}

/// The answer that stays current, or that is waited for.
ExitCode run_live(const DiffNodesOptions& options, Context& ctx) {
  LiveCommand command{.asked = options,
                      .print = options.print,
                      .watch = options.watch,
                      .attention = {.ignored = options.ignored},
                      .answer = nullptr,
                      .calm = "no missing or unexpected pods",
                      .save = save_here};
  command.answer = [&](const Question& question, Context& each) {
    return base::Result<fixes::Explanation>(
        explanation_of(question, {.ignored = options.ignored}, each,
                       {.every_node = !options.scope.nodes.empty(),
                        .selection = {.problems = fixes::Selection::Problems::OfDifferences}}));
  };
  return watch(command, ctx);
}

}  // namespace

ExitCode run(const DiffNodesOptions& options, Context& ctx) {
  if (options.watch.is_set()) return run_live(options, ctx);
  const bool shows_causes = !options.between && !compares_nodes(options);
  const auto asked =
      ask(options, options.what_if, options.print.format, ctx, {.events = shows_causes});
  if (!asked) return fail(ctx, asked.error());
  const Question& question = **asked;
  if (!options.since.empty()) return compare_since(options, question, ctx);
  if (compares_nodes(options)) return compare(options, question, ctx);
  if (!options.between) return show_differences(options, question, ctx);
  // A single DaemonSet cannot be compared.
  if (!question.not_found.empty()) return finish(question, ctx, ExitCode::Failed);
  return compare_daemon_sets(options, question, ctx);
}

}  // namespace dsdoctor::cmd
