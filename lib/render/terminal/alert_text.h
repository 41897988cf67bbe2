#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "advice/explanation.h"
#include "diagnosis/views/alert.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// Whether the alert's condition holds, since when, and what that means. One clause after another,
/// no trailing period.
[[nodiscard]] std::string alert_message(const diagnosis::AlertReport& report);

/// Whether and when it clears; a sentence for each kind of node. Empty where nothing explains it.
[[nodiscard]] std::vector<std::string> clearing_sentences(const diagnosis::AlertReport& report);

/// The answer to `check --alert`: the DaemonSets for which the condition holds, in full; the others
/// in a line. `named`: the user asked for these DaemonSets, so each gets a line of its own.
/// REQUIRES: every DaemonSet has its `alert`.
[[nodiscard]] std::string alert_text(const advice::Explanation& explanation, bool named,
                                     const model::SourceInfo& source,
                                     const std::vector<model::Omission>& omissions,
                                     const Style& style);

[[nodiscard]] nlohmann::ordered_json alert_json(const diagnosis::AlertReport& report);

}  // namespace dsdoctor::render
