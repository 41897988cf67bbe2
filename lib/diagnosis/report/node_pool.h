// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Labels that usually identify a kind of node, most specific first.
[[nodiscard]] std::span<const std::string_view> telling_labels();
/// Those of them that name node pools come first; this is their number.
[[nodiscard]] std::size_t labels_of_pools();

/// The values of the telling labels of a cluster's nodes as numbers, cached for all groups of all
/// DaemonSets. Keeps a reference: the cluster must outlive it unchanged. Not thread-safe.
class TellingLabels {
 public:
  /// A number for each node of the cluster; equal for equal values.
  using Column = std::vector<std::uint32_t>;
  static constexpr std::uint32_t none = 0;  // the node does not have the label

  explicit TellingLabels(const model::Cluster& cluster) : cluster_(cluster) {}

  [[nodiscard]] const model::Cluster& cluster() const { return cluster_; }
  /// `label`: index into telling_labels().
  [[nodiscard]] const Column& column(std::size_t label) const;

 private:
  const model::Cluster& cluster_;
  mutable std::vector<std::optional<Column>> columns_;  // computed on first use
};

/// Whether one of the node's labels that name node pools has this value.
[[nodiscard]] bool is_of_pool(const model::Node& node, std::string_view pool);

}  // namespace dsdoctor::diagnosis
