// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/daemon_set.h"

namespace dsdoctor::source {

/// Formats the selector as a `labelSelector` parameter: `app=a,tier in (x,y),!old`, not
/// URL-encoded. Empty for a selector that matches everything; null for one that a server would
/// reject.
[[nodiscard]] std::optional<std::string> to_label_query(const model::LabelSelector& selector);

}  // namespace dsdoctor::source
