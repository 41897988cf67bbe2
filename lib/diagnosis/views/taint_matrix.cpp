// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/taint_matrix.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "diagnosis/reporter.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/tolerates.h"

namespace dsdoctor::diagnosis {
namespace {

/// A treatment with the index of the toleration; comparable, for grouping.
using Answer = std::pair<Treatment, std::size_t>;

class Tolerations {
 public:
  Tolerations(const model::PodTemplate& of, placement::FeatureGates gates)
      : own_(of.tolerations),
        automatic_(placement::automatic_tolerations(of.host_network)),
        gates_(gates) {}

  [[nodiscard]] Answer answer(const model::Taint& taint) const {
    const auto fits = [&](const model::Toleration& toleration) {
      return placement::tolerates(toleration, taint, gates_);
    };
    if (const auto at = std::ranges::find_if(own_, fits); at != own_.end()) {
      return {Treatment::Tolerated, static_cast<std::size_t>(at - own_.begin())};
    }
    if (const auto at = std::ranges::find_if(automatic_, fits); at != automatic_.end()) {
      return {Treatment::Automatic, static_cast<std::size_t>(at - automatic_.begin())};
    }
    return {Treatment::NotTolerated, 0};
  }
  [[nodiscard]] TaintCell cell(Answer answer) const {
    switch (answer.first) {
      case Treatment::Tolerated:
        return {answer.first, answer.second, own_[answer.second], std::nullopt};
      case Treatment::Automatic: return {answer.first, 0, automatic_[answer.second], std::nullopt};
      case Treatment::NotTolerated:
      case Treatment::Mixed: return {};
    }
    std::abort();
  }

 private:
  const std::vector<model::Toleration>& own_;
  std::vector<model::Toleration> automatic_;
  placement::FeatureGates gates_;
};

/// Taints with equal RowKeys share a row.
struct RowKey {
  model::Text key;
  model::Text effect;
  model::Text value;  // empty if volatile
  bool is_volatile = false;
  model::Text known;  // id
  std::vector<Answer> answers;

  friend bool operator<(const RowKey& a, const RowKey& b) {
    return std::tie(a.key, a.effect, a.value, a.is_volatile, a.known, a.answers) <
           std::tie(b.key, b.effect, b.value, b.is_volatile, b.known, b.answers);
  }
};

using Rows = std::map<RowKey, TaintRow>;

void add_to(TaintRow& row, const model::Node& node, const model::Taint& taint,
            const model::KnownTaint* known) {
  const auto since = tainted_since(taint);
  if (row.nodes.empty()) {
    row.taint = taint;
    row.decides = placement::is_blocking(taint);
    row.known = known;
  }
  if (row.taint.value != taint.value) row.value_varies = true;
  if (since && (!row.since || *since < *row.since)) row.since = since;
  row.nodes.push_back({node.meta.name, taint.value, since});
}

Rows rows_of(const model::Cluster& cluster, const std::vector<Tolerations>& tolerations,
             const ReportOptions& options, const std::function<bool(const model::Node&)>& selects,
             TaintMatrix& counts) {
  Rows rows;
  std::map<model::Taint, std::vector<Answer>> answers;
  for (const model::Node& node : cluster.nodes) {
    if (selects && !selects(node)) continue;
    ++counts.nodes;
    counts.tainted_nodes += node.taints.empty() ? 0 : 1;
    for (const model::Taint& taint : node.taints) {
      const auto [at, is_new] = answers.try_emplace(taint);
      if (is_new) {
        for (const Tolerations& of : tolerations) at->second.push_back(of.answer(taint));
      }
      const bool is_volatile = has_volatile_value(taint, node.meta.name);
      const auto* known = options.taints->find(taint, node.meta.labels);
      const RowKey key{taint.key,
                       taint.effect,
                       is_volatile ? model::Text() : taint.value,
                       is_volatile,
                       known == nullptr ? model::Text() : known->id,
                       at->second};
      add_to(rows[key], node, taint, known);
    }
  }
  return rows;
}

/// Merges a row with the same key and effect.
void add_row(TaintRow& row, const TaintRow& other) {
  row.value_varies = row.value_varies || other.value_varies || row.taint.value != other.taint.value;
  if (row.known != other.known) row.known = nullptr;
  row.nodes.insert(row.nodes.end(), other.nodes.begin(), other.nodes.end());
  if (other.since && (!row.since || *other.since < *row.since)) row.since = other.since;
}

/// The treatment of several taints by a DaemonSet.
TaintCell common_cell(const DaemonSetRow& row, const std::vector<std::size_t>& taints) {
  const TaintCell& first = row.cells[taints.front()];
  const bool alike = std::ranges::all_of(
      taints, [&](std::size_t taint) { return row.cells[taint].treatment == first.treatment; });
  if (alike) return first;
  TaintCell result;
  result.treatment = Treatment::Mixed;
  return result;
}

}  // namespace

TaintMatrix taint_matrix(const model::Cluster& cluster,
                         const std::vector<const model::DaemonSet*>& daemon_sets,
                         const ReportOptions& options,
                         const std::function<bool(const model::Node&)>& selects) {
  std::vector<const model::DaemonSet*> sorted = daemon_sets;
  std::ranges::stable_sort(sorted, {}, [](const model::DaemonSet* ds) {
    return std::tuple(ds->meta.ns.view(), ds->meta.name.view());
  });
  std::vector<Tolerations> tolerations;
  TaintMatrix matrix;
  matrix.nodes_known = cluster.nodes_known;
  for (const model::DaemonSet* ds : sorted) {
    tolerations.emplace_back(ds->pod_template, options.gates);
    matrix.daemon_sets.push_back({ds->meta.ns, ds->meta.name, workload_of(ds->pod_template), {}});
  }
  for (auto& [key, row] : rows_of(cluster, tolerations, options, selects, matrix)) {
    for (std::size_t i = 0; i < tolerations.size(); ++i) {
      DaemonSetRow& of = matrix.daemon_sets[i];
      TaintCell& cell = of.cells.emplace_back(tolerations[i].cell(key.answers[i]));
      if (row.known != nullptr) cell.advised = advised_for(*row.known, of.workload.kind);
    }
    matrix.taints.push_back(std::move(row));
  }
  return matrix;
}

TaintMatrix with_values_folded(const TaintMatrix& matrix) {
  std::map<std::pair<model::Text, model::Text>, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < matrix.taints.size(); ++i) {
    const model::Taint& taint = matrix.taints[i].taint;
    by_name[{taint.key, taint.effect}].push_back(i);
  }
  std::vector<std::pair<TaintRow, std::vector<std::size_t>>> folded;
  folded.reserve(by_name.size());
  for (auto& [name, rows] : by_name) {
    TaintRow row = matrix.taints[rows.front()];
    for (std::size_t i = 1; i < rows.size(); ++i) add_row(row, matrix.taints[rows[i]]);
    if (row.known == nullptr) {
      for (const std::size_t i : rows) {
        const TaintRow& of_value = matrix.taints[i];
        if (of_value.known == nullptr) continue;
        row.known_values.emplace_back(of_value.taint.value, of_value.known);
      }
    }
    std::ranges::stable_sort(row.nodes, {}, &TaintedNode::name);
    folded.emplace_back(std::move(row), std::move(rows));
  }
  std::ranges::stable_sort(folded, std::ranges::greater(),
                           [](const auto& entry) { return entry.first.nodes.size(); });
  TaintMatrix result;
  result.nodes = matrix.nodes;
  result.tainted_nodes = matrix.tainted_nodes;
  result.nodes_known = matrix.nodes_known;
  for (const DaemonSetRow& row : matrix.daemon_sets) {
    DaemonSetRow& to = result.daemon_sets.emplace_back(row);
    to.cells.clear();
    for (const auto& [taint, rows] : folded) to.cells.push_back(common_cell(row, rows));
  }
  result.taints.reserve(folded.size());
  for (auto& [taint, rows] : folded) result.taints.push_back(std::move(taint));
  return result;
}

std::string_view to_string(Treatment treatment) {
  switch (treatment) {
    case Treatment::Mixed: return "mixed";
    case Treatment::Tolerated: return "tolerated";
    case Treatment::Automatic: return "automatic";
    case Treatment::NotTolerated: return "not-tolerated";
  }
  std::abort();
}

}  // namespace dsdoctor::diagnosis
