// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/alert_report.h"

namespace dsdoctor::render {

/// Whether the status meets a term of the alert, regardless of a rollout's progress.
[[nodiscard]] bool any_term_holds(const diagnosis::AlertReport& report);

/// Whether the alert's condition holds, since when, and what that means. Clauses without a
/// trailing period.
[[nodiscard]] std::string alert_message(const diagnosis::AlertReport& report);

/// Whether and when it clears, one sentence for each kind of node. Empty if nothing explains it.
[[nodiscard]] std::vector<std::string> clearing_sentences(const diagnosis::AlertReport& report);

}  // namespace dsdoctor::render
