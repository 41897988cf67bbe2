#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding_id.h"
#include "diagnosis/catalogue/message.h"

/// The words of an API server that refused a pod, taken apart.
namespace dsdoctor::diagnosis {

struct Refusal {
  FindingId id = {};
  std::string text;  // as the API server said it, on one line, however long
  Message obstacle;
  std::string name;  // the quota, webhook, policy, level, account or class; may be empty
  /// What stays the same when the same obstacle refuses another pod.
  std::string group;
};

/// `message` of an event FailedCreate, also one that stands for many alike. Never fails: words that
/// nothing is known of are CreateRefused.
/// Source of truth: the admission plug-ins of kubernetes v1.36.2.
[[nodiscard]] Refusal read_refusal(std::string_view message);

/// One resource of "exceeded quota: q, requested: pods=1, used: pods=10, limited: pods=10".
struct QuotaFigure {
  std::string resource;
  std::string requested;  // quantities as written; empty where the text lacks them
  std::string used;
  std::string limited;

  friend bool operator==(const QuotaFigure&, const QuotaFigure&) = default;
};

/// In the order of the text. Empty where `text` does not speak of an exceeded quota.
[[nodiscard]] std::vector<QuotaFigure> quota_figures(std::string_view text);

}  // namespace dsdoctor::diagnosis
