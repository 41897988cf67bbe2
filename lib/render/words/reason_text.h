// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "diagnosis/report/groups.h"
#include "placement/verdict.h"

namespace dsdoctor::render {

/// The name in JSON: "untolerated-taint".
[[nodiscard]] std::string_view kind_of(const placement::Reason& reason);

/// One sentence about one node, without a period.
[[nodiscard]] std::string sentence(const placement::Reason& reason);
/// The same for all nodes of a group.
[[nodiscard]] std::string sentence(const diagnosis::GroupReason& reason);

/// The path of the deciding field: in the DaemonSet, or in the Node for a taint.
[[nodiscard]] std::string path_of(const placement::Reason& reason);

/// "key=value:Effect", or "key:Effect" without a value.
[[nodiscard]] std::string to_string(const model::Taint& taint);
/// "key In [a, b]"
[[nodiscard]] std::string to_string(const model::NodeSelectorRequirement& requirement);
[[nodiscard]] std::string_view to_string(placement::RequirementFault fault);

}  // namespace dsdoctor::render
