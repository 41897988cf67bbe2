// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnosis/catalogue/finding.h"

namespace dsdoctor::diagnosis {

/// The fix of a finding as text, one step a line.
inline std::string fix_of(const Finding& finding) {
  std::string result;
  for (const Step& step : finding.fix) {
    result += result.empty() ? "" : "\n";
    result += step.text;
    if (!step.command) continue;
    result += (step.text.empty() ? "" : ": ") + base::to_string(*step.command);
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
