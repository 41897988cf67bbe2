// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "diagnosis/report/report.h"
#include "model/node.h"

namespace dsdoctor::fixes {

/// The nodes to find a fix for.
struct FixTarget {
  enum class Kind {
    Each,          // all nodes, each obstacle separately
    Misscheduled,  // nodes with a misscheduled pod
    Missing,       // eligible nodes without a pod
    Node,
    Pool,
    All,
  };
  Kind kind = Kind::Each;
  std::string name;  // of the node or the pool
  std::string key;   // of the label that names the pool; empty: any usual one
};

/// Parses a value of `--for`: misscheduled, missing, node/NAME, pool=NAME, pool=KEY=NAME, all.
/// Errors: Usage.
[[nodiscard]] base::Result<FixTarget> parse_target(std::string_view text);

/// "the misscheduled nodes", "node gpu-1"
[[nodiscard]] std::string to_string(const FixTarget& target);

/// Whether the node is one of the target's; true for Each.
[[nodiscard]] bool is_target(const FixTarget& target, const diagnosis::NodeReport& report,
                             const model::Node& node);

}  // namespace dsdoctor::fixes
