#include "render/terminal/alert_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/printable.h"
#include "base/time.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "render/data/json.h"
#include "render/terminal/text_explanation.h"
#include "render/terminal/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::AlertReport;
using diagnosis::Clearing;
using diagnosis::ClearingNodes;
using Json = nlohmann::ordered_json;

std::string term_clause(const diagnosis::AlertTerm& term) {
  return term.right.empty() ? fmt::format("{} is {}", term.left, term.left_value)
                            : fmt::format("{} is {}, {} is {}", term.left, term.left_value,
                                          term.right, term.right_value);
}

std::string terms_clause(const AlertReport& report) {
  std::string result;
  for (const diagnosis::AlertTerm& term : report.terms) {
    if (!term.holds && report.holds) continue;
    result += fmt::format("{}{}", result.empty() ? "" : "; ", term_clause(term));
  }
  return result;
}

std::string since_clause(const AlertReport& report) {
  const auto window = diagnosis::window_of(report.alert);
  const auto already = diagnosis::fires_already(report);
  if (!already) {
    return fmt::format(
        "the alert fires once it has held for {} min; since when it has, no object "
        "tells",
        window.count());
  }
  if (*already) {
    return fmt::format("it has for at least {}, so the alert fires",
                       base::span_text(report.judged_at - *report.since, "days"));
  }
  return fmt::format("it has at least since {}, so the alert fires by {} unless it clears before",
                     diagnosis::format_utc(*report.since),
                     diagnosis::format_utc(*report.since + window));
}

bool any_term_holds(const AlertReport& report) {
  return std::ranges::any_of(report.terms, &diagnosis::AlertTerm::holds);
}

std::string clearing_clause(const ClearingNodes& entry) {
  return fmt::format("{} {}", entry.nodes.size() == 1 ? "node" : "nodes", name_list(entry.nodes));
}

/// "; about 2026-…", or that the moment has passed.
std::string about_clause(const ClearingNodes& entry, model::Time now) {
  if (!entry.about) return "";
  return *entry.about > now ? fmt::format("; about {}", diagnosis::format_utc(*entry.about))
                            : fmt::format("; that was due at {}: something holds it up",
                                          diagnosis::format_utc(*entry.about));
}

std::string clearing_sentence(const ClearingNodes& entry, model::Time now) {
  const bool one = entry.nodes.size() == 1;
  const std::string nodes = clearing_clause(entry);
  switch (entry.how) {
    case Clearing::NodeGone: {
      std::string result =
          fmt::format("clears by itself when {} {} gone", nodes, one ? "is" : "are");
      if (entry.longest_grace) {
        result += fmt::format("; longest terminationGracePeriodSeconds of the pods {}on {} is {}",
                              entry.knows_all_pods ? "" : "that were read ", one ? "it" : "them",
                              *entry.longest_grace);
      }
      return result + about_clause(entry, now);
    }
    case Clearing::PodGone:
      return fmt::format("clears by itself when the pod{} on {} {} gone{}", one ? "" : "s", nodes,
                         one ? "is" : "are", about_clause(entry, now));
    case Clearing::Passing: return fmt::format("is expected to clear by itself on {}", nodes);
    case Clearing::NodeWell:
      return fmt::format("clears when {} {} well again", nodes, one ? "is" : "are");
    case Clearing::Nothing: return fmt::format("does not clear by itself on {}", nodes);
    case Clearing::NotKnown:
      return fmt::format("whether it clears by itself on {} cannot be told", nodes);
  }
  std::abort();
}

std::string name_of(const advice::DaemonSetAnswer& answer) {
  return base::printable_line(
      fmt::format("{}/{}", answer.report.ns.view(), answer.report.name.view()));
}

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
  const std::string line = fmt::format("{}: {}{}", name_of(answer), alert_message(*answer.alert),
                                       base::printable_line(last_change(answer)));
  const std::string mark = tick(style);
  return mark + " " + wrapped(style, Layout{.lead = 2}, line);
}

std::string loud_lines(const advice::DaemonSetAnswer& answer, const model::SourceInfo& source,
                       const Style& style) {
  const AlertReport& alert = *answer.alert;
  std::string result = paint(style, Color::Red, "!") + " " +
                       wrapped(style, Layout{.lead = 2},
                               fmt::format("{}: {}", name_of(answer), alert_message(alert)));
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

std::string alert_message(const AlertReport& report) {
  if (report.holds) {
    std::string result = fmt::format("the condition holds: {}; ", terms_clause(report));
    if (report.should_hold == std::optional(false)) {
      return result +
             "but the objects no longer say so: it clears when the controller counts again";
    }
    return result + since_clause(report);
  }
  if (any_term_holds(report) && report.progressed) {
    return fmt::format(
        "the condition does not hold while the rollout moves: {}, but a pod of the "
        "present template was created {} ago",
        terms_clause(report), base::span_text(report.judged_at - *report.progressed, "days"));
  }
  if (report.should_hold == std::optional(true)) {
    return fmt::format(
        "the condition does not hold yet: {}; it will when the controller counts "
        "again",
        terms_clause(report));
  }
  return fmt::format("the condition does not hold, or no longer: {}", terms_clause(report));
}

std::vector<std::string> clearing_sentences(const AlertReport& report) {
  std::vector<std::string> result;
  for (const ClearingNodes& entry : report.clearing) {
    result.push_back(clearing_sentence(entry, report.judged_at));
  }
  return result;
}

std::string alert_text(const advice::Explanation& explanation, bool named,
                       const model::SourceInfo& source,
                       const std::vector<model::Omission>& omissions, const Style& style) {
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

Json alert_json(const AlertReport& report) {
  Json values = Json::object();
  for (const diagnosis::AlertTerm& term : report.terms) {
    values[term.left] = term.left_value;
    if (!term.right.empty()) values[term.right] = term.right_value;
  }
  std::string message = alert_message(report);
  for (const std::string& sentence : clearing_sentences(report)) message += "; " + sentence;
  return {
      {"name", to_string(report.alert)},
      {"fires", report.holds},
      {"expression", expression_of(report.alert)},
      {"for", fmt::format("{}m", diagnosis::window_of(report.alert).count())},
      {"values", std::move(values)},
      {"since", report.since ? Json(rfc3339(*report.since)) : Json(nullptr)},
      {"findings", report.findings},
      {"clearsByItself", report.clears_by_itself ? Json(*report.clears_by_itself) : Json(nullptr)},
      {"message", std::move(message)}};
}

}  // namespace dsdoctor::render
