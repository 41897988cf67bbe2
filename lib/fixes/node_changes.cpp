// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "fixes/alternatives.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::NodeReport;

/// Collects changes of nodes; nodes that need the same change share a command.
class NodeChanges {
 public:
  explicit NodeChanges(const Patient& patient)
      : patient_(patient), evaluator_(patient.ds.pod_template, patient.gates()) {}

  void find(const NodeFilter& is_asked, std::vector<Alternative>& into) {
    for_each_node(patient_.report, patient_.cluster(),
                  [&](const NodeReport& entry, const model::Node& node) {
                    if (is_asked(entry)) consider(entry, node);
                  });
    for (auto& [key, change] : changes_) into.push_back(described(std::move(change)));
  }

  void find_unknown_taints(const NodeFilter& is_asked, std::vector<Alternative>& into) {
    const auto is_meant = [&](const NodeReport& entry) {
      const auto& known = entry.known();
      return entry.verdict() == diagnosis::NodeVerdict::Misscheduled && is_asked(entry) &&
             std::ranges::all_of(known, [](const auto* each) { return each == nullptr; });
    };
    for_each_node(patient_.report, patient_.cluster(),
                  [&](const NodeReport& entry, const model::Node& node) {
                    if (is_meant(entry)) consider(entry, node);
                  });
    std::size_t found = 0;
    for (auto& [key, change] : changes_) {
      if (change.kind != NodeCommand::Kind::Untaint || change.nodes.size() > by_hand) continue;
      if (++found > most_removals) break;
      into.push_back(described(std::move(change)));
    }
  }

 private:
  // A taint of more nodes comes from the configuration of their pool, which would set it again.
  static constexpr std::size_t by_hand = 10;
  static constexpr std::size_t most_removals = 3;  // each prediction evaluates all nodes

  void consider(const NodeReport& entry, const model::Node& node) {
    if (entry.reasons().empty() || !takes_no_daemons(entry, node).empty()) return;
    NodeCommand labels{NodeCommand::Kind::Label, {}, {}, {}, false};
    NodeCommand taints{NodeCommand::Kind::Untaint, {}, {}, {}, false};
    std::string key;
    for (std::size_t i = 0; i < entry.reasons().size(); ++i) {
      const placement::Reason reason = entry.reasons()[i];
      if (const auto* open = std::get_if<placement::UntoleratedTaint>(&reason)) {
        if (diagnosis::passes(entry.known()[i])) return;  // its controller sets it again
        taints.taints.push_back({open->taint.key, {}, open->taint.effect});
        key += fmt::format("{}\n{}\n", open->taint.key.view(), open->taint.effect.view());
      } else if (const auto* label = std::get_if<placement::NodeSelectorMismatch>(&reason)) {
        labels.labels.emplace_back(label->key, label->want);
        labels.overwrites = labels.overwrites || label->have.has_value();
        key += fmt::format("{}={}\n", label->key.view(), label->want.view());
      } else {
        return;  // an affinity can be satisfied in many ways
      }
    }
    // One command makes one kind of change; a node that needs both has no simple fix.
    if (!labels.labels.empty() && !taints.taints.empty()) return;
    if (!brings_it(node, labels.labels, taints.taints)) return;
    NodeCommand& change =
        changes_.try_emplace(key, labels.labels.empty() ? taints : labels).first->second;
    change.overwrites = change.overwrites || labels.overwrites;
    change.nodes.push_back(node.meta.name);
  }

  /// The node after the command.
  static model::Node edited(model::Node node, const std::vector<model::Labels::Entry>& labels,
                            const std::vector<model::Taint>& taints) {
    for (const auto& [key, value] : labels) node.meta.labels.set(key, value);
    std::erase_if(node.taints, [&](const model::Taint& taint) {
      return std::ranges::any_of(taints, [&](const model::Taint& gone) {
        return gone.key == taint.key && gone.effect == taint.effect;
      });
    });
    return node;
  }

  /// A label that the selector requires may be one that the affinity forbids.
  [[nodiscard]] bool brings_it(const model::Node& node,
                               const std::vector<model::Labels::Entry>& labels,
                               const std::vector<model::Taint>& taints) const {
    return placement::should_run(evaluator_.decide(edited(node, labels, taints)));
  }

  [[nodiscard]] Alternative described(NodeCommand change) const {
    Alternative result;
    const bool labels = change.kind == NodeCommand::Kind::Label;
    result.id = labels ? "label-node" : "untaint-node";
    for (const auto& [key, value] : change.labels) {
      result.id += fmt::format("-{}-{}", key.view(), value.view());
    }
    for (const model::Taint& taint : change.taints) {
      result.id += fmt::format("-{}-{}", taint.key.view(), taint.effect.view());
    }
    using namespace diagnosis::phrase;
    const std::size_t count = change.nodes.size();
    const std::string_view node = count == 1 ? change.nodes.front().view() : "";
    if (labels) {
      result.what = LabelNodes{.node = node, .nodes = count};
      result.risk = OthersAreScheduledByTheLabel{};
    } else {
      result.what = RemoveTaint{.node = node, .nodes = count};
      result.risk = OthersAreScheduledThere{};
    }
    result.effect = effect_of_command(change);
    result.nodes = std::move(change);
    return result;
  }

  [[nodiscard]] Effect effect_of_command(const NodeCommand& change) const {
    // The nodes were found in the order of their names.
    const auto changed = [&](const model::Node& node) {
      const bool named = std::ranges::binary_search(change.nodes, node.meta.name.view(), {},
                                                    [](const auto& name) { return name.view(); });
      return named ? edited(node, change.labels, change.taints) : node;
    };
    return effect_of(patient_.reporter, patient_.ds, changed, patient_.report);
  }

  const Patient& patient_;
  placement::Evaluator evaluator_;
  std::map<std::string, NodeCommand> changes_;
};

}  // namespace

void add_node_changes(const Patient& patient, const NodeFilter& is_asked,
                      std::vector<Alternative>& into) {
  NodeChanges(patient).find(is_asked, into);
}

void add_removals_of_unknown_taints(const Patient& patient, const NodeFilter& is_asked,
                                    std::vector<Alternative>& into) {
  NodeChanges(patient).find_unknown_taints(is_asked, into);
}

}  // namespace dsdoctor::fixes
