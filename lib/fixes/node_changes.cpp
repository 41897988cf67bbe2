// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
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
    for (auto& [key, change] : changes_) into.push_back(described(change));
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
    if (changes_.empty()) return;
    const auto nodes = nodes_by_taint();
    const auto is_by_hand = [&](const model::Taint& taint) {
      return nodes.at({taint.key.view(), taint.effect.view()}) <= by_hand;
    };
    std::size_t found = 0;
    for (auto& [key, change] : changes_) {
      if (!std::ranges::all_of(change.command.taints, is_by_hand)) continue;
      if (++found > most_removals) break;
      into.push_back(described(change));
    }
  }

 private:
  /// A command, and its nodes by name.
  struct Change {
    NodeCommand command;
    std::vector<const model::Node*> nodes;
  };

  // A taint of more nodes comes from the configuration of their pool, which would set it again.
  static constexpr std::size_t by_hand = 10;
  static constexpr std::size_t most_removals = 3;  // each prediction evaluates all nodes

  /// The number of nodes with each taint, by key and effect.
  [[nodiscard]] std::map<std::pair<std::string_view, std::string_view>, std::size_t>
  nodes_by_taint() const {
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> result;
    for (const model::Node& node : patient_.cluster().nodes) {
      for (const model::Taint& taint : node.taints) {
        ++result[{taint.key.view(), taint.effect.view()}];
      }
    }
    return result;
  }

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
    Change& change = changes_[key];
    if (change.nodes.empty()) change.command = labels.labels.empty() ? taints : labels;
    change.command.overwrites = change.command.overwrites || labels.overwrites;
    change.command.nodes.push_back(node.meta.name);
    change.nodes.push_back(&node);
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

  [[nodiscard]] Alternative described(const Change& change) const {
    const NodeCommand& command = change.command;
    Alternative result;
    const bool labels = command.kind == NodeCommand::Kind::Label;
    result.id = labels ? "label-node" : "untaint-node";
    for (const auto& [key, value] : command.labels) {
      result.id += fmt::format("-{}-{}", key.view(), value.view());
    }
    for (const model::Taint& taint : command.taints) {
      result.id += fmt::format("-{}-{}", taint.key.view(), taint.effect.view());
    }
    using namespace diagnosis::phrase;
    const std::size_t count = command.nodes.size();
    const std::string_view node = count == 1 ? command.nodes.front().view() : "";
    if (labels) {
      result.what = LabelNodes{.node = node, .nodes = count};
      result.risk = OthersAreScheduledByTheLabel{};
    } else {
      result.what = RemoveTaint{.node = node, .nodes = count};
      result.risk = OthersAreScheduledThere{};
    }
    result.effect = effect_of(change);
    result.nodes = command;
    return result;
  }

  [[nodiscard]] Effect effect_of(const Change& change) const {
    std::vector<model::Node> changed;
    changed.reserve(change.nodes.size());
    for (const model::Node* node : change.nodes) {
      changed.push_back(edited(*node, change.command.labels, change.command.taints));
    }
    return fixes::effect_of(patient_.reporter, patient_.ds, changed, patient_.report);
  }

  const Patient& patient_;
  placement::Evaluator evaluator_;
  std::map<std::string, Change> changes_;
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
