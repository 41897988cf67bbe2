#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// What is found about one node, and how its fields are named in evidence. The case must outlive
/// it.
class NodeRecord {
 public:
  explicit NodeRecord(const NodeCase& of) : of_(of) {}

  /// Findings about a taint are grouped by its key and effect. Valid until the next one.
  Finding& add(const FindingKind& kind, std::vector<Evidence> evidence,
               const model::Taint* taint = nullptr);
  [[nodiscard]] std::size_t size() const { return findings_.size(); }
  /// What was added after the first `from` changes no verdict: drops it, or keeps it as
  /// information.
  void discount(std::size_t from, bool keep);
  /// What was added after the first `from` ends when the node is removed, which is under way.
  void ends_with_node(std::size_t from);
  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

  [[nodiscard]] Evidence field(std::string_view path, std::string_view value) const;
  [[nodiscard]] Evidence condition(const model::Condition& condition) const;
  /// REQUIRES: it is one of the node's.
  [[nodiscard]] Evidence taint(const model::Taint& taint) const;

  /// The moment is known, and less than `limit` ago.
  [[nodiscard]] bool is_within(const model::OptionalTime& moment, std::chrono::seconds limit) const;

 private:
  const NodeCase& of_;
  std::vector<Finding> findings_;
};

}  // namespace dsdoctor::diagnosis
