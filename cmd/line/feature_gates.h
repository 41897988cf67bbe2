#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

namespace dsdoctor::cmd {

/// Reads `Gate=true,Other=false`, as Kubernetes' components do; AllAlpha and AllBeta included.
/// Gates that no answer depends on are an error, so that a typo does not pass for an answer.
[[nodiscard]] base::Result<placement::FeatureGates> parse_feature_gates(const std::string& text);

/// What is in force: a server that is too old to know a gate behaves as if it were off.
[[nodiscard]] placement::FeatureGates gates_for(placement::FeatureGates wanted,
                                                const std::optional<model::ServerVersion>& version);

}  // namespace dsdoctor::cmd
