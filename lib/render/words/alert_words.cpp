#include "render/words/alert_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "diagnosis/taints/taint_knowledge.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::AlertReport;
using diagnosis::Clearing;
using diagnosis::ClearingNodes;

/// "26 min", "40 s", "5 h"
std::string duration(model::Time from, model::Time to) {
  const auto seconds =
      std::max<std::int64_t>(0, std::chrono::floor<std::chrono::seconds>(to - from).count());
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t hour = 60 * minute;
  constexpr std::int64_t day = 24 * hour;
  if (seconds < 2 * minute) return fmt::format("{} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{} min", seconds / minute);
  if (seconds < 2 * day) return fmt::format("{} h", seconds / hour);
  return fmt::format("{} days", seconds / day);
}

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
                       duration(*report.since, report.judged_at));
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
        terms_clause(report), duration(*report.progressed, report.judged_at));
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

}  // namespace dsdoctor::render
