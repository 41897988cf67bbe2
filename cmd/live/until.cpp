// SPDX-License-Identifier: Apache-2.0
#include "live/until.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "diagnosis/problems/problem_id.h"
#include "diagnosis/views/rollout_waits.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"
#include "render/words/text_parts.h"

namespace dsdoctor::cmd {
namespace {

using Verdict = Reached::Verdict;

std::string line_of(const diagnosis::Problem& problem, const fixes::Explanation& explanation) {
  return base::printable_line(
      fmt::format("{} {}  {}  {}", to_string(problem.severity), render::title_of(problem).text,
                  render::affected_clause(problem, explanation, render::Style()), problem.id));
}

/// Every problem that `counts`.
template <typename Counts>
Reached wait_for_problems(const fixes::Explanation& explanation, const Counts& counts) {
  Reached result{Verdict::Yes};
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    if (!counts(problem)) continue;
    result.verdict = Verdict::NotYet;
    result.left.push_back(line_of(problem, explanation));
  }
  return result;
}

/// "logging/fluent-bit: 4 of 5 pods are up to date and available"
std::string progress_line(const diagnosis::DaemonSetReport& report, std::size_t waits) {
  const auto desired = static_cast<std::size_t>(
      std::max<std::int64_t>(report.evaluated.counts.desired_number_scheduled, 0));
  return base::printable_line(
      fmt::format("{}: {} of {} pods are of the current template and available",
                  render::full_name(report), desired - std::min(desired, waits), desired));
}

std::string line_of(const diagnosis::RolloutWait& wait) {
  const std::string on = wait.node.empty() || wait.object.kind == "Node"
                             ? ""
                             : fmt::format(" on {}", wait.node.view());
  return base::printable_line(fmt::format("  waits for {}/{}{}: {}", wait.object.kind,
                                          wait.object.name, on, render::text_of(wait.why)));
}

void add_rollout(const fixes::DaemonSetAnswer& answer, Reached& result) {
  constexpr std::size_t shown = 5;
  const diagnosis::DaemonSetReport& report = answer.report;
  const auto waits = diagnosis::rollout_waits(report);
  if (!waits) {
    result.verdict = Verdict::Unknown;
    result.left.push_back(base::printable_line(fmt::format(
        "{}: its nodes, pods or revisions could not be read", render::full_name(report))));
    return;
  }
  if (waits->empty()) return;
  if (result.verdict == Verdict::Yes) result.verdict = Verdict::NotYet;
  result.left.push_back(progress_line(report, waits->size()));
  for (std::size_t i = 0; i < std::min(shown, waits->size()); ++i) {
    result.left.push_back(line_of((*waits)[i]));
  }
  if (waits->size() > shown) {
    result.left.push_back(fmt::format("  and {} more", waits->size() - shown));
  }
  const model::DaemonSetCounts& counts = report.evaluated.counts;
  const bool has_old_pods = counts.updated_number_scheduled < counts.current_number_scheduled;
  if (answer.ds != nullptr && answer.ds->update_strategy == "OnDelete" && has_old_pods) {
    if (result.verdict == Verdict::NotYet) result.verdict = Verdict::Never;
    result.left.emplace_back(
        "  updateStrategy OnDelete: the controller replaces a pod only after it is deleted");
  }
}

}  // namespace

std::vector<std::string> unanswered(const Question& question, const fixes::Explanation& explanation,
                                    bool partial) {
  std::vector<std::string> why;
  if (const auto none = no_daemon_set_read(question)) why.push_back(none->what);
  if (question.ns_unread) why.push_back(unread_namespace_text(question.choice.ns));
  const auto& omissions = question.snapshot.omissions;
  const bool has_gap = !partial && model::may_hide_problems(omissions);
  if (!fixes::is_answered(explanation) || has_gap) {
    std::vector<std::string> sentences = render::omission_sentences(omissions);
    std::ranges::move(sentences, std::back_inserter(why));
    if (why.empty()) why.emplace_back("not everything could be read");
  }
  return why;
}

Reached UntilJudge::healthy(const Question& question, const fixes::Explanation& explanation) const {
  Reached result = wait_for_problems(explanation, [&](const diagnosis::Problem& problem) {
    return diagnosis::counts(problem, attention_);
  });
  if (result.verdict != Verdict::Yes) return result;
  result.left = unanswered(question, explanation, false);
  if (!result.left.empty()) result.verdict = Verdict::Unknown;
  return result;
}

Reached UntilJudge::resolved(const fixes::Explanation& explanation) {
  if (until_.problem) {
    return wait_for_problems(explanation, [&](const diagnosis::Problem& problem) {
      return diagnosis::accepts(*until_.problem, problem);
    });
  }
  if (!first_) {
    auto& ids = first_.emplace();
    for (const diagnosis::Problem& problem : explanation.problems.problems) ids.insert(problem.id);
  }
  return wait_for_problems(
      explanation, [&](const diagnosis::Problem& problem) { return first_->contains(problem.id); });
}

Reached UntilJudge::rolled_out(const Question& question, const fixes::Explanation& explanation) {
  Reached result{Verdict::Yes};
  for (const fixes::DaemonSetAnswer& answer : explanation.daemon_sets) add_rollout(answer, result);
  if (const auto none = no_daemon_set_read(question)) {
    result.verdict = Verdict::Unknown;
    result.left.push_back(none->what);
  }
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    using diagnosis::FindingId;
    const bool blocks = problem.finding == to_string(FindingId::RolloutBudget) ||
                        problem.finding == to_string(FindingId::RolloutStuck) ||
                        problem.finding == to_string(FindingId::RolloutNewBroken);
    if (blocks) result.hints.push_back(line_of(problem, explanation));
  }
  return result;
}

Reached UntilJudge::judge(const Question& question, const fixes::Explanation& explanation) {
  switch (until_.state) {
    case Until::State::Healthy: return healthy(question, explanation);
    case Until::State::Resolved: return resolved(explanation);
    case Until::State::RolledOut: break;
  }
  return rolled_out(question, explanation);
}

}  // namespace dsdoctor::cmd
