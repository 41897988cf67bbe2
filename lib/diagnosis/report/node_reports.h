#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/index_runs.h"
#include "base/packed_numbers.h"
#include "diagnosis/report/node_report.h"
#include "model/shared.h"
#include "model/text.h"

namespace dsdoctor::diagnosis {

using NodeNames = model::Shared<std::vector<model::Text>>;

/// What is said of many nodes: of a cluster's nodes one byte each where few things are said, since
/// their names are shared by the reports of all DaemonSets, and their states by nodes alike.
class NodeReports {
 public:
  /// A state, and how many nodes have it; may be none.
  struct Use {
    model::Shared<NodeState> state;
    std::uint32_t nodes = 0;
  };

  class Iterator {
   public:
    using value_type = NodeReport;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    Iterator(const NodeReports* of, std::size_t at) : of_(of), at_(at) {}

    /// What operator-> leads to.
    struct Pointer {
      NodeReport node;
      const NodeReport* operator->() const { return &node; }
    };

    NodeReport operator*() const { return (*of_)[at_]; }
    Pointer operator->() const { return {**this}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {of_, at_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const NodeReports* of_ = nullptr;
    std::size_t at_ = 0;
  };

  NodeReports() = default;
  /// Of the cluster's nodes, with these names in their order, which is sorted; their states are to
  /// be appended in this order.
  explicit NodeReports(NodeNames names) : names_(std::move(names)) {
    states_of_.reserve(names_->size());
  }

  [[nodiscard]] std::size_t size() const { return states_of_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] NodeReport operator[](std::size_t at) const {
    return {name(at), uses_[states_of_[at]].state};
  }
  [[nodiscard]] NodeReport front() const { return (*this)[0]; }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }

  /// Theirs, and perhaps others'; those of another list may be the same object.
  [[nodiscard]] const std::vector<model::Text>& names() const {
    return own_names_.empty() ? *names_ : own_names_;
  }
  /// `names` are those that it was begun with.
  [[nodiscard]] bool shares_names() const { return own_names_.empty(); }
  /// The place among `names` of the node at `at`.
  [[nodiscard]] std::size_t name_index(std::size_t at) const {
    return chosen_ ? (*chosen_)[at] : at;
  }

  /// All states, each with the number of its nodes.
  [[nodiscard]] const std::vector<Use>& states() const { return uses_; }
  /// The places of the nodes whose state is so, ascending. Asks once a state, and passes over the
  /// nodes only where some have such a one.
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
  /// Into `states`.
  [[nodiscard]] std::uint32_t state_of(std::size_t at) const { return states_of_[at]; }
  [[nodiscard]] std::size_t count(NodeVerdict verdict) const;
  /// The node of that name; absent where there is none. REQUIRES: they are sorted by name.
  [[nodiscard]] std::optional<NodeReport> find(std::string_view name) const;

  /// To be appended or set; no node has it yet. Gives its place in `states`.
  std::uint32_t add_state(model::Shared<NodeState> state);
  /// Of the node with the next name.
  void append(std::uint32_t state);
  void append(model::Shared<NodeState> state) { append(add_state(std::move(state))); }
  /// A node with a name of its own. REQUIRES: not begun with names.
  void push_back(const OwnNodeReport& node);
  void set(std::size_t at, std::uint32_t state);
  void set(std::size_t at, model::Shared<NodeState> state) { set(at, add_state(std::move(state))); }
  /// Of this node alone.
  template <typename Change>
  void change(std::size_t at, const Change& change) {
    NodeState changed = *uses_[states_of_[at]].state;
    change(changed);
    set(at, std::move(changed));
  }

  /// Of all nodes that have this one of `states`.
  template <typename Change>
  void change_state(std::uint32_t which, const Change& change) {
    NodeState changed = *uses_[which].state;
    change(changed);
    uses_[which].state = std::move(changed);
  }

  /// Only these.
  [[nodiscard]] NodeReports only(const base::IndexRuns& nodes) const;
  void sort_by_name();

 private:
  [[nodiscard]] const model::Text& name(std::size_t at) const { return names()[name_index(at)]; }

  NodeNames names_;
  std::vector<model::Text> own_names_;     // instead of names_
  std::optional<base::IndexRuns> chosen_;  // of the names; absent: all of them
  std::vector<Use> uses_;
  base::PackedNumbers states_of_;  // of each node, into uses_
};

}  // namespace dsdoctor::diagnosis
