// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/node_pool.h"

#include <algorithm>
#include <unordered_map>

#include "diagnosis/evidence/node_state.h"

namespace dsdoctor::diagnosis {
namespace {

// Labels that name node pools come first.
constexpr std::string_view labels[] = {
    "karpenter.sh/nodepool",
    "eks.amazonaws.com/nodegroup",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "node-pool",
    "pool",
    "alpha.eksctl.io/nodegroup-name",
    "kops.k8s.io/instancegroup",
    "doks.digitalocean.com/node-pool",
    "oke.oraclecloud.com/node-pool",
    "machineconfiguration.openshift.io/pool",
    "node-role.kubernetes.io/control-plane",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "topology.kubernetes.io/zone",
};
constexpr std::size_t of_pools = 12;

}  // namespace

std::span<const std::string_view> telling_labels() { return labels; }

std::size_t labels_of_pools() { return of_pools; }

const TellingLabels::Column& TellingLabels::column(std::size_t label) const {
  columns_.resize(telling_labels().size());
  std::optional<Column>& column = columns_[label];
  if (column) return *column;
  column.emplace();
  column->reserve(cluster_.nodes.size());
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (const model::Node& node : cluster_.nodes) {
    const model::Text* value = node.meta.labels.find(telling_labels()[label]);
    const auto next = static_cast<std::uint32_t>(numbers.size() + 1);
    column->push_back(value == nullptr ? none : numbers.try_emplace(*value, next).first->second);
  }
  return *column;
}

bool is_of_pool(const model::Node& node, std::string_view pool) {
  return std::ranges::any_of(telling_labels().first(of_pools), [&](const std::string_view key) {
    return has_label(node, key, pool);
  });
}

}  // namespace dsdoctor::diagnosis
