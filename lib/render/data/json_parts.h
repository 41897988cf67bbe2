#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "advice/toleration_patch.h"
#include "diagnosis/report/report.h"
#include "render/words/style.h"

/// Pieces that several documents share.
namespace dsdoctor::render {

using Json = nlohmann::ordered_json;

/// `known`: what is known of the taint, if it is one; may be null.
[[nodiscard]] Json reason_json(const placement::Reason& reason, const model::KnownTaint* known);
[[nodiscard]] Json to_json(const advice::PlacementCounts& counts);
[[nodiscard]] Json names_json(const std::vector<model::Text>& texts);
/// A suggestion as an Explanation lists it.
[[nodiscard]] Json suggestion_json(const diagnosis::DaemonSetReport& report,
                                   const advice::Suggestion& suggestion, const Style& style);

}  // namespace dsdoctor::render
