#pragma once

#include <cstddef>
#include <unordered_map>

#include "diagnosis/report/node_report.h"
#include "model/shared.h"

namespace dsdoctor::diagnosis {

/// States of nodes without pods, each kept once for all DaemonSets: what keeps one of them off a
/// node keeps others off it, too. Remembers so many and then begins again; what was shared stays
/// so.
class BareStates {
 public:
  /// The same state, shared with equal ones. REQUIRES: it has neither pods nor findings.
  [[nodiscard]] model::Shared<NodeState> shared(NodeState state);

  [[nodiscard]] std::size_t size() const { return states_.size(); }

 private:
  std::unordered_multimap<std::size_t, model::Shared<NodeState>> states_;  // by hash
};

}  // namespace dsdoctor::diagnosis
