#pragma once

#include <vector>

#include "advice/toleration_patch.h"
#include "diagnosis/report/report.h"
#include "render/document/document.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// "Cure: tolerate a:NoSchedule", with what it changes, its risk and the patch.
void add_cure(std::vector<Block>& blocks, const diagnosis::DaemonSetReport& report,
              const advice::Suggestion& suggestion, const Presentation& style);

}  // namespace dsdoctor::render
