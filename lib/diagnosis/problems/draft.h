// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diagnosis/problems/problem.h"
#include "diagnosis/report/report.h"

namespace dsdoctor::diagnosis {

/// A problem under construction.
struct Draft {
  Problem problem;
  std::set<std::size_t> daemon_sets;
  std::map<std::string_view, Message> also;  // messages of other findings, by id
  std::optional<Message> title;              // the common part of all messages
  std::string part;      // group of the findings, if the root can have several problems
  bool varies = false;   // the placements have different messages
  bool undated = false;  // the start time of a misplaced pod is not known

  /// Adds the message of a placement, or of a DaemonSet without placements in the problem.
  void add_message(const Message& message);
};

/// The drafts of problems, in the order of their first finding. Findings with the same finding id,
/// root and action belong to one problem; if the root can have several problems, the group has to
/// be the same, too.
class Drafts {
 public:
  /// Index of the draft that the finding belongs to; adds a draft if there is none.
  [[nodiscard]] std::size_t of(const Finding& finding, Root root, Action action);
  /// Index of the draft for wrong placements of a DaemonSet without a finding.
  [[nodiscard]] std::size_t of(const DaemonSetReport& report, NodeVerdict verdict, Action action);

  [[nodiscard]] Draft& operator[](std::size_t index) { return drafts_[index]; }
  [[nodiscard]] auto begin() { return drafts_.begin(); }
  [[nodiscard]] auto end() { return drafts_.end(); }

 private:
  /// Index of the draft with this key, and whether it is new.
  std::pair<std::size_t, bool> with_key(const std::string& key);

  std::vector<Draft> drafts_;
  std::unordered_map<std::string, std::size_t> by_key_;
};

}  // namespace dsdoctor::diagnosis
