// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Collects the findings about one node and creates evidence from its fields. The case must outlive
/// it.
class NodeRecord {
 public:
  explicit NodeRecord(const NodeCase& of) : of_(of) {}

  /// Adds a finding; those about a taint are grouped by its key and effect. Valid until the next
  /// call.
  Finding& add(const FindingKind& kind, std::vector<Evidence> evidence,
               const model::Taint* taint = nullptr);
  [[nodiscard]] std::size_t size() const { return findings_.size(); }
  /// The findings after the first `from` change no verdict: drops them, or keeps them as
  /// information.
  void discount(std::size_t from, bool keep);
  /// The findings after the first `from` end with the node's removal, which is in progress.
  void ends_with_node(std::size_t from);
  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

  [[nodiscard]] Evidence field(std::string_view path, std::string_view value) const;
  [[nodiscard]] Evidence condition(const model::Condition& condition) const;
  /// REQUIRES: the taint is one of the node's.
  [[nodiscard]] Evidence taint(const model::Taint& taint) const;

  /// Whether the time is known and less than `limit` ago.
  [[nodiscard]] bool is_within(const model::OptionalTime& moment, std::chrono::seconds limit) const;

 private:
  const NodeCase& of_;
  std::vector<Finding> findings_;
};

}  // namespace dsdoctor::diagnosis
