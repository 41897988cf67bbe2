#include <fmt/format.h>

#include <chrono>

#include "base/printable.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "render/terminal/texts.h"
#include "render/words/alert_words.h"
#include "render/words/cure_parts.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::AlertReport;

/// What would have made it hold: the newest thing that happened, while evidence of it is kept.
std::string last_change(const advice::DaemonSetAnswer& answer) {
  constexpr std::chrono::hours kept(1);
  if (!answer.report.timeline) return "";
  const auto& entries = answer.report.timeline->entries;
  if (entries.empty() || answer.alert->judged_at - entries.back().time > kept) return "";
  return fmt::format("; the last that happened: {} {} ({})", entries.back().object,
                     entries.back().text, diagnosis::format_utc(entries.back().time));
}

std::string quiet_line(const advice::DaemonSetAnswer& answer, const Style& style) {
  const std::string line =
      fmt::format("{}: {}{}", full_name(answer.report), alert_message(*answer.alert),
                  base::printable_line(last_change(answer)));
  const std::string mark = tick(style);
  return mark + " " + wrapped(style, Layout{.lead = 2}, line);
}

std::string loud_lines(const advice::DaemonSetAnswer& answer, const model::SourceInfo& source,
                       const Presentation& style) {
  const AlertReport& alert = *answer.alert;
  std::string result =
      paint(style, Color::Red, "!") + " " +
      wrapped(style, Layout{.lead = 2},
              fmt::format("{}: {}", full_name(answer.report), alert_message(alert)));
  for (const std::string& sentence : clearing_sentences(alert)) {
    result += wrapped(style, 4, sentence);
  }
  if (!alert.findings.empty()) {
    result += wrapped(style, 4, fmt::format("explained by {}", fmt::join(alert.findings, ", ")));
  }
  advice::Explanation alone;
  alone.daemon_sets.push_back(answer);
  return result + "\n" + explanation_text(alone, source, {}, style);
}

}  // namespace

std::string alert_text(const advice::Explanation& explanation, bool named,
                       const model::SourceInfo& source,
                       const std::vector<model::Omission>& omissions, const Presentation& style) {
  if (explanation.daemon_sets.empty()) return "";
  const diagnosis::Alert alert = explanation.daemon_sets.front().alert->alert;
  std::string result =
      wrapped(style, 0,
              fmt::format("{}    {}, for {} min", to_string(alert), expression_of(alert),
                          diagnosis::window_of(alert).count()));
  std::size_t quiet = 0;
  std::string quiet_lines;
  for (const advice::DaemonSetAnswer& answer : explanation.daemon_sets) {
    if (answer.alert->holds) {
      result += "\n" + loud_lines(answer, source, style);
    } else if (named || answer.alert->should_hold == std::optional(true)) {
      quiet_lines += quiet_line(answer, style);
    } else {
      ++quiet;
    }
  }
  if (quiet != 0) {
    const bool all = quiet == explanation.daemon_sets.size();
    quiet_lines += fmt::format("{} {}: the condition does not hold\n", tick(style),
                               counted(quiet, all ? "DaemonSet" : "other DaemonSet"));
  }
  if (!quiet_lines.empty()) result += "\n" + quiet_lines;
  if (!omissions.empty()) result += "\n" + omission_lines(omissions, style);
  return result;
}

}  // namespace dsdoctor::render
