// SPDX-License-Identifier: Apache-2.0
#include "render/words/alert_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/time.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::AlertReport;
using diagnosis::Clearing;
using diagnosis::ClearingNodes;

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
  if (!report.since) {
    return fmt::format("start time unknown; the alert fires after {}m", window.count());
  }
  if (diagnosis::fires_already(report) == std::optional(true)) {
    return fmt::format("for at least {}, so the alert fires",
                       base::age_text(*report.since, report.judged_at));
  }
  return fmt::format("at least since {}; the alert fires by {} unless the condition clears first",
                     diagnosis::format_utc(*report.since),
                     diagnosis::format_utc(*report.since + window));
}

std::string clearing_clause(const ClearingNodes& entry) {
  return fmt::format("{} {}", entry.nodes.size() == 1 ? "node" : "nodes", name_list(entry.nodes));
}

/// "; about 2026-…", or "; overdue since 2026-…".
std::string about_clause(const ClearingNodes& entry, model::Time now) {
  if (!entry.about) return "";
  return *entry.about > now
             ? fmt::format("; about {}", diagnosis::format_utc(*entry.about))
             : fmt::format("; overdue since {}", diagnosis::format_utc(*entry.about));
}

std::string clearing_sentence(const ClearingNodes& entry, model::Time now) {
  const bool one = entry.nodes.size() == 1;
  const std::string nodes = clearing_clause(entry);
  switch (entry.how) {
    case Clearing::NodeGone: {
      std::string result =
          fmt::format("resolves without action when {} {} removed", nodes, one ? "is" : "are");
      if (entry.longest_grace) {
        result += fmt::format("; longest terminationGracePeriodSeconds of the pods {}on {} is {}",
                              entry.knows_all_pods ? "" : "that were read ", one ? "it" : "them",
                              *entry.longest_grace);
      }
      return result + about_clause(entry, now);
    }
    case Clearing::PodGone:
      return fmt::format("resolves without action when the pod{} on {} {} deleted{}",
                         one ? "" : "s", nodes, one ? "is" : "are", about_clause(entry, now));
    case Clearing::Passing: return fmt::format("should resolve without action on {}", nodes);
    case Clearing::NodeWell:
      return fmt::format("clears when {} {} Ready again", nodes, one ? "is" : "are");
    case Clearing::TaintGone: return fmt::format("clears when the taint is removed from {}", nodes);
    case Clearing::Nothing: return fmt::format("needs action on {}", nodes);
    case Clearing::NotKnown:
      return fmt::format("unknown whether it resolves without action on {}", nodes);
  }
  std::abort();
}

}  // namespace

bool any_term_holds(const AlertReport& report) {
  return std::ranges::any_of(report.terms, &diagnosis::AlertTerm::holds);
}

std::string alert_message(const AlertReport& report) {
  if (report.holds) {
    std::string result = fmt::format("the condition holds: {}; ", terms_clause(report));
    if (report.should_hold == std::optional(false)) {
      return result + "status is outdated: it clears when the controller updates status";
    }
    return result + since_clause(report);
  }
  if (any_term_holds(report) && report.progressed) {
    return fmt::format(
        "the condition does not hold while updatedNumberScheduled changes: {}, but a pod of the "
        "current revision was created, or the template changed, {} ago",
        terms_clause(report), base::age_text(*report.progressed, report.judged_at));
  }
  if (report.should_hold == std::optional(true)) {
    return fmt::format(
        "the condition does not hold yet: {}; it will when the controller updates status",
        terms_clause(report));
  }
  return fmt::format("the condition does not hold: {}", terms_clause(report));
}

std::vector<std::string> clearing_sentences(const AlertReport& report) {
  std::vector<std::string> result;
  for (const ClearingNodes& entry : report.clearing) {
    result.push_back(clearing_sentence(entry, report.judged_at));
  }
  return result;
}

}  // namespace dsdoctor::render
