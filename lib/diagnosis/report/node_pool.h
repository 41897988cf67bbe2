#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Labels by which operators name a kind of node, the most telling first.
[[nodiscard]] std::span<const std::string_view> telling_labels();

/// Which value of each telling label the nodes of a cluster have, as numbers: looked up once, since
/// every group of every DaemonSet asks. Keeps a reference: the cluster must outlive it unchanged.
/// Not for several threads.
class TellingLabels {
 public:
  /// For each node of the cluster; equal for equal values.
  using Column = std::vector<std::uint32_t>;
  static constexpr std::uint32_t none = 0;  // the node lacks the label

  explicit TellingLabels(const model::Cluster& cluster) : cluster_(cluster) {}

  [[nodiscard]] const model::Cluster& cluster() const { return cluster_; }
  /// `label`: into telling_labels().
  [[nodiscard]] const Column& column(std::size_t label) const;

 private:
  const model::Cluster& cluster_;
  mutable std::vector<std::optional<Column>> columns_;  // when first asked for
};

/// One of the labels that name node pools has this value, whoever manages the pool.
[[nodiscard]] bool is_of_pool(const model::Node& node, std::string_view pool);

}  // namespace dsdoctor::diagnosis
