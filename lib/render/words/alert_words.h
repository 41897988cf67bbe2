#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/alert_report.h"

namespace dsdoctor::render {

/// Status says what the alert looks for, apart from whether a rollout moves.
[[nodiscard]] bool any_term_holds(const diagnosis::AlertReport& report);

/// Whether the alert's condition holds, since when, and what that means. One clause after another,
/// no trailing period.
[[nodiscard]] std::string alert_message(const diagnosis::AlertReport& report);

/// Whether and when it clears; a sentence for each kind of node. Empty where nothing explains it.
[[nodiscard]] std::vector<std::string> clearing_sentences(const diagnosis::AlertReport& report);

}  // namespace dsdoctor::render
