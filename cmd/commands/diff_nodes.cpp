#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "commands/commands.h"
#include "diagnosis/reporter.h"
#include "diagnosis/views/daemon_set_comparison.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_history.h"
#include "question/printing.h"
#include "question/question.h"
#include "render/document/reports.h"
#include "render/terminal/node_history.h"
#include "render/terminal/text_comparison.h"
#include "render/terminal/text_diff.h"

namespace dsdoctor::cmd {
namespace {

bool compares_nodes(const DiffNodesOptions& options) {
  return !options.names.empty() && options.names.front().type == ObjectType::Node;
}

ExitCode compare(const DiffNodesOptions& options, const Question& question, Context& ctx) {
  const auto first = find_node(question, options.names[0].name);
  if (!first) return fail(ctx, first.error());
  const auto second = find_node(question, options.names[1].name);
  if (!second) return fail(ctx, second.error());
  const auto comparison = diagnosis::compare_nodes(question.snapshot.cluster, question.daemon_sets,
                                                   **first, **second, question.report);
  const render::Style style = style_for(options, ctx);
  Forms forms;
  forms.text = [&] {
    return question.preamble(style) +
           render::comparison_text(comparison, question.snapshot.omissions, style);
  };
  forms.json = [&] { return render::to_json(comparison, question.envelope()); };
  forms.names = [&] {
    std::string names;
    for (const auto& contrast : comparison.daemon_sets) {
      names += fmt::format("daemonset.apps/{}\n", contrast.name.view());
    }
    return names;
  };
  forms.document = [&] {
    return with_preamble(render::comparison_document(comparison, question.envelope(), style),
                         question, style);
  };
  print(options.format, forms, ctx);
  return comparison.empty() ? ExitCode::Clean : ExitCode::Findings;
}

ExitCode compare_daemon_sets(const DiffNodesOptions& options, const Question& question,
                             Context& ctx) {
  const auto comparison =
      diagnosis::compare_daemon_sets(question.snapshot.cluster, *question.daemon_sets[0],
                                     *question.daemon_sets[1], question.report);
  const render::Style style = style_for(options, ctx);
  Forms forms;
  forms.text = [&] {
    return question.preamble(style) + render::comparison_text(comparison, question.snapshot.info,
                                                              question.snapshot.omissions, style);
  };
  forms.json = [&] { return render::to_json(comparison, question.envelope()); };
  forms.names = [&] {
    std::string names;
    for (const auto& node : comparison.nodes) {
      names += fmt::format("node/{}\n", node.first.name.view());
    }
    return names;
  };
  forms.document = [&] {
    return with_preamble(render::comparison_document(comparison, question.envelope(), style),
                         question, style);
  };
  print(options.format, forms, ctx);
  if (!comparison.nodes.empty()) return ExitCode::Findings;
  return question.snapshot.cluster.nodes_known ? ExitCode::Clean : ExitCode::Failed;
}

/// What stood in the file, of the same DaemonSets.
base::Result<Question> ask_then(const DiffNodesOptions& options, const Question& question,
                                Context& ctx) {
  AnswerOptions then = options;
  then.source.files = {options.since};
  then.source.demo = false;
  then.source.connection = {};  // of today's cluster
  then.source.connection.ns = question.ns;
  then.all_namespaces = question.ns.empty();
  then.nodes.clear();  // those of today, which need not have been there
  then.node_selector.clear();
  then.ignore_not_found = true;
  then.what_if = {};
  return ask(then, ctx);
}

ExitCode compare_since(const DiffNodesOptions& options, const Question& question, Context& ctx) {
  auto then = ask_then(options, question, ctx);
  if (!then) return fail(ctx, then.error());
  then->report.selects = question.report.selects;
  const auto history =
      diagnosis::node_history({then->snapshot.cluster, then->daemon_sets, then->report},
                              {question.snapshot.cluster, question.daemon_sets, question.report});
  const render::Style style = style_for(options, ctx);
  Forms forms;
  forms.text = [&] {
    return question.preamble(style) +
           render::history_text(history, then->envelope(), question.envelope(), style);
  };
  forms.json = [&] { return render::to_json(history, then->envelope(), question.envelope()); };
  forms.names = [&] {
    std::set<std::string_view> names;
    for (const auto& change : history.nodes) names.insert(change.name);
    for (const auto& flip : history.flips) names.insert(flip.node);
    std::string lines;
    for (const std::string_view name : names) lines += fmt::format("node/{}\n", name);
    return lines;
  };
  forms.document = [&] {
    return with_preamble(
        render::history_document(history, then->envelope(), question.envelope(), style), question,
        style);
  };
  print(options.format, forms, ctx);
  if (!history.comparable) return finish(question, ctx, ExitCode::Failed);
  return finish(question, ctx, history.empty() ? ExitCode::Clean : ExitCode::Findings);
}

/// Every node with a difference, once.
std::string node_names(const std::vector<diagnosis::PlacementDiff>& diffs) {
  std::set<std::string_view> names;
  for (const auto& diff : diffs) {
    for (const auto& node : diff.missing) names.insert(node.name);
    for (const auto& node : diff.unexpected) names.insert(node.name);
  }
  std::string result;
  for (const std::string_view name : names) result += fmt::format("node/{}\n", name);
  return result;
}

}  // namespace

ExitCode run(const DiffNodesOptions& options, Context& ctx) {
  auto question = ask(options, ctx);
  if (!question) return fail(ctx, question.error());
  if (!options.since.empty()) return compare_since(options, *question, ctx);
  if (compares_nodes(options)) return compare(options, *question, ctx);
  if (options.between) {
    // One without the other cannot be compared.
    if (!question->not_found.empty()) return finish(*question, ctx, ExitCode::Failed);
    return compare_daemon_sets(options, *question, ctx);
  }

  const diagnosis::Reporter reporter(question->snapshot.cluster, question->report);
  std::vector<diagnosis::PlacementDiff> diffs;
  for (const model::DaemonSet* ds : question->daemon_sets) {
    diffs.push_back(diagnosis::placement_diff(reporter.report(*ds)));
  }
  say_nothing_found(options, *question, ctx);
  const render::Style style = style_for(options, ctx);
  Forms forms;
  forms.text = [&] {
    if (diffs.empty()) return std::string();
    return question->preamble(style) +
           render::diff_text(diffs, question->snapshot.info, question->snapshot.omissions, style);
  };
  forms.json = [&] { return render::to_json(diffs, question->envelope(), style); };
  forms.names = [&] { return node_names(diffs); };
  forms.document = [&] {
    return with_preamble(render::diff_document(diffs, question->envelope(), style), *question,
                         style);
  };
  print(options.format, forms, ctx);
  if (std::ranges::any_of(diffs, diagnosis::differs)) {
    return finish(*question, ctx, ExitCode::Findings);
  }
  const model::Cluster& cluster = question->snapshot.cluster;
  const bool comparable = cluster.nodes_known && cluster.pods_known;
  return finish(*question, ctx, comparable || diffs.empty() ? ExitCode::Clean : ExitCode::Failed);
}

}  // namespace dsdoctor::cmd
