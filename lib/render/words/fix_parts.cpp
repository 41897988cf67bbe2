// SPDX-License-Identifier: Apache-2.0
#include "render/words/fix_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/printable.h"
#include "base/shell_word.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "render/words/message_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

/// The number of pods that are deleted and not created again, and of those that the same rollout
/// replaces.
std::string deletions(std::size_t deleted, std::size_t replaced) {
  std::string result = fmt::format("The rolling update deletes {}", counted(deleted, "pod"));
  if (replaced == 0) return result + ".";
  return result + fmt::format(" and replaces {}.", counted(replaced, "pod"));
}

std::string replacements(const fixes::Effect& effect, std::optional<std::size_t> restarted_pods) {
  if (!restarted_pods) return "Replaces all pods (rolling update).";
  if (!effect.deletes.empty()) return deletions(effect.deletes.size(), *restarted_pods);
  if (*restarted_pods == 0) return "No pod is replaced.";
  return fmt::format("Replaces {} (rolling update).", counted(*restarted_pods, "pod"));
}

bool has_fix(const diagnosis::Finding& finding) { return !finding.fix.empty(); }

/// Says that no patch is recommended, and where to look instead; empty if a patch is recommended.
std::string no_patch_sentence(const fixes::FixAnswer& answer) {
  if (fixes::recommends_patch(answer)) return {};
  if (!answer.suggestions.empty()) return "No patch is recommended: what follows is possible.";
  const bool has_steps = std::ranges::any_of(answer.problems, has_fix) ||
                         std::ranges::any_of(answer.incurable, [](const fixes::Incurable& each) {
                           return each.finding && has_fix(*each.finding);
                         });
  if (has_steps) return "No patch of tolerations fixes this: see the steps below.";
  return answer.alternatives.empty() ? "No patch of tolerations fixes this."
                                     : "No patch is recommended: what follows is possible.";
}

/// ": " and what resolves without action; empty if nothing does.
std::string wait_of(const fixes::FixAnswer& answer) {
  for (const auto* list : {&answer.suggestions, &answer.withheld}) {
    for (const fixes::Suggestion& each : *list) {
      if (each.wait) return ": " + text_of(*each.wait);
    }
  }
  return {};
}

std::string nothing_for_targets(const fixes::FixAnswer& answer) {
  if (answer.target.kind == fixes::FixTarget::Kind::Each) {
    return fmt::format("No action needed for the selected nodes{}.", wait_of(answer));
  }
  return fmt::format("No action needed for {}{}.", to_string(answer.target),
                     answer.targets == 0 ? ": there are none" : wait_of(answer));
}

}  // namespace

std::string full_name(const diagnosis::DaemonSetReport& report) {
  std::string kind;
  if (report.other_kind) {
    kind = fmt::format(" ({}.{})", base::lower_case(report.other_kind->kind.view()),
                       model::api_group(report.other_kind->api_version));
  }
  return base::printable_line(fmt::format("{}/{}{}", report.ns.view(), report.name.view(), kind));
}

std::string counts_clause(const diagnosis::EvaluatedCounts& evaluated) {
  if (!evaluated.nodes_known) return "no node was read";
  const model::DaemonSetCounts& counts = evaluated.counts;
  std::string result = fmt::format("{} desired", counts.desired_number_scheduled);
  if (!evaluated.pods_known) return result;
  if (counts.current_number_scheduled != counts.desired_number_scheduled) {
    result += fmt::format(", {} current", counts.current_number_scheduled);
  }
  result += fmt::format(", {} ready", counts.number_ready);
  if (counts.number_available != counts.number_ready) {
    result += fmt::format(", {} available", counts.number_available);
  }
  if (evaluated.revision_known &&
      counts.updated_number_scheduled != counts.current_number_scheduled) {
    result += fmt::format(", {} of {} up to date", counts.updated_number_scheduled,
                          counts.current_number_scheduled);
  }
  if (counts.number_misscheduled != 0) {
    result += fmt::format(", {} misscheduled", counts.number_misscheduled);
  }
  return result;
}

diagnosis::EvaluatedCounts counts_of_nodes(const diagnosis::DaemonSetReport& report) {
  diagnosis::EvaluatedCounts result = report.evaluated;
  if (report.nodes.size() >= report.all_nodes) return result;
  result.counts = {};
  for (const auto& [state, nodes] : report.nodes.states()) {
    std::optional<diagnosis::CountedPod> pod;
    if (!state->pods.empty()) {
      const diagnosis::PodReport& first = state->pods.front();
      pod = diagnosis::CountedPod{first.ready, first.available, !first.outdated};
    }
    for (std::uint32_t i = 0; i < nodes; ++i) {
      count_node(result.counts, state->decision, pod ? &*pod : nullptr);
    }
  }
  return result;
}

std::string counts_clause(const diagnosis::DaemonSetReport& report) {
  if (report.evaluated.nodes_known || !report.observed) {
    return counts_clause(counts_of_nodes(report));
  }
  return "status: " + counts_clause(diagnosis::EvaluatedCounts{report.reported, true, true, true});
}

std::string counts_change(const fixes::Effect& effect, const Style& style) {
  const std::string_view arrow = style.unicode ? "→" : "->";
  std::string result;
  const auto add = [&](std::string_view what, std::int64_t before, std::int64_t after) {
    if (before == after) return;
    result += fmt::format("{}{} {} {} {}", result.empty() ? "" : ", ", what, before, arrow, after);
  };
  add("misscheduled", effect.before.number_misscheduled, effect.after.number_misscheduled);
  add("desired", effect.before.desired_number_scheduled, effect.after.desired_number_scheduled);
  return result.empty() ? "counts do not change" : result;
}

std::string effect_line(const fixes::Effect& effect, std::optional<std::size_t> restarted_pods,
                        bool on_delete, const Style& style) {
  std::string result = counts_change(effect, style) + ". ";
  result += on_delete ? "No pod is replaced until it is deleted (update strategy OnDelete)."
                      : replacements(effect, restarted_pods);
  if (!effect.unconfirmed.empty()) result += " " + unconfirmed_sentence(effect.unconfirmed);
  if (!effect.waits_for.empty()) {
    result += fmt::format(" The rolling update waits while no pod is available on {} ({}).",
                          name_list(effect.waits_for), effect.budget);
  }
  return result;
}

std::string unconfirmed_sentence(const std::vector<model::Text>& nodes) {
  if (nodes.empty()) return {};
  return nodes.size() == 1
             ? fmt::format("The pod on {} stays Terminating: its kubelet does not report.",
                           name_list(nodes))
             : fmt::format("The pods on {} stay Terminating: their kubelets do not report.",
                           name_list(nodes));
}

std::string tolerated_taints(const std::vector<model::Toleration>& tolerations, std::size_t most) {
  return base::printable_line(base::listed(
      tolerations.size(),
      [&](std::size_t i) {
        const model::Toleration& toleration = tolerations[i];
        return fmt::format("{}{}{}:{}", toleration.key.view(), toleration.value.empty() ? "" : "=",
                           toleration.value.view(), toleration.effect.view());
      },
      most));
}

std::string tolerate_clause(const fixes::Suggestion& suggestion, std::size_t most) {
  const auto& [added, imagined] = std::tie(suggestion.change.added, suggestion.change.imagined);
  const std::vector<model::Toleration> needed(added.begin() + static_cast<std::ptrdiff_t>(imagined),
                                              added.end());
  return fmt::format("tolerate {}{}", needed.size() == 1 ? "" : "all of ",
                     tolerated_taints(needed, most));
}

std::string_view imagined_sentence(const fixes::TemplateChange& change) {
  return change.imagined == 0 ? "" : "The patch adds the tolerations of --tolerate as well.";
}

std::string conclusion(const fixes::FixAnswer& answer) {
  if (!answer.report.evaluated.nodes_known) return "Not answered: no node was read.";
  if (answer.ds->meta.deleted) return "No patch: the DaemonSet is being deleted.";
  if (diagnosis::is_inactive(*answer.ds)) {
    return "No patch helps: the controller ignores a DaemonSet with an empty selector.";
  }
  if (fixes::needs_nothing(answer)) return fmt::format("No action needed{}.", wait_of(answer));
  if (fixes::targets_need_nothing(answer)) return nothing_for_targets(answer);
  if (!answer.suggestions.empty() || !answer.incurable.empty() || !answer.problems.empty() ||
      !answer.alternatives.empty()) {
    return no_patch_sentence(answer);
  }
  return answer.report.evaluated.pods_known
             ? "No fix is known."
             : "Unknown whether a pod is missing: pods were not read.";
}

std::string_view lead_of(const fixes::Suggestion& suggestion) {
  return suggestion.recommended ? "Fix" : "Possible";
}

std::string_view lead_of(const fixes::Alternative& alternative) {
  return alternative.recommended ? "Fix" : "Instead";
}

std::string lead_of(const fixes::Incurable& incurable) {
  const bool is_tolerated =
      incurable.finding && incurable.finding->id == diagnosis::FindingId::TolerationSecondsLoop;
  if (is_tolerated) return "On ";
  return incurable.is_tolerable ? "No toleration is recommended on " : "No toleration helps on ";
}

std::string wait_sentence(const fixes::Suggestion& suggestion) {
  if (!suggestion.wait) return {};
  return fmt::format("Resolves without action: {}.", text_of(*suggestion.wait));
}

std::string withheld_sentence(const fixes::FixAnswer& answer) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> taints;  // without duplicates from other nodes
  for (const fixes::Suggestion& each : answer.withheld) {
    for (const model::Toleration& toleration : each.change.added) {
      std::string text = tolerated_taints({toleration});
      if (std::ranges::find(taints, text) == taints.end()) taints.push_back(std::move(text));
    }
  }
  if (taints.empty()) return {};
  return fmt::format("No toleration is offered for {}: {} should not tolerate {}.",
                     base::listed(taints, shown), plural(answer.report.workload.kind),
                     taints.size() == 1 ? "it" : "them");
}

std::string owner_sentence(const fixes::Owner& owner) {
  const auto takes_back = [&](std::string_view when) {
    return fmt::format("{} reverts such a patch{} ({}): put it {}{}.", owner.name, when,
                       owner.evidence, owner.place,
                       owner.chart ? ", for which -o helm prints a piece" : "");
  };
  switch (owner.reverts) {
    case fixes::Reverts::AtOnce: return takes_back("");
    case fixes::Reverts::AtNextChange: return takes_back(" at its next run");
    case fixes::Reverts::Never:
      return fmt::format(
          "{} does not revert such a patch ({}), because the manifest does not have the field: add "
          "it there as well.",
          owner.name, owner.evidence);
  }
  return "";
}

std::string reverting_sentence(const std::vector<fixes::Owner>& owners) {
  if (owners.empty() || owners.front().reverts == fixes::Reverts::Never) return {};
  fixes::Owner owner = owners.front();
  owner.chart.reset();
  return owner_sentence(owner);
}

std::optional<std::string> manifest_command(std::string_view ns, std::string_view name,
                                            std::string_view id, const Presentation& style) {
  auto command = style.address.own_command("suggest", ns, name);
  if (!command) return std::nullopt;
  return fmt::format("{} --id {} -o manifest", *command,
                     base::shell_word(base::printable_line(std::string(id))));
}

bool changes_template(const fixes::FixAnswer& answer) {
  return !answer.suggestions.empty() ||
         std::ranges::any_of(answer.alternatives, [](const fixes::Alternative& each) {
           return each.change.has_value();
         });
}

}  // namespace dsdoctor::render
