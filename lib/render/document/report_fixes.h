// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fixes/explanation.h"
#include "fixes/toleration_patch.h"
#include "render/document/document.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// "Fix: tolerate a:NoSchedule", with what it changes, its risk, who reverts it, and the patch.
/// REQUIRES: `suggestion` is one of `answer`.
void add_fix(std::vector<Block>& blocks, const fixes::DaemonSetAnswer& answer,
             const fixes::Suggestion& suggestion, const Presentation& style);

}  // namespace dsdoctor::render
