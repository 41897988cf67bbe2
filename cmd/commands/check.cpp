#include <fmt/format.h>

#include <algorithm>

#include "commands/commands.h"
#include "question/printing.h"
#include "render/data/prometheus.h"
#include "render/document/junit.h"
#include "render/document/reports.h"
#include "render/terminal/texts.h"
#include "render/words/text_parts.h"

namespace dsdoctor::cmd {
namespace {

advice::Explanation wrong_ones(const advice::Explanation& explanation) {
  advice::Explanation result;
  result.nodes = explanation.nodes;
  for (const advice::DaemonSetAnswer& answer : explanation.daemon_sets) {
    if (advice::is_wrong(answer)) result.daemon_sets.push_back(answer);
  }
  return result;
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
  return fmt::format("{} {}: nothing wrong\n", render::tick(style), which);
}

std::string as_text(const advice::Explanation& explanation, const CheckOptions& options,
                    const Question& question, const render::Presentation& style) {
  const source::Snapshot& snapshot = question.snapshot;
  if (explanation.daemon_sets.empty()) return "";
  if (options.alert) {
    const bool named = !options.names.empty();
    return render::alert_text(explanation, named, snapshot.info, snapshot.omissions, style);
  }
  const advice::Explanation wrong = wrong_ones(explanation);
  std::string result = render::explanation_text(wrong, snapshot.info, {}, style);
  const std::size_t all = explanation.daemon_sets.size();
  const std::size_t quiet = all - wrong.daemon_sets.size();
  if (quiet != 0) {
    if (!result.empty()) result += "\n";
    result += quiet_line(quiet, all, explanation.nodes, advice::is_conclusive(explanation), style);
  }
  if (!snapshot.omissions.empty()) {
    result += "\n" + render::omission_lines(snapshot.omissions, style);
  }
  return result;
}

}  // namespace

ExitCode run(const CheckOptions& options, Context& ctx) {
  const auto asked = ask(options, ctx);
  if (!asked) return fail(ctx, asked.error());
  const Question& question = **asked;
  advice::Explanation explanation = explanation_of(question, options, !options.nodes.empty());
  if (options.alert) {
    advice::restrict_to_alert(explanation, *question.reporter, question.daemon_sets,
                              *options.alert);
  } else {
    advice::restrict_to_wrong_nodes(explanation);
  }
  say_nothing_found(options, question, ctx);
  const render::Presentation style = style_for(options, ctx);
  const source::Snapshot& snapshot = question.snapshot;
  Forms forms;
  forms.text = [&] { return as_text(explanation, options, question, style); };
  forms.json = [&] { return render::to_json(explanation, question.envelope(), style); };
  forms.names = [&] { return daemon_set_names(wrong_ones(explanation).daemon_sets); };
  forms.document = [&] { return render::check_document(explanation, question.envelope(), style); };
  forms.junit = [&] {
    return render::junit_text(explanation, snapshot.info, question.reporter->options().now, style);
  };
  forms.prometheus = [&] {
    return render::prometheus_text(explanation, snapshot.info, snapshot.omissions);
  };
  print(question, options, forms, ctx);
  if (advice::is_wrong(explanation)) return finish(question, ctx, ExitCode::Findings);
  return finish(
      question, ctx,
      advice::is_conclusive(explanation) || options.alert ? ExitCode::Clean : ExitCode::Failed);
}

}  // namespace dsdoctor::cmd
