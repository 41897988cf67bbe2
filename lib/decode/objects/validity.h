// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "model/daemon_set.h"
#include "model/node.h"

namespace dsdoctor::decode {

/// Receives a field path and a sentence about it.
using WarningSink = std::function<void(std::string path, std::string what)>;

/// Warns about values that no API server accepts, with the controller's treatment of them.
/// Source of truth: pkg/apis/core/validation/validation.go: validateNodeTaints,
/// ValidateTolerations, ValidateNodeSelector (kubernetes v1.36.2).
void check(const model::Node& node, const WarningSink& warn);
void check(const model::DaemonSet& ds, const WarningSink& warn);

}  // namespace dsdoctor::decode
