// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "diagnosis/problems/placements.h"
#include "diagnosis/report/report.h"
#include "model/shared.h"

namespace dsdoctor::diagnosis {

/// Makes lists of the node names of placements. Equal lists are shared, because in a large cluster
/// many problems have the same nodes.
class PlacementNodes {
 public:
  /// Keeps the reference.
  explicit PlacementNodes(const std::vector<const DaemonSetReport*>& reports) : reports_(reports) {}

  /// Names of the nodes, sorted and without duplicates. REQUIRES: the placements belong to the
  /// reports.
  [[nodiscard]] model::SharedList<model::Text> of(const Placements& placements,
                                                  const Placements& others = {});

 private:
  using Names = std::vector<model::Text>;
  using Bits = std::vector<std::uint64_t>;  // one bit for each name

  const std::vector<const DaemonSetReport*>& reports_;
  std::map<std::pair<const Names*, Bits>, model::SharedList<model::Text>> known_;
};

}  // namespace dsdoctor::diagnosis
