// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "fixes/explanation.h"
#include "render/data/json.h"
#include "render/words/envelope.h"

namespace dsdoctor::render {

/// A log in SARIF 2.1.0: a result for each problem of a DaemonSet in a manifest that needs action,
/// with the line that the evidence names, else the line of the DaemonSet. The rules are the
/// findings; problems of other DaemonSets are left out. An omission is a notification. `answered`:
/// nothing was left unknown. `version`: of this program. REQUIRES: `envelope.what_if` is set.
/// Source of truth: OASIS, Static Analysis Results Interchange Format 2.1.0 plus Errata 01.
[[nodiscard]] Json sarif_json(const fixes::Explanation& explanation, const Envelope& envelope,
                              bool answered, std::string_view version);

}  // namespace dsdoctor::render
