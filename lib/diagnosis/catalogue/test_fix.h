// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "diagnosis/catalogue/finding.h"

namespace dsdoctor::diagnosis {

/// The finding, if there is exactly one; otherwise the test fails.
inline Finding only(const std::vector<Finding>& findings) {
  REQUIRE(findings.size() == 1);
  return findings.front();
}

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
