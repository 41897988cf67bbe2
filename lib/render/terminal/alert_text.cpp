// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/printable.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "render/terminal/problem_lines.h"
#include "render/terminal/texts.h"
#include "render/words/alert_words.h"
#include "render/words/fix_parts.h"
#include "render/words/problem_words.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

/// The newest event of the last hour. An API server keeps events for an hour.
std::string last_change(const fixes::DaemonSetAnswer& answer) {
  constexpr std::chrono::hours kept(1);
  if (!answer.report.timeline) return "";
  const auto& entries = answer.report.timeline->entries;
  if (entries.empty() || answer.alert->judged_at - entries.back().time > kept) return "";
  return fmt::format("; last event: {} {} ({})", entries.back().object, entries.back().text,
                     diagnosis::format_utc(entries.back().time));
}

Lines quiet_line(const fixes::DaemonSetAnswer& answer, const Style& style) {
  const std::string line =
      fmt::format("{}: {}{}", full_name(answer.report), alert_message(*answer.alert),
                  base::printable_line(last_change(answer)));
  return lines_of_text(tick(style) + " " + wrapped(style, Layout{.lead = 2}, line));
}

/// The sentence on one line of a small screen, on two of a larger one.
std::string sentence_within(const std::string& sentence, const Style& style) {
  constexpr std::size_t indent = 6;
  if (!style.fits_screen()) return sentence;
  const std::size_t columns = style.width - indent;
  return base::without_middle(sentence, style.is_small_screen() ? columns : 2 * columns - 12);
}

/// Says that the alert's condition holds and how it clears. Skips sentences that are in `told`.
Lines loud_lines(const fixes::DaemonSetAnswer& answer, const std::string& problems,
                 std::set<std::string>& told, const Style& style) {
  std::string text = fmt::format("{}: {}", full_name(answer.report), alert_message(*answer.alert));
  if (problems != "-") text += fmt::format(" (problem {})", problems);
  constexpr std::size_t most_lines = 3;
  if (style.is_small_screen()) text = base::without_middle(text, most_lines * (style.width - 10));
  Lines result =
      lines_of_text(paint(style, Color::Red, "!") + " " + wrapped(style, Layout{.lead = 2}, text));
  for (const std::string& sentence : clearing_sentences(*answer.alert)) {
    if (!told.insert(sentence).second) continue;
    append(result, lines_of_text(wrapped(style, 4, sentence_within(sentence, style))));
  }
  return result;
}

/// Indexes of the DaemonSets for which the condition holds, the most urgent problem first.
std::vector<std::size_t> loud_ones(const fixes::Explanation& explanation) {
  std::vector<std::size_t> order = by_urgency(explanation);
  std::erase_if(order, [&](std::size_t i) { return !explanation.daemon_sets[i].alert->holds; });
  return order;
}

/// The parts that fit into `room` lines, at least the first; the others are counted.
Lines parts_within(const std::vector<Lines>& parts, std::size_t room) {
  Lines result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t kept =
        i + 1 < parts.size() ? 1 : 0;  // for the line with the number of omitted parts
    if (i != 0 && result.size() + parts[i].size() + kept > room) {
      result.push_back(
          fmt::format("{} more: --limit 0 lists them", grouped_digits(parts.size() - i)));
      break;
    }
    append(result, parts[i]);
  }
  return result;
}

/// The DaemonSets for which the condition does not hold.
Lines quiet_lines(const fixes::Explanation& explanation, bool named, std::size_t room,
                  const Style& style) {
  std::vector<Lines> told;
  std::size_t quiet = 0;
  for (const fixes::DaemonSetAnswer& answer : explanation.daemon_sets) {
    if (answer.alert->holds) continue;
    if (named || any_term_holds(*answer.alert) ||
        answer.alert->should_hold == std::optional(true)) {
      told.push_back(quiet_line(answer, style));
    } else {
      ++quiet;
    }
  }
  Lines result = parts_within(told, room);
  if (quiet != 0) {
    const bool all = quiet == explanation.daemon_sets.size();
    append(result, lines_of_text(wrapped(
                       style, 0,
                       fmt::format("{} {}: the condition does not hold", tick(style),
                                   grouped_count(quiet, all ? "DaemonSet" : "other DaemonSet")))));
  }
  return result;
}

}  // namespace

std::string alert_text(const fixes::Explanation& explanation, bool named,
                       const model::SourceInfo& source,
                       const std::vector<model::Omission>& omissions, const Presentation& style) {
  const std::size_t loud_room = style.is_small_screen() ? 5 : 16;
  const std::size_t quiet_room = style.is_small_screen() ? 2 : 6;
  if (explanation.daemon_sets.empty()) return "";
  const Budget budget = budget_for(style, {3, 50});
  const std::size_t unlimited = std::size_t(-1) / 2;
  const diagnosis::Alert alert = explanation.daemon_sets.front().alert->alert;
  // A small screen has no room for the expression.
  const std::string condition =
      style.is_small_screen() ? std::string() : fmt::format("{}, ", expression_of(alert));
  Lines result = lines_of_text(wrapped(style, 0,
                                       fmt::format("{}    {}for {}m", to_string(alert), condition,
                                                   diagnosis::window_of(alert).count())));
  const std::vector<std::size_t> loud = loud_ones(explanation);
  const std::vector<std::string> numbers = problem_numbers(explanation);
  std::vector<Lines> parts;
  std::set<std::string> told;
  parts.reserve(loud.size());
  for (const std::size_t i : loud) {
    parts.push_back(loud_lines(explanation.daemon_sets[i], numbers[i], told, style));
  }
  add_part(result, parts_within(parts, budget.is_limited() ? loud_room : unlimited));
  Lines tail = quiet_lines(explanation, named, budget.is_limited() ? quiet_room : unlimited, style);
  add_part(tail, lines_of_text(omission_lines(omissions, style)));
  if (!loud.empty()) {
    const auto& report = explanation.daemon_sets[loud.front()].report;
    const auto command = style.address.own_command("explain", report.ns, report.name);
    constexpr std::string_view mark = "Next: ";
    if (command) {
      const Layout layout{.indent = 2, .lead = mark.size()};
      if (!style.is_small_screen()) tail.emplace_back();
      append(tail, lines_of_text(fmt::format("{}{}", mark, command_text(style, layout, *command))));
    }
  }
  const std::size_t fixed = result.size() + tail.size() + 2;
  const std::size_t least = style.is_small_screen() ? 3 : 6;
  const std::size_t room =
      budget.is_limited() ? std::max(budget.lines, fixed + least) - fixed : unlimited;
  Lines problems = problem_lines(explanation, budget, room, style);
  append(problems, ignored_lines(explanation));
  add_part(result, std::move(problems));
  for (const std::size_t i : loud) {
    if (!style.lists_every_node()) break;
    add_part(result,
             lines_of_text(explanation_text(fixes::only(explanation, i), source, {}, style)));
  }
  add_part(result, std::move(tail));
  // Only the narrowest screens need this.
  if (style.is_small_screen()) result = cut_off(std::move(result), style.screen_lines());
  return joined_lines(result);
}

}  // namespace dsdoctor::render
