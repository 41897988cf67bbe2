// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <unordered_map>

#include "diagnosis/report/node_report.h"
#include "model/shared.h"

namespace dsdoctor::diagnosis {

/// Shares equal states of nodes without pods among all DaemonSets, many of which a node excludes
/// for the same reasons. Forgets its states at a maximum number, and shares no more if hardly any
/// was asked for again; states that were returned before stay valid.
class BareStates {
 public:
  /// Returns an equal state that earlier calls returned, if there is one, else `state`. REQUIRES:
  /// `state` has neither pods nor findings.
  [[nodiscard]] model::Shared<NodeState> shared(NodeState state);

  [[nodiscard]] std::size_t size() const { return states_.size(); }

 private:
  std::size_t found_ = 0;  // calls that returned a known state
  bool gives_up_ = false;
  std::unordered_multimap<std::size_t, model::Shared<NodeState>> states_;  // key: hash
};

}  // namespace dsdoctor::diagnosis
