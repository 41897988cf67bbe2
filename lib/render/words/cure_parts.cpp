#include "render/words/cure_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"

namespace dsdoctor::render {
namespace {

/// Of pods that are deleted for good, and of those that the same rollout replaces.
std::string deletions(std::size_t deleted, std::size_t replaced) {
  const std::string pods =
      deleted == 1 ? "one pod that is" : fmt::format("{} pods that are", deleted);
  std::string result = fmt::format("Deletes the {} not wanted then", pods);
  if (replaced == 0) return result + ".";
  return result + fmt::format(", and replaces the other {}, one rollout step after the other.",
                              replaced == 1 ? "one" : fmt::format("{}", replaced));
}

}  // namespace

std::string full_name(const diagnosis::DaemonSetReport& report) {
  return base::printable_line(fmt::format("{}/{}", report.ns.view(), report.name.view()));
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

std::string counts_change(const advice::Effect& effect, const Style& style) {
  const std::string_view arrow = style.unicode ? "→" : "->";
  std::string result;
  if (effect.before.number_misscheduled != effect.after.number_misscheduled) {
    result = fmt::format("misscheduled {} {} {}, ", effect.before.number_misscheduled, arrow,
                         effect.after.number_misscheduled);
  }
  if (effect.before == effect.after) return "every count stays as it is";
  return result + fmt::format("desired {} {} {}", effect.before.desired_number_scheduled, arrow,
                              effect.after.desired_number_scheduled);
}

std::string effect_line(const advice::Effect& effect, std::optional<std::size_t> restarted_pods,
                        bool on_delete, const Style& style) {
  std::string result = counts_change(effect, style) + ". ";
  if (on_delete) return result + "No pod restarts by itself (update strategy OnDelete).";
  if (!restarted_pods) return result + "Replaces all pods.";
  if (!effect.deletes.empty()) return result + deletions(effect.deletes.size(), *restarted_pods);
  if (*restarted_pods == 0) return result + "No pod has to restart.";
  if (*restarted_pods == 1) return result + "Replaces the one pod.";
  return result +
         fmt::format("Replaces all {} pods, one rollout step after the other.", *restarted_pods);
}

std::string tolerated_taints(const std::vector<model::Toleration>& tolerations) {
  std::string result;
  for (const model::Toleration& toleration : tolerations) {
    result += fmt::format("{}{}{}{}:{}", result.empty() ? "" : ", ", toleration.key.view(),
                          toleration.value.empty() ? "" : "=", toleration.value.view(),
                          toleration.effect.view());
  }
  return base::printable_line(result);
}

std::string nothing_to_cure(const advice::CureAnswer& answer) {
  if (!answer.report.evaluated.nodes_known) return "Not answered: no node was read.";
  if (answer.targets == 0) {
    return answer.target.kind == advice::Target::Kind::Each
               ? "Nothing to cure: it is wanted on every node, and runs there."
               : fmt::format("Nothing to cure: none of {} is one to be cured.",
                             to_string(answer.target));
  }
  return answer.incurable.empty() ? "Nothing to cure." : "No toleration helps:";
}

std::string owner_sentence(const advice::Owner& owner) {
  const auto takes_back = [&](std::string_view when) {
    return fmt::format("{} takes such a patch back{} ({}): put it {}{}.", owner.name, when,
                       owner.evidence, owner.place,
                       owner.chart ? ", for which -o helm prints a piece" : "");
  };
  switch (owner.reverts) {
    case advice::Reverts::AtOnce: return takes_back("");
    case advice::Reverts::AtNextChange: return takes_back(" at its next run");
    case advice::Reverts::Never:
      return fmt::format(
          "{} leaves such a patch as it is ({}), because the manifest does not have it: add it "
          "there, so that it is not lost.",
          owner.name, owner.evidence);
  }
  return "";
}

bool changes_template(const advice::CureAnswer& answer) {
  return !answer.suggestions.empty() ||
         std::ranges::any_of(answer.alternatives, [](const advice::Alternative& each) {
           return each.change.has_value();
         });
}

}  // namespace dsdoctor::render
