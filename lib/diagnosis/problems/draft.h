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

/// A problem while it is put together.
struct Draft {
  Problem problem;
  std::set<std::size_t> daemon_sets;
  std::map<std::string_view, Message> also;  // messages of other findings, by id
  std::optional<Message> title;              // what all messages have in common
  std::string part;      // group of the findings, where the root fails in several ways
  bool varies = false;   // the message is another elsewhere
  bool undated = false;  // since when a pod is misplaced is not known everywhere

  /// Of a placement, or of a DaemonSet that has none in the problem.
  void add_message(const Message& message);
};

/// The problems that are met, in that order. What has the same finding, root and action is one, and
/// so has to be the group where the root fails in many ways.
class Drafts {
 public:
  /// The index of the draft to which the finding belongs, which may be new.
  [[nodiscard]] std::size_t of(const Finding& finding, Root root, Action action);
  /// The same of wrong placements of a DaemonSet that no finding explains.
  [[nodiscard]] std::size_t of(const DaemonSetReport& report, NodeVerdict verdict, Action action);

  [[nodiscard]] Draft& operator[](std::size_t index) { return drafts_[index]; }
  [[nodiscard]] auto begin() { return drafts_.begin(); }
  [[nodiscard]] auto end() { return drafts_.end(); }

 private:
  /// Its index; true where it is new.
  std::pair<std::size_t, bool> with_key(const std::string& key);

  std::vector<Draft> drafts_;
  std::unordered_map<std::string, std::size_t> by_key_;
};

}  // namespace dsdoctor::diagnosis
