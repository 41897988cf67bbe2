#include "advice/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands/commands.h"
#include "diagnosis/evidence/facts.h"
#include "diagnosis/views/timeline.h"
#include "question/printing.h"
#include "question/question.h"
#include "question/timelines.h"
#include "render/data/junit.h"
#include "render/data/prometheus.h"
#include "render/document/reports.h"
#include "render/terminal/alert_text.h"
#include "render/terminal/text_explanation.h"
#include "render/terminal/text_parts.h"

namespace dsdoctor::cmd {
namespace {

using advice::DaemonSetAnswer;

/// Which DaemonSets an answer is about.
bool is_reported(const DaemonSetAnswer& answer) {
  return answer.alert ? answer.alert->holds : advice::is_wrong(answer);
}

/// Holds the alert against every DaemonSet, and leaves only the nodes that it is about.
void restrict_to_alert(advice::Explanation& explanation, const Question& question,
                       diagnosis::Alert alert) {
  const diagnosis::Facts facts(question.snapshot.cluster, question.report.now);
  for (std::size_t i = 0; i < explanation.daemon_sets.size(); ++i) {
    DaemonSetAnswer& answer = explanation.daemon_sets[i];
    const model::DaemonSet& ds = *question.daemon_sets[i];
    answer.alert = diagnosis::judge_alert(alert, ds, answer.report, facts);
    if (!answer.alert->holds && !answer.report.timeline) {
      answer.report.timeline = diagnosis::History(facts, ds).of_daemon_set();
    }
    advice::keep_nodes(answer, answer.alert->nodes);
    // Only a pod that is not wanted where it is becomes wanted by a toleration.
    if (alert == diagnosis::Alert::NotScheduled) answer.suggestions.clear();
  }
}

/// Every verdict rests on nodes and pods; an alert's condition rests on status alone.
bool is_conclusive(const CheckOptions& options, const Question& question) {
  const model::Cluster& cluster = question.snapshot.cluster;
  return options.alert || question.daemon_sets.empty() ||
         (cluster.nodes_known && cluster.pods_known);
}

std::string quiet_line(std::size_t quiet, std::size_t all, std::size_t nodes, bool conclusive,
                       const render::Style& style) {
  const std::string which = quiet == all
                                ? fmt::format("{} on {}", render::counted(all, "DaemonSet"),
                                              render::counted(nodes, "node"))
                                : render::counted(quiet, "other DaemonSet");
  if (!conclusive) {
    return fmt::format("? {}: nothing wrong in what could be read, which was not all\n", which);
  }
  return fmt::format("{} {}: nothing wrong\n",
                     paint(style, render::Color::Green, style.unicode ? "✓" : "+"), which);
}

std::string as_text(const advice::Explanation& explanation, const CheckOptions& options,
                    const Question& question, const render::Style& style) {
  const source::Snapshot& snapshot = question.snapshot;
  if (explanation.daemon_sets.empty()) return "";
  if (options.alert) {
    const bool named = !options.names.empty();
    return render::alert_text(explanation, named, snapshot.info, snapshot.omissions, style);
  }
  advice::Explanation wrong;
  wrong.nodes = explanation.nodes;
  std::ranges::copy_if(explanation.daemon_sets, std::back_inserter(wrong.daemon_sets), is_reported);
  std::string result;
  if (!wrong.daemon_sets.empty()) {
    result = render::explanation_text(wrong, snapshot.info, {}, style) + "\n";
  }
  const std::size_t all = explanation.daemon_sets.size();
  const std::size_t quiet = all - wrong.daemon_sets.size();
  if (quiet != 0) {
    result += quiet_line(quiet, all, explanation.nodes, is_conclusive(options, question), style);
  } else {
    result.pop_back();
  }
  if (!snapshot.omissions.empty()) {
    result += "\n" + render::omission_lines(snapshot.omissions, style);
  }
  return result;
}

std::string reported_names(const advice::Explanation& explanation) {
  std::string result;
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) {
    if (is_reported(answer)) {
      result += fmt::format("daemonset.apps/{}\n", answer.report.name.view());
    }
  }
  return result;
}

void print(const advice::Explanation& explanation, const CheckOptions& options,
           const Question& question, Context& ctx) {
  const render::Style style = style_for(options, ctx);
  const source::Snapshot& snapshot = question.snapshot;
  Forms forms;
  forms.text = [&] {
    return question.preamble(style) + as_text(explanation, options, question, style);
  };
  forms.json = [&] { return render::to_json(explanation, question.envelope(), style); };
  forms.names = [&] { return reported_names(explanation); };
  forms.document = [&] {
    return with_preamble(render::check_document(explanation, question.envelope(),
                                                is_conclusive(options, question), style),
                         question, style);
  };
  forms.junit = [&] {
    return render::junit_text(explanation, snapshot.info, question.report.now, style);
  };
  forms.prometheus = [&] {
    return render::prometheus_text(explanation, snapshot.info, snapshot.omissions);
  };
  print(options.format, forms, ctx);
}

}  // namespace

ExitCode run(const CheckOptions& options, Context& ctx) {
  auto question = ask(options, ctx);
  if (!question) return fail(ctx, question.error());
  advice::Explanation explanation =
      advice::explain(question->snapshot.cluster, question->daemon_sets, question->report);
  add_timelines(explanation, *question, options, !options.nodes.empty());
  if (options.alert) {
    restrict_to_alert(explanation, *question, *options.alert);
  } else {
    for (DaemonSetAnswer& answer : explanation.daemon_sets) {
      advice::keep_nodes(answer, advice::wrong_nodes(answer.report));
    }
  }
  say_nothing_found(options, *question, ctx);
  print(explanation, options, *question, ctx);
  if (std::ranges::any_of(explanation.daemon_sets, is_reported)) {
    return finish(*question, ctx, ExitCode::Findings);
  }
  return finish(*question, ctx,
                is_conclusive(options, *question) ? ExitCode::Clean : ExitCode::Failed);
}

}  // namespace dsdoctor::cmd
