// SPDX-License-Identifier: Apache-2.0
#include "commands/check.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "commands/commands.h"
#include "commands/report_file.h"
#include "commands/saved_snapshot.h"
#include "commands/snapshot_file.h"
#include "live/watch.h"
#include "question/printing.h"
#include "question/version.h"
#include "render/data/prometheus.h"
#include "render/document/junit.h"
#include "render/document/reports.h"
#include "render/document/sarif.h"
#include "render/terminal/texts.h"

namespace dsdoctor::cmd {
namespace {

std::string names_of_wrong(const std::string& ns, const fixes::Explanation& explanation) {
  std::string result;
  for (const fixes::DaemonSetAnswer& answer : explanation.daemon_sets) {
    if (!fixes::is_wrong(answer)) continue;
    result += name_line(ns, answer.report.ns, answer.report.name);
  }
  return result;
}

std::string as_text(const fixes::Explanation& explanation, const CheckOptions& options,
                    const Question& question, const render::Presentation& style) {
  const source::Snapshot& snapshot = question.snapshot;
  if (explanation.daemon_sets.empty()) return "";
  if (options.alert) {
    const bool named = !options.scope.names.empty();
    return render::alert_text(explanation, named, snapshot.info, snapshot.omissions, style);
  }
  return render::check_text(explanation, snapshot.info, snapshot.omissions, style);
}

/// Why parts of the question have no answer. `none`: that no DaemonSet was read.
std::vector<std::string> unanswered_parts(const CheckOptions& options, const Question& question,
                                          const std::optional<base::Error>& none) {
  std::vector<std::string> result;
  if (none) result.push_back(none->what);
  if (question.ns_unread) result.push_back(unread_namespace_text(question.choice.ns));
  for (const base::Error& error : question.not_found) result.push_back(error.what);
  for (const model::Omission& omission : question.snapshot.omissions) {
    if (!options.partial && model::may_hide_problems({omission})) {
      result.push_back(omission.message);
    }
  }
  return result;
}

base::Status save_report(const CheckOptions& options, const Question& question,
                         const fixes::Explanation& explanation, Context& ctx) {
  const auto report = report_file(question, explanation, options.attention);
  if (!report) return report.error();
  if (auto saved = write_whole(options.report, report->archive); !saved) return saved;
  ctx.err << base::printable_line(fmt::format(
                 "Saved a redacted snapshot, the answer about it and versions, {} bytes, "
                 "to {}: look at it before you attach it to an issue",
                 report->archive.size(), options.report))
          << "\n";
  if (!report->is_faithful) {
    ctx.err << "warning: the redacted snapshot has other problems than this answer; say so in the "
               "issue\n";
  }
  return std::monostate();
}

/// The answer that stays current, or that is waited for.
ExitCode run_live(const CheckOptions& options, Context& ctx) {
  const LiveCommand command{.asked = options,
                            .print = options.print,
                            .watch = options.watch,
                            .attention = options.attention,
                            .answer = live_answer(options, options.attention),
                            .save = save_here};
  return watch(command, ctx);
}

}  // namespace

std::function<base::Result<fixes::Explanation>(const Question&, Context&)> live_answer(
    const AnswerOptions& asked, const diagnosis::Attention& attention) {
  return [&asked, &attention](const Question& question, Context& each) {
    return base::Result<fixes::Explanation>(
        explanation_of(question, attention, each,
                       {.every_node = !asked.scope.nodes.empty(),
                        .selection = {.nodes = fixes::Selection::Nodes::Wrong}}));
  };
}

base::Result<CheckAnswer> check_answer(const CheckOptions& options, Context& ctx) {
  const OutputFormat format = options.print.format;
  const bool everything = options.attention.threshold == diagnosis::Severity::Info;
  auto asked = ask(options, options.what_if, format, ctx, {.ahead = everything});
  if (!asked) return asked.error();
  const Question& question = **asked;
  const bool lists_nodes = format == OutputFormat::Wide || options.print.all_nodes;
  const bool in_full = is_document(format) || lists_nodes;
  CheckAnswer answer;
  answer.explanation = explanation_of(
      question, options.attention, ctx,
      {.format = format,
       .every_node = !options.scope.nodes.empty(),
       .by_class = options.print.group,
       .selection = {.nodes = fixes::Selection::Nodes::Wrong, .alert = options.alert},
       .groups = in_full,
       .suggestions = in_full || is_data(format)});
  answer.none = no_daemon_set_read(question);
  const bool whole = options.partial || !model::may_hide_problems(question.snapshot.omissions);
  answer.answered = (fixes::is_answered(answer.explanation) || options.alert) &&
                    !question.ns_unread && whole && !answer.none;
  answer.question = std::move(*asked);
  return answer;
}

void print(const CheckAnswer& answer, const CheckOptions& options, Context& ctx) {
  const Question& question = *answer.question;
  const fixes::Explanation& explanation = answer.explanation;
  const OutputFormat format = options.print.format;
  const render::Presentation style = style_for(question, options.print, ctx);
  say_nothing_found(question, format, style, ctx);
  const source::Snapshot& snapshot = question.snapshot;
  Forms forms;
  forms.text = [&] { return as_text(explanation, options, question, style); };
  forms.json = [&] { return render::to_json(explanation, question.envelope(), style); };
  write_as_it_is_made(forms, explanation, question, style);
  forms.names = [&] { return names_of_wrong(question.choice.ns, explanation); };
  forms.document = [&] { return render::check_document(explanation, question.envelope(), style); };
  forms.page = [&](render::AboutPage about) {
    about.unanswered = !answer.answered;
    return render::report_page(explanation, *question.reporter, question.envelope(), style, about);
  };
  forms.junit = [&] {
    return render::junit_text(explanation, snapshot.info, question.reporter->options().now,
                              unanswered_parts(options, question, answer.none), style);
  };
  forms.sarif = [&] {
    return render::sarif_json(explanation, question.envelope(), answer.answered, version_number);
  };
  forms.prometheus = [&] {
    return render::prometheus_text(
        explanation, snapshot.info, snapshot.omissions,
        options.node_labels ? render::MetricLabels::WithNodes : render::MetricLabels::WithoutNodes);
  };
  print(question, format, forms, style, ctx);
}

ExitCode finish(const CheckAnswer& answer, const CheckOptions& options, Context& ctx) {
  const Question& question = *answer.question;
  if (answer.none) return fail(ctx, *answer.none);
  if (!options.report.empty()) {
    if (auto saved = save_report(options, question, answer.explanation, ctx); !saved) {
      return fail(ctx, saved.error());
    }
  }
  if (fixes::is_wrong(answer.explanation)) return finish(question, ctx, ExitCode::Findings);
  return finish(question, ctx, answer.answered ? ExitCode::Clean : ExitCode::Failed);
}

ExitCode run(const CheckOptions& options, Context& ctx) {
  if (options.watch.is_set()) return run_live(options, ctx);
  if (options.input.source.is_several()) return check_fleet(options, ctx);
  if (!options.report.empty()) {
    if (auto free = check_writable(options.report, false); !free) return fail(ctx, free.error());
  }
  const auto answer = check_answer(options, ctx);
  if (!answer) return fail(ctx, answer.error());
  print(*answer, options, ctx);
  return finish(*answer, options, ctx);
}

}  // namespace dsdoctor::cmd
