// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/index_iterator.h"
#include "base/index_runs.h"
#include "base/packed_numbers.h"
#include "diagnosis/report/node_report.h"
#include "model/labels.h"
#include "model/shared.h"
#include "model/text.h"

namespace dsdoctor::diagnosis {

using NodeNames = model::Shared<std::vector<model::Text>>;
using NodeLabels = model::Shared<std::vector<model::Labels>>;

/// Reports about many nodes. Needs one byte a node if there are few different states: the reports
/// of all DaemonSets share the names, and nodes with equal states share the state.
class NodeReports {
 public:
  /// A state and the number of nodes that have it; may be 0.
  struct Use {
    model::Shared<NodeState> state;
    std::uint32_t nodes = 0;
  };

  using Iterator = base::IndexIterator<NodeReports, NodeReport>;

  NodeReports() = default;
  /// For the nodes of a cluster with these sorted names; the caller appends their states in this
  /// order. `labels`: of these nodes, for the values in reasons; empty if the states already have
  /// the values of their nodes.
  explicit NodeReports(NodeNames names, NodeLabels labels = {})
      : names_(std::move(names)), labels_(std::move(labels)) {
    states_of_.reserve(names_->size());
  }

  [[nodiscard]] std::size_t size() const { return states_of_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] NodeReport operator[](std::size_t at) const {
    const std::size_t index = name_index(at);
    return {names()[index], uses_[states_of_[at]].state,
            labels_->empty() ? nullptr : &(*labels_)[index]};
  }
  [[nodiscard]] NodeReport front() const { return (*this)[0]; }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }

  /// Names of the nodes, and possibly of others. Several lists can share the same object.
  [[nodiscard]] const std::vector<model::Text>& names() const {
    return own_names_.empty() ? *names_ : own_names_;
  }
  /// Whether names() are those from the constructor.
  [[nodiscard]] bool shares_names() const { return own_names_.empty(); }
  /// Index into names() of the node at `at`.
  [[nodiscard]] std::size_t name_index(std::size_t at) const {
    return chosen_ ? (*chosen_)[at] : at;
  }

  /// All states, each with the number of its nodes.
  [[nodiscard]] const std::vector<Use>& states() const { return uses_; }
  /// Indexes of the nodes whose state fulfills the predicate, ascending. Evaluates it once for each
  /// state, and looks at the nodes only if a state fulfills it.
  template <typename Predicate>
  [[nodiscard]] base::IndexRuns where(const Predicate& is_so) const {
    base::IndexRuns result;
    std::vector<bool> chosen;
    for (const Use& use : uses_) chosen.push_back(use.nodes > 0 && is_so(*use.state));
    if (std::ranges::find(chosen, true) == chosen.end()) return result;
    for (std::size_t at = 0; at < size(); ++at) {
      if (chosen[states_of_[at]]) result.push_back(at);
    }
    return result;
  }
  /// Index into states().
  [[nodiscard]] std::uint32_t state_of(std::size_t at) const { return states_of_[at]; }
  [[nodiscard]] std::size_t count(NodeVerdict verdict) const;
  /// The node with that name; absent if there is none. REQUIRES: the nodes are sorted by name.
  [[nodiscard]] std::optional<NodeReport> find(std::string_view name) const;

  /// Adds a state that no node has yet, for append() or set(). Returns its index in states().
  std::uint32_t add_state(model::Shared<NodeState> state);
  /// Adds the state of the node with the next name.
  void append(std::uint32_t state);
  void append(model::Shared<NodeState> state) { append(add_state(std::move(state))); }
  /// Adds a node with its own name. REQUIRES: the list was constructed without names.
  void push_back(const OwnNodeReport& node);
  void set(std::size_t at, std::uint32_t state);
  void set(std::size_t at, model::Shared<NodeState> state) { set(at, add_state(std::move(state))); }
  /// Changes the state of one node.
  template <typename Change>
  void change(std::size_t at, const Change& change) {
    NodeState changed = *uses_[states_of_[at]].state;
    change(changed);
    set(at, std::move(changed));
  }

  /// Changes a state for all nodes that have it. `which`: index into states().
  template <typename Change>
  void change_state(std::uint32_t which, const Change& change) {
    NodeState changed = *uses_[which].state;
    change(changed);
    uses_[which].state = std::move(changed);
  }

  /// The list with only these nodes. `nodes`: indexes.
  [[nodiscard]] NodeReports only(const base::IndexRuns& nodes) const;
  void sort_by_name();

 private:
  [[nodiscard]] const model::Text& name(std::size_t at) const { return names()[name_index(at)]; }

  NodeNames names_;
  NodeLabels labels_;                      // by the index of the name
  std::vector<model::Text> own_names_;     // instead of names_
  std::optional<base::IndexRuns> chosen_;  // indexes of the names; absent: all
  std::vector<Use> uses_;
  base::PackedNumbers states_of_;  // for each node its index into uses_
};

}  // namespace dsdoctor::diagnosis
