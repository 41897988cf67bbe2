// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding_id.h"
#include "diagnosis/catalogue/message.h"

/// Parses the messages of an API server that rejected a pod.
namespace dsdoctor::diagnosis {

struct Refusal {
  FindingId id = {};
  std::string text;  // the API server's message on one line, of any length
  Message obstacle;
  std::string name;  // the quota, webhook, policy, level, account or class; may be empty
  /// Equal for all pods that the same obstacle rejects.
  std::string group;
};

/// Parses the `message` of an event FailedCreate, also if it combines several events. Never fails:
/// an unknown message is CreateRefused.
/// Source of truth: the admission plug-ins of kubernetes v1.36.2.
[[nodiscard]] Refusal read_refusal(std::string_view message);

/// One resource in "exceeded quota: q, requested: pods=1, used: pods=10, limited: pods=10".
struct QuotaFigure {
  std::string resource;
  std::string requested;  // quantities as written; empty if missing in the text
  std::string used;
  std::string limited;

  friend bool operator==(const QuotaFigure&, const QuotaFigure&) = default;
};

/// In the order of the text. Empty if `text` does not report an exceeded quota.
[[nodiscard]] std::vector<QuotaFigure> quota_figures(std::string_view text);

}  // namespace dsdoctor::diagnosis
