#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "advice/explanation.h"
#include "commands/commands.h"
#include "diagnosis/views/node_load.h"
#include "question/printing.h"
#include "question/question.h"
#include "question/timelines.h"
#include "render/document/reports.h"
#include "render/terminal/text_explanation.h"

namespace dsdoctor::cmd {
namespace {

bool is_about_a_node(const ExplainOptions& options) {
  return options.names.size() == 1 && options.names.front().type == ObjectType::Node;
}

/// What all DaemonSets cost the one node that is asked about.
diagnosis::NodeLoad load_of_node(const advice::Explanation& explanation, const Question& question,
                                 const model::Node& node) {
  std::vector<std::pair<const model::DaemonSet*, const diagnosis::DaemonSetReport*>> pairs;
  for (std::size_t i = 0; i < explanation.daemon_sets.size(); ++i) {
    pairs.emplace_back(question.daemon_sets[i], &explanation.daemon_sets[i].report);
  }
  return diagnosis::load_of(question.snapshot.cluster, node, pairs);
}

std::string as_text(const advice::Explanation& explanation,
                    const std::optional<diagnosis::NodeLoad>& load, const Question& question,
                    const render::Style& style) {
  const source::Snapshot& snapshot = question.snapshot;
  if (load) {
    // Where there is no DaemonSet, it was said already what could not be read.
    const auto omissions =
        explanation.daemon_sets.empty() ? std::vector<model::Omission>() : snapshot.omissions;
    return render::node_explanation_text(explanation, *load, snapshot.info, omissions, style);
  }
  return render::explanation_text(explanation, snapshot.info, snapshot.omissions, style);
}

std::string as_names(const advice::Explanation& explanation) {
  std::string result;
  for (const auto& answer : explanation.daemon_sets) {
    result += fmt::format("daemonset.apps/{}\n", answer.report.name.view());
  }
  return result;
}

ExitCode exit_code_of(const advice::Explanation& explanation, const Question& question,
                      const ExplainOptions& options) {
  const auto& answers = explanation.daemon_sets;
  const bool evaluated = question.snapshot.cluster.nodes_known || answers.empty();
  if (!evaluated) return ExitCode::Failed;
  if (!options.exit_code) return ExitCode::Clean;
  if (std::ranges::any_of(answers, advice::is_wrong)) return ExitCode::Findings;
  return std::ranges::all_of(answers, advice::is_conclusive) ? ExitCode::Clean : ExitCode::Failed;
}

}  // namespace

ExitCode run(const ExplainOptions& options, Context& ctx) {
  auto question = ask(options, ctx);
  if (!question) return fail(ctx, question.error());
  const model::Node* only_node = nullptr;
  if (is_about_a_node(options)) {
    const auto node = find_node(*question, options.names.front().name);
    if (!node) return fail(ctx, node.error());
    only_node = *node;
    question->report.selects = [only = *node](const model::Node& other) { return &other == only; };
  }
  const render::Style style = style_for(options, ctx);
  advice::Explanation explanation =
      advice::explain(question->snapshot.cluster, question->daemon_sets, question->report);
  add_timelines(explanation, *question, options,
                is_about_a_node(options) || !options.nodes.empty());
  std::optional<diagnosis::NodeLoad> load;
  if (only_node != nullptr) load = load_of_node(explanation, *question, *only_node);
  say_nothing_found(options, *question, ctx);
  Forms forms;
  forms.text = [&] {
    if (question->daemon_sets.empty() && !load) return std::string();
    return question->preamble(style) + as_text(explanation, load, *question, style);
  };
  forms.json = [&] {
    render::Json result = render::to_json(explanation, question->envelope(), style);
    if (load) result["nodeRequests"] = render::node_load_json(*load);
    return result;
  };
  forms.names = [&] { return as_names(explanation); };
  forms.document = [&] {
    const render::Envelope envelope = question->envelope();
    return with_preamble(load ? render::node_document(explanation, *load, envelope, style)
                              : render::explanation_document(explanation, envelope, style),
                         *question, style);
  };
  print(options.format, forms, ctx);
  return finish(*question, ctx, exit_code_of(explanation, *question, options));
}

}  // namespace dsdoctor::cmd
