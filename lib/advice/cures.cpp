#include "advice/cures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "diagnosis/report/reach.h"

namespace dsdoctor::advice {
namespace {

using diagnosis::NodeReport;
using diagnosis::NodeVerdict;

/// Nothing is to be cured there.
bool is_well(const NodeReport& node) {
  return node.verdict == NodeVerdict::Running || node.verdict == NodeVerdict::Terminating;
}

/// Why no toleration helps; empty where one does, or nothing has to be cured.
std::string incurable_because(const NodeReport& node) {
  if (is_well(node) || is_curable(node)) return {};
  if (placement::should_run(node.decision)) {
    std::string why = "wanted already, so that no toleration is missing";
    const bool told =
        !node.findings.empty() && node.findings.front().standing == diagnosis::Standing::Primary;
    return told ? fmt::format("{}; {}", why, node.findings.front().message) : why;
  }
  std::string why = "kept out by more than taints";
  char separator = ':';
  for (const placement::Reason& reason : node.reasons) {
    if (std::holds_alternative<placement::UntoleratedTaint>(reason)) continue;
    why += fmt::format("{} {}", separator, diagnosis::clause_text(reason));
    separator = ',';
  }
  return why;
}

TouchedFields touched_by(const CureAnswer& answer) {
  TouchedFields result{!answer.suggestions.empty(), false};
  for (const Alternative& each : answer.alternatives) {
    if (!each.change) continue;
    result.tolerations = result.tolerations || each.change->removed || !each.change->added.empty();
    result.node_affinity = result.node_affinity || !each.change->requirements.empty();
  }
  return result;
}

class Consultation {
 public:
  Consultation(const diagnosis::Reporter& reporter, const Target& target)
      : cluster_(reporter.cluster()), options_(reporter.options()), target_(target) {}

  [[nodiscard]] CureAnswer examine(const model::DaemonSet& ds,
                                   diagnosis::DaemonSetReport report) const {
    CureAnswer answer;
    answer.ds = &ds;
    answer.report = std::move(report);
    answer.target = target_;
    std::unordered_set<std::string_view> asked;
    for_each_node(answer.report, cluster_, [&](const NodeReport& entry, const model::Node& node) {
      if (!is_target(target_, entry, node)) return;
      if (options_.selects && !options_.selects(node)) return;
      asked.insert(entry.name.view());
    });
    const auto is_asked = [&](const NodeReport& node) { return asked.contains(node.name.view()); };
    suggest(answer, is_asked);
    answer.alternatives =
        alternatives({ds, answer.report, cluster_, options_.gates, *options_.taints}, target_);
    answer.owners = owners_of(ds, touched_by(answer));
    return answer;
  }

 private:
  void suggest(CureAnswer& answer, const NodeFilter& is_asked) const {
    const auto& [ds, report] = std::tie(*answer.ds, answer.report);
    if (target_.kind != Target::Kind::Each) {
      auto one = suggestion_for(ds, report, cluster_, options_.gates, is_asked);
      if (one) answer.suggestions.push_back(std::move(*one));
      find_incurable(answer, is_asked);
      return;
    }
    answer.suggestions = suggestions(ds, report, cluster_, options_.gates);
    answer.targets = static_cast<std::size_t>(
        std::ranges::count_if(report.nodes, [](const NodeReport& n) { return !is_well(n); }));
    if (!options_.selects) return;
    std::unordered_set<std::string_view> names;
    for (const NodeReport& node : report.nodes) {
      if (is_asked(node)) names.insert(node.name.view());
    }
    keep_those_for(answer.suggestions, names);
  }

  static void find_incurable(CureAnswer& answer, const NodeFilter& is_asked) {
    std::map<std::string, std::vector<model::Text>> by_reason;
    for (const NodeReport& node : answer.report.nodes) {
      if (!is_asked(node)) continue;
      ++answer.targets;
      if (std::string why = incurable_because(node); !why.empty()) {
        by_reason[std::move(why)].push_back(node.name);
      }
    }
    for (auto& [why, nodes] : by_reason) answer.incurable.push_back({why, std::move(nodes)});
    std::ranges::stable_sort(answer.incurable, std::greater(),
                             [](const Incurable& each) { return each.nodes.size(); });
  }

  const model::Cluster& cluster_;
  const diagnosis::ReportOptions& options_;
  const Target& target_;
};

}  // namespace

std::vector<CureAnswer> cures(const diagnosis::Reporter& reporter,
                              const std::vector<const model::DaemonSet*>& daemon_sets,
                              const Target& target) {
  // Effects are counted over all nodes, so the selection comes last.
  diagnosis::ReportOptions everything = reporter.options();
  everything.selects = nullptr;
  const Consultation consultation(reporter, target);
  std::vector<CureAnswer> result;
  result.reserve(daemon_sets.size());
  for (const model::DaemonSet* ds : daemon_sets) {
    result.push_back(consultation.examine(*ds, reporter.report(*ds, everything)));
  }
  return result;
}

}  // namespace dsdoctor::advice
