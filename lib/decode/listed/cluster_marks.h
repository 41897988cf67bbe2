// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "decode/objects/kind.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// The objects whose UIDs differ from cluster to cluster, with the inputs that have them: nodes,
/// and the namespace kube-system.
class ClusterMarks {
 public:
  /// Call before a node is added to a list of `nodes`, and for each Namespace.
  void note(const model::ObjectMeta& meta, Kind kind, std::size_t nodes, const std::string& input);

  /// Call when the nodes whose index is set are removed.
  void erase_nodes(const std::vector<bool>& dropped);

  /// `nodes`: those that were noted, in the same order. Errors: TwoClusters, with both inputs, if
  /// an object has different UIDs in them.
  [[nodiscard]] base::Status check(const std::vector<model::Node>& nodes) const;

 private:
  [[nodiscard]] const std::string& input_of(std::size_t node) const;

  std::vector<std::pair<std::size_t, std::string>> node_inputs_;  // by the index of the first node
  std::vector<std::pair<std::string, std::string>> systems_;  // UIDs of kube-system with the input
};

}  // namespace dsdoctor::decode
