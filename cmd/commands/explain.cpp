// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "commands/commands.h"
#include "commands/saved_snapshot.h"
#include "live/watch.h"
#include "question/printing.h"
#include "question/selection.h"
#include "render/document/reports.h"
#include "render/terminal/texts.h"

namespace dsdoctor::cmd {
namespace {

fixes::Selection selection_of(const ExplainOptions& options, const model::Node* only_node) {
  fixes::Selection result;
  if (options.no_healthy) result.nodes = fixes::Selection::Nodes::Unhealthy;
  if (only_node != nullptr) {
    result.selects = [only_node](const model::Node& other) { return &other == only_node; };
    result.problems = fixes::Selection::Problems::OfOneNode;
  }
  return result;
}

std::string as_text(const fixes::Explanation& explanation, const model::Node* node,
                    const std::optional<diagnosis::NodeLoad>& load, const Question& question,
                    const render::Presentation& style) {
  const source::Snapshot& snapshot = question.snapshot;
  // Without a list of DaemonSets it is unknown which pods belong on a node.
  if (explanation.daemon_sets.empty() && (!load || !snapshot.cluster.known.daemon_sets)) return "";
  if (load) {
    // Without DaemonSets the omissions have already been reported.
    const auto omissions =
        explanation.daemon_sets.empty() ? std::vector<model::Omission>() : snapshot.omissions;
    return render::node_explanation_text(explanation, *node, *load, snapshot.info, omissions,
                                         style);
  }
  return render::explanation_text(explanation, snapshot.info, snapshot.omissions, style);
}

ExitCode exit_code_of(const fixes::Explanation& explanation, const Question& question,
                      const ExplainOptions& options) {
  // Without nodes, pods and status still allow a verdict.
  const bool evaluated =
      question.snapshot.cluster.nodes_known ||
      std::ranges::all_of(explanation.daemon_sets, [](const fixes::DaemonSetAnswer& answer) {
        return answer.report.evaluated.pods_known && answer.report.observed;
      });
  if (!evaluated) return ExitCode::Failed;
  if (!options.exit_code) return ExitCode::Clean;
  if (fixes::is_wrong(explanation)) return ExitCode::Findings;
  const bool answered = fixes::is_answered(explanation) && !question.ns_unread;
  return answered ? ExitCode::Clean : ExitCode::Failed;
}

/// The answer that stays current, or that is waited for.
ExitCode run_live(const ExplainOptions& options, Context& ctx) {
  LiveCommand command{.asked = options,
                      .print = options.print,
                      .watch = options.watch,
                      .attention = options.attention,
                      .reads = {.ahead = true, .follows = true},
                      .answer = nullptr,
                      .save = save_here};
  command.answer = [&](const Question& question,
                       Context& each) -> base::Result<fixes::Explanation> {
    const model::Node* only_node = nullptr;
    if (question.one_node) {
      const auto node = find_node(question.snapshot, question.scope.names.front().name);
      if (!node) return node.error();
      only_node = *node;
    }
    return explanation_of(question, options.attention, each,
                          {.every_node = only_node != nullptr || !options.scope.nodes.empty(),
                           .selection = selection_of(options, only_node)});
  };
  return watch(command, ctx);
}

}  // namespace

ExitCode run(const ExplainOptions& options, Context& ctx) {
  if (options.watch.is_set()) return run_live(options, ctx);
  const OutputFormat format = options.print.format;
  const auto asked = ask(options, options.what_if, format, ctx,
                         {.history = options.timeline, .ahead = true, .follows = true});
  if (!asked) return fail(ctx, asked.error());
  const Question& question = **asked;
  const model::Node* only_node = nullptr;
  if (question.one_node) {
    const auto node = find_node(question.snapshot, question.scope.names.front().name);
    if (!node) return fail(ctx, node.error());
    only_node = *node;
  }
  const fixes::Explanation explanation =
      explanation_of(question, options.attention, ctx,
                     {.format = format,
                      .timeline = options.timeline,
                      .every_node = only_node != nullptr || !question.scope.nodes.empty(),
                      .by_class = options.print.group,
                      .selection = selection_of(options, only_node),
                      .groups = is_for_people(format),
                      .suggestions = format != OutputFormat::Name});
  std::optional<diagnosis::NodeLoad> load;
  if (only_node != nullptr) {
    load = fixes::load_of_node(explanation, *question.reporter, question.daemon_sets, *only_node);
  }
  const render::Presentation style = style_for(question, options.print, ctx);
  say_nothing_found(question, format, style, ctx);
  Forms forms;
  forms.text = [&] { return as_text(explanation, only_node, load, question, style); };
  forms.json = [&] {
    render::Json result = render::to_json(explanation, question.envelope(), style);
    if (load) result["nodeRequests"] = render::node_load_json(*load);
    return result;
  };
  if (!load) write_as_it_is_made(forms, explanation, question, style);
  forms.names = [&] { return daemon_set_names(question.choice.ns, explanation.daemon_sets); };
  forms.document = [&] {
    const render::Envelope envelope = question.envelope();
    return load ? render::node_document(explanation, *load, envelope, style)
                : render::explanation_document(explanation, envelope, style);
  };
  if (!load) {
    forms.page = [&](render::AboutPage about) {
      about.unanswered = no_daemon_set_read(question).has_value() ||
                         !fixes::is_answered(explanation) || question.ns_unread;
      return render::report_page(explanation, *question.reporter, question.envelope(), style,
                                 about);
    };
  }
  print(question, format, forms, style, ctx);
  if (const auto none = no_daemon_set_read(question)) return fail(ctx, *none);
  return finish(question, ctx, exit_code_of(explanation, question, options));
}

}  // namespace dsdoctor::cmd
