// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Collects findings about a DaemonSet as a whole. Keeps a reference to the case.
class FindingList {
 public:
  explicit FindingList(const DaemonSetCase& of) : of_(of) {}

  /// Adds a finding whose fix can name `node`. The result is valid until the next call.
  Finding& add(FindingKind kind, std::vector<Evidence> evidence, std::string_view node = {}) {
    CaseNames names = names_of(of_);
    names.node = node;
    return findings_.emplace_back(make_finding(std::move(kind), std::move(evidence), names));
  }
  void append(std::vector<Finding> more) { std::ranges::move(more, std::back_inserter(findings_)); }

  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

 private:
  const DaemonSetCase& of_;
  std::vector<Finding> findings_;
};

}  // namespace dsdoctor::diagnosis
