// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/groups.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "diagnosis/report/node_pool.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

// Parts of a reason that distinguish groups.
enum class Precision {
  Cause,  // also the node's own value
  Group,  // only the required part
};

// A separator that no label, taint or name can contain.
constexpr char end_of_field = '\x1f';

class KeyWriter {
 public:
  KeyWriter(std::string& out, Precision precision, std::string_view node_name)
      : out_(out), precision_(precision), node_name_(node_name) {}

  void operator()(const placement::NodeNameMismatch& r) { add("name", r.want); }
  void operator()(const placement::NodeSelectorMismatch& r) {
    add(r.of_namespace ? "namespace" : "selector", r.key, r.want);
    add_have(r.have);
  }
  void operator()(const placement::AffinityTermMismatch& r) {
    add("term", std::to_string(r.term), r.in_fields ? "f" : "e", std::to_string(r.index));
    if (r.more != 0) add("more", std::to_string(r.more));
    add_have(r.have);
  }
  void operator()(const placement::AffinityMatchesNothing&) { add("nothing"); }
  void operator()(const placement::UntoleratedTaint& r) {
    const bool varies = has_volatile_value(r.taint, node_name_);
    add("taint", r.taint.key, varies ? std::string_view() : r.taint.value.view(), r.taint.effect);
  }

 private:
  template <typename... Parts>
  void add(const Parts&... parts) {
    ((out_.append(std::string_view(parts)).push_back(end_of_field)), ...);
  }
  void add_have(const std::optional<model::Text>& have) {
    if (precision_ == Precision::Cause) add(have ? "has" : "lacks", have.value_or(model::Text()));
  }

  std::string& out_;
  Precision precision_;
  std::string_view node_name_;
};

std::string key_of(const placement::Reason& reason, Precision precision,
                   std::string_view node_name) {
  std::string key;
  std::visit(KeyWriter(key, precision, node_name), reason);
  return key;
}

/// Nodes whose pods fail for different causes are in different groups. Descriptions of excluded
/// nodes are not causes.
void add_cause_key(const NodeReport& node, std::string& key) {
  if (node.findings().empty() || node.findings().front().standing != Standing::Primary) return;
  const Finding& primary = node.findings().front();
  if (primary.severity == Severity::Info && node.verdict() == NodeVerdict::Excluded) return;
  key.append(primary.name()).push_back(end_of_field);
  key.append(primary.group).push_back(end_of_field);
}

/// Whether the value of a taint may be the node's name, so that the group depends on the name.
bool may_name_its_node(const NodeReport& node) {
  return std::ranges::any_of(node.shared_reasons(), [&](const placement::Reason& reason) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    return open != nullptr && !open->taint.value.empty();
  });
}

/// The places of the values in GroupReason::haves.
using HavePlaces = std::unordered_map<std::optional<std::string_view>, std::size_t>;

/// A group that is being collected.
struct GroupDraft {
  NodeGroup group;
  std::unordered_map<std::size_t, HavePlaces> places;  // by reason, of reasons with many values
};

constexpr std::size_t many_haves = 16;

std::optional<std::string_view> key_of(const std::optional<model::Text>& have) {
  return have ? std::optional(have->view()) : std::nullopt;
}

/// `have`: null if absent.
void add_have(GroupDraft& draft, std::size_t reason, const model::Text* have) {
  const std::optional<model::Text> text = have ? std::optional(*have) : std::nullopt;
  const std::optional<std::string_view> key = key_of(text);
  std::vector<HaveCount>& counts = draft.group.reasons[reason].haves;
  if (counts.size() < many_haves) {
    const auto at = std::ranges::find_if(
        counts, [&](const HaveCount& count) { return key_of(count.have) == key; });
    if (at == counts.end()) {
      counts.push_back({text, 1});
    } else {
      ++at->nodes;
    }
    return;
  }
  HavePlaces& places = draft.places[reason];
  if (places.empty()) {
    for (std::size_t i = 0; i < counts.size(); ++i) places.emplace(key_of(counts[i].have), i);
  }
  const auto [at, is_new] = places.try_emplace(key, counts.size());
  if (is_new) counts.push_back({text, 0});
  ++counts[at->second].nodes;
}

void add_node(GroupDraft& draft, const DaemonSetReport& report, std::size_t index) {
  NodeGroup& group = draft.group;
  const NodeReport node = report.nodes[index];
  const ReasonsOfNode reasons = node.reasons();
  if (group.nodes.empty()) {
    group.verdict = node.verdict();
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      group.reasons.push_back({reasons[i], node.known()[i], false, {}});
    }
  }
  group.nodes.push_back(index);
  // Same key, so the same reasons in the same order.
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    GroupReason& entry = group.reasons[i];
    if (reasons.has_value(i)) add_have(draft, i, reasons.value(i));
    const auto* first = std::get_if<placement::UntoleratedTaint>(&entry.reason);
    const auto* taint = std::get_if<placement::UntoleratedTaint>(&node.shared_reasons()[i]);
    if (first != nullptr && taint != nullptr && first->taint.value != taint->taint.value) {
      entry.value_varies = true;
    }
  }
}

constexpr std::size_t most_shared_labels = 2;

// A label distinguishes a group if at most a fourth as many other nodes have it.
constexpr std::size_t tolerated_strangers = 4;

/// The labels that distinguish the groups of a report.
class SharedLabels {
 public:
  SharedLabels(const DaemonSetReport& report, const TellingLabels& labels)
      : report_(report), labels_(labels) {
    for (std::size_t i = 0; i < report.nodes.size(); ++i) {
      if (report.nodes[i].verdict() != NodeVerdict::Running) continue;
      if (const auto place = place_of(i)) running_.push_back(*place);
    }
  }

  void add_to(NodeGroup& group) const {
    if (group.nodes.size() < 2) return;
    // Without other nodes no label can distinguish the group.
    if (running_.empty() && group.nodes.size() >= labels_.cluster().nodes.size()) return;
    Places places;
    for (const std::size_t index : group.nodes) {
      const auto place = place_of(index);
      if (!place) return;  // the node was not read
      places.push_back(*place);
    }
    for (std::size_t i = 0; i < telling_labels().size(); ++i) {
      const TellingLabels::Column& column = labels_.column(i);
      const std::uint32_t value = column[places.front()];
      const auto has_it = [&](std::size_t place) { return column[place] == value; };
      if (value == TellingLabels::none || !std::ranges::all_of(places, has_it)) continue;
      const std::size_t strangers = strangers_with(column, value, places.size());
      if (strangers * tolerated_strangers > places.size()) continue;
      const std::string_view key = telling_labels()[i];
      group.shared_labels.emplace_back(key, *node_at(places.front()).meta.labels.find(key));
      if (group.shared_labels.size() == most_shared_labels) return;
    }
  }

 private:
  using Places = std::vector<std::size_t>;  // into the cluster's nodes

  [[nodiscard]] const model::Node& node_at(std::size_t place) const {
    return labels_.cluster().nodes[place];
  }
  [[nodiscard]] std::optional<std::size_t> place_of(std::size_t index) const {
    // Names that are shared are those of the cluster's nodes.
    if (report_.nodes.shares_names()) return report_.nodes.name_index(index);
    const auto* node = model::find_node(labels_.cluster(), report_.nodes[index].name, index);
    if (node == nullptr) return std::nullopt;
    return static_cast<std::size_t>(node - labels_.cluster().nodes.data());
  }
  /// Number of other nodes with this value: among the running nodes, or, without running nodes in
  /// the report, among all nodes of the cluster. `in_group`: number of nodes of the group, all of
  /// which have the value.
  [[nodiscard]] std::size_t strangers_with(const TellingLabels::Column& column, std::uint32_t value,
                                           std::size_t in_group) const {
    if (running_.empty()) {
      return static_cast<std::size_t>(std::ranges::count(column, value)) - in_group;
    }
    return static_cast<std::size_t>(
        std::ranges::count_if(running_, [&](std::size_t place) { return column[place] == value; }));
  }

  const DaemonSetReport& report_;
  const TellingLabels& labels_;
  Places running_;
};

}  // namespace

std::vector<NodeGroup> group_nodes(const DaemonSetReport& report, const TellingLabels& labels) {
  std::unordered_map<std::string, GroupDraft> groups;
  std::vector<GroupDraft*> by_state(report.nodes.states().size());
  std::string key;
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport node = report.nodes[i];
    GroupDraft*& group = by_state[report.nodes.state_of(i)];
    if (group == nullptr || may_name_its_node(node)) {
      key = to_string(node.verdict());
      for (const auto& reason : node.shared_reasons()) {
        std::visit(KeyWriter(key, Precision::Group, node.name), reason);
      }
      add_cause_key(node, key);
      group = &groups[key];
    }
    add_node(*group, report, i);
  }
  const SharedLabels shared(report, labels);
  std::vector<NodeGroup> result;
  for (auto& [joined, draft] : groups) {
    NodeGroup& group = draft.group;
    for (GroupReason& reason : group.reasons) {
      std::ranges::stable_sort(reason.haves, std::greater(), &HaveCount::nodes);
    }
    // Shared labels of running nodes do not explain anything.
    if (group.verdict != NodeVerdict::Running) shared.add_to(group);
    result.push_back(std::move(group));
  }
  std::ranges::stable_sort(result, {}, [](const NodeGroup& group) {
    return std::tuple(group.verdict, -static_cast<std::ptrdiff_t>(group.nodes.size()),
                      group.nodes.front());
  });
  return result;
}

std::vector<Cause> causes(const DaemonSetReport& report,
                          const std::optional<base::IndexRuns>& nodes) {
  std::map<std::pair<NodeVerdict, std::string>, Cause> found;
  const auto add = [&](const NodeReport& node) {
    for (std::size_t i = 0; i < node.shared_reasons().size(); ++i) {
      const placement::Reason reason = node.reasons()[i];
      Cause& cause = found[{node.verdict(), key_of(reason, Precision::Cause, node.name)}];
      if (cause.nodes.empty()) {
        cause.verdict = node.verdict();
        cause.reason = reason;
        cause.known = node.known()[i];
      }
      cause.nodes.push_back(node.name);
    }
  };
  if (nodes) {
    for (const std::size_t index : *nodes) add(report.nodes[index]);
  } else {
    for (const NodeReport& node : report.nodes) add(node);
  }
  std::vector<Cause> result;
  result.reserve(found.size());
  for (auto& [key, cause] : found) result.push_back(std::move(cause));
  std::ranges::stable_sort(result, {}, [](const Cause& cause) {
    return std::pair(cause.verdict, -static_cast<std::ptrdiff_t>(cause.nodes.size()));
  });
  return result;
}

}  // namespace dsdoctor::diagnosis
