#pragma once

#include <vector>

#include "advice/explanation.h"
#include "advice/toleration_patch.h"
#include "render/document/document.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// "Cure: tolerate a:NoSchedule", with what it changes, its risk, who reverts it, and the patch.
/// REQUIRES: `suggestion` is one of `answer`.
void add_cure(std::vector<Block>& blocks, const advice::DaemonSetAnswer& answer,
              const advice::Suggestion& suggestion, const Presentation& style);

}  // namespace dsdoctor::render
