// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/matrix/placement_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "diagnosis/report/node_pool.h"

namespace dsdoctor::diagnosis {

NodeIndex::NodeIndex(const std::vector<const DaemonSetReport*>& reports) {
  std::unordered_set<std::string_view> seen;
  const auto add = [&](const model::Text& name) {
    if (seen.insert(name.view()).second) names_.push_back(name);
  };
  bool has_all_shared = false;
  for (const DaemonSetReport* report : reports) {
    const NodeReports& nodes = report->nodes;
    if (shared_ == nullptr && nodes.shares_names()) shared_ = &nodes.names();
    const bool is_shared = &nodes.names() == shared_;
    if (is_shared && has_all_shared) continue;
    for (std::size_t at = 0; at < nodes.size(); ++at) add(nodes.names()[nodes.name_index(at)]);
    if (is_shared && nodes.size() == shared_->size()) has_all_shared = true;
  }
  std::ranges::sort(names_);
  if (shared_ == nullptr) return;
  shared_places_.reserve(shared_->size());
  for (const model::Text& name : *shared_) shared_places_.push_back(find(name.view()));
}

std::uint32_t NodeIndex::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(names_, name, {}, &model::Text::view);
  return static_cast<std::uint32_t>(at - names_.begin());
}

std::size_t NodeIndex::of(const DaemonSetReport& report, std::size_t at) const {
  const NodeReports& nodes = report.nodes;
  const std::size_t place = nodes.name_index(at);
  if (&nodes.names() == shared_) return shared_places_[place];
  return find(nodes.names()[place].view());
}

namespace {

constexpr std::uint32_t absent = 0;  // the number of a cell of a node that is not in the report
constexpr std::uint32_t no_problem = 0;

/// For each row the problem of each node of its report, plus one; 0: none.
using ProblemsOfRows = std::vector<std::vector<std::uint32_t>>;

ProblemsOfRows problems_of_rows(const Problems& problems, const std::vector<std::size_t>& rows,
                                const std::vector<const DaemonSetReport*>& reports) {
  std::unordered_map<std::size_t, std::size_t> row_of;
  ProblemsOfRows result;
  for (const std::size_t i : rows) {
    row_of.emplace(i, result.size());
    result.emplace_back(reports[i]->nodes.size(), no_problem);
  }
  for (std::size_t p = 0; p < problems.problems.size(); ++p) {
    for (const Placements::Part& part : problems.problems[p].placements.parts()) {
      const auto row = row_of.find(part.daemon_set);
      if (row == row_of.end()) continue;
      for (const std::size_t at : part.nodes) {
        result[row->second][at] = static_cast<std::uint32_t>(p + 1);
      }
    }
  }
  return result;
}

/// Splits classes of nodes, so that the nodes of a class have equal cells.
class Partition {
 public:
  explicit Partition(std::size_t nodes) : class_of_(nodes, 0) {}

  /// `cells`: a number for each node.
  void split(const std::vector<std::uint32_t>& cells) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < class_of_.size(); ++i) {
      const std::uint64_t key = (static_cast<std::uint64_t>(class_of_[i]) << 32U) | cells[i];
      const auto next = static_cast<std::uint32_t>(numbers.size());
      class_of_[i] = numbers.try_emplace(key, next).first->second;
    }
    classes_ = numbers.size();
  }

  [[nodiscard]] std::vector<NodeClass> take() const {
    std::vector<NodeClass> result(class_of_.empty() ? 0 : classes_);
    for (std::size_t i = 0; i < class_of_.size(); ++i) result[class_of_[i]].nodes.push_back(i);
    return result;
  }

 private:
  std::vector<std::uint32_t> class_of_;
  std::size_t classes_ = 1;
};

/// The cells of one DaemonSet: a number for each node, and what each number means.
struct Row {
  std::vector<std::uint32_t> cells;
  std::vector<MatrixCell> meanings;
};

/// `of_node`: as in ProblemsOfRows.
Row row_of(const DaemonSetReport& report, const std::vector<std::uint32_t>& of_node,
           const NodeIndex& index) {
  Row row{std::vector<std::uint32_t>(index.names().size(), absent), {{}}};
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  for (std::size_t at = 0; at < of_node.size(); ++at) {
    const NodeVerdict verdict = report.nodes[at].verdict();
    const std::uint64_t key =
        (static_cast<std::uint64_t>(verdict) << 32U) | static_cast<std::uint64_t>(of_node[at]);
    const auto next = static_cast<std::uint32_t>(row.meanings.size());
    const auto [number, is_new] = numbers.try_emplace(key, next);
    if (is_new) {
      row.meanings.push_back(
          {verdict,
           of_node[at] == no_problem ? std::nullopt : std::optional<std::size_t>(of_node[at] - 1),
           0});
    }
    row.cells[index.of(report, at)] = number->second;
  }
  return row;
}

/// The cell of nodes that may differ: the first problem, and how many of them have one.
MatrixCell joined_cell(const Row& row, const std::vector<std::size_t>& nodes) {
  MatrixCell result = row.meanings[row.cells[nodes.front()]];
  for (const std::size_t i : nodes) {
    const MatrixCell& cell = row.meanings[row.cells[i]];
    if (cell.verdict != result.verdict) result.verdict.reset();
    if (cell.problem && (!result.problem || *cell.problem < *result.problem)) {
      result.problem = cell.problem;
    }
    if (cell.problem) ++result.nodes;
  }
  return result;
}

/// Something that a node has.
struct Trait {
  enum class Kind { Taint, Condition, Label };
  Kind kind;
  std::string_view key;
  std::string_view value;  // the effect of a taint
};

bool has(const model::Node& node, const Trait& trait) {
  switch (trait.kind) {
    case Trait::Kind::Taint:
      return std::ranges::any_of(node.taints, [&](const model::Taint& taint) {
        return taint.key.view() == trait.key && taint.effect.view() == trait.value;
      });
    case Trait::Kind::Condition:
      return std::ranges::any_of(node.conditions, [&](const model::Condition& condition) {
        return condition.type.view() == trait.key && condition.status.view() == trait.value;
      });
    case Trait::Kind::Label: {
      const model::Text* value = node.meta.labels.find(trait.key);
      return value != nullptr && value->view() == trait.value;
    }
  }
  return false;
}

std::string text_of_trait(const Trait& trait) {
  return fmt::format("{}{}{}", trait.key, trait.kind == Trait::Kind::Taint ? ":" : "=",
                     trait.value);
}

std::vector<Trait> traits_of(const model::Node& node) {
  std::vector<Trait> result;
  for (const model::Taint& taint : node.taints) {
    result.push_back({Trait::Kind::Taint, taint.key.view(), taint.effect.view()});
  }
  for (const model::Condition& condition : node.conditions) {
    const bool is_usual = (condition.type == "Ready") == (condition.status == "True");
    if (!is_usual) {
      result.push_back({Trait::Kind::Condition, condition.type.view(), condition.status.view()});
    }
  }
  for (const auto& [key, value] : node.meta.labels) {
    if (key != "kubernetes.io/hostname") {
      result.push_back({Trait::Kind::Label, key.view(), value.view()});
    }
  }
  return result;
}

using NodePointers = std::vector<const model::Node*>;

/// A trait of all nodes of the class that no other node of its pool has. `others`: those.
std::string distinguishing_trait(const NodePointers& of_class, const NodePointers& others) {
  if (of_class.empty() || others.empty()) return {};
  for (const Trait& trait : traits_of(*of_class.front())) {
    const auto has_it = [&](const model::Node* node) { return has(*node, trait); };
    if (std::ranges::all_of(of_class, has_it) && std::ranges::none_of(others, has_it)) {
      return text_of_trait(trait);
    }
  }
  return {};
}

/// Finds pools and traits of classes.
class ClassNames {
 public:
  ClassNames(const NodeIndex& index, const model::Cluster& cluster, std::string_view label) {
    nodes_.reserve(index.names().size());
    for (std::size_t i = 0; i < index.names().size(); ++i) {
      nodes_.push_back(model::find_node(cluster, index.names()[i], i));
      pools_.push_back(nodes_[i] == nullptr ? std::string_view()
                                            : diagnosis::pool_of(*nodes_[i], label));
    }
  }

  [[nodiscard]] std::string_view pool_of(std::size_t node) const { return pools_[node]; }

  void name(NodeClass& each) const {
    each.pool = pool_of(each.nodes.front());
    for (const std::size_t node : each.nodes) {
      if (pool_of(node) != each.pool) each.pool = several_pools;
    }
  }

  void add_trait(NodeClass& each) const {
    NodePointers others;
    NodePointers own;
    auto next = each.nodes.begin();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const bool is_own = next != each.nodes.end() && *next == i;
      if (is_own) ++next;
      if (nodes_[i] == nullptr) {
        if (is_own) return;
      } else if (is_own) {
        own.push_back(nodes_[i]);
      } else if (each.pool == several_pools || pool_of(i) == each.pool) {
        others.push_back(nodes_[i]);
      }
    }
    each.trait = distinguishing_trait(own, others);
  }

 private:
  NodePointers nodes_;  // null: unknown
  std::vector<std::string_view> pools_;
};

/// Splits the nodes of a class by their pool, so that each column belongs to one.
std::vector<std::uint32_t> numbers_of_pools(const ClassNames& names, std::size_t nodes) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::vector<std::uint32_t> result;
  result.reserve(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    result.push_back(numbers.try_emplace(names.pool_of(i), next).first->second);
  }
  return result;
}

/// Sorts classes by pool: the pool of the most nodes first.
void sort_by_pool(std::vector<NodeClass>& classes) {
  std::unordered_map<std::string_view, std::size_t> sizes;
  for (const NodeClass& each : classes) sizes[each.pool] += each.nodes.size();
  std::ranges::stable_sort(classes, [&](const NodeClass& a, const NodeClass& b) {
    if (a.pool == b.pool) return a.nodes.size() > b.nodes.size();
    const std::size_t of_a = sizes[a.pool];
    const std::size_t of_b = sizes[b.pool];
    return of_a != of_b ? of_a > of_b : a.pool < b.pool;
  });
}

}  // namespace

std::string_view pool_label(const model::Cluster& cluster) {
  const TellingLabels labels(cluster);
  std::string_view best;
  std::size_t most = 0;
  for (std::size_t i = 0; i < labels_of_pools(); ++i) {
    const TellingLabels::Column& column = labels.column(i);
    const std::uint32_t values = column.empty() ? 0 : *std::ranges::max_element(column);
    if (values > most) {
      most = values;
      best = telling_labels()[i];
    }
  }
  const auto has_role = [](const model::Node& node) { return !pool_of(node, role_prefix).empty(); };
  const bool has_roles = best.empty() && std::ranges::any_of(cluster.nodes, has_role);
  return has_roles ? role_prefix : best;
}

std::string_view pool_of(const model::Node& node, std::string_view label) {
  if (label.empty()) return {};
  if (label == role_prefix) {
    for (const auto& [key, value] : node.meta.labels) {
      if (key.view().starts_with(label)) return key.view().substr(label.size());
    }
    return {};
  }
  const model::Text* value = node.meta.labels.find(label);
  return value == nullptr ? std::string_view() : value->view();
}

PlacementMatrix placement_matrix(const std::vector<const DaemonSetReport*>& reports,
                                 const Problems& problems, const NodeIndex& index,
                                 const model::Cluster& cluster,
                                 const std::vector<std::size_t>& rows, std::size_t most) {
  PlacementMatrix result{pool_label(cluster), rows, {}};
  if (rows.empty() || index.names().empty()) return result;
  const ClassNames names(index, cluster, result.label);
  const std::size_t nodes = index.names().size();
  Partition partition(nodes);
  std::vector<Row> all;
  all.reserve(rows.size());
  const ProblemsOfRows of_rows = problems_of_rows(problems, rows, reports);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    all.push_back(row_of(*reports[rows[row]], of_rows[row], index));
    partition.split(all.back().cells);
  }
  std::vector<NodeClass> by_cells = partition.take();
  // Pools split a class only if there is room for the columns.
  partition.split(numbers_of_pools(names, nodes));
  std::vector<NodeClass> by_pool = partition.take();
  result.classes = by_pool.size() <= most ? std::move(by_pool) : std::move(by_cells);
  std::ranges::stable_sort(result.classes, std::ranges::greater{},
                           [](const NodeClass& each) { return each.nodes.size(); });
  if (result.classes.size() > most) {
    for (std::size_t i = most; i < result.classes.size(); ++i) {
      const std::vector<std::size_t>& more = result.classes[i].nodes;
      result.rest.nodes.insert(result.rest.nodes.end(), more.begin(), more.end());
    }
    result.classes_of_rest = result.classes.size() - most;
    result.classes.resize(most);
    std::ranges::sort(result.rest.nodes);
    for (const Row& row : all) result.rest.cells.push_back(joined_cell(row, result.rest.nodes));
  }
  for (NodeClass& each : result.classes) {
    for (const Row& row : all) each.cells.push_back(joined_cell(row, each.nodes));
    names.name(each);
    names.add_trait(each);
  }
  sort_by_pool(result.classes);
  return result;
}

}  // namespace dsdoctor::diagnosis
