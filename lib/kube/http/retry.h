// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// Counts the attempts of one request, and decides how long to wait before the next one.
/// Source of truth: client-go's rest/with_retry.go for Retry-After (10 retries) and lost
/// connections (1 s); in addition at most two retries of our own.
class RetryBudget {
 public:
  /// `random` (see Clock) lengthens our own waits by up to a quarter.
  explicit RetryBudget(std::function<double()> random = {}) : random_(std::move(random)) {}

  /// Null: do not retry.
  [[nodiscard]] std::optional<std::chrono::milliseconds> after_answer(const ResponseHead& head);
  [[nodiscard]] std::optional<std::chrono::milliseconds> after_fault(TransportFault fault);
  /// The body arrived without an error, but is incomplete.
  [[nodiscard]] std::optional<std::chrono::milliseconds> after_broken_body();

 private:
  [[nodiscard]] std::chrono::milliseconds with_jitter(std::chrono::milliseconds wait) const;

  std::function<double()> random_;
  int asked_ = 0;  // retries requested by the server, or after a lost connection
  int own_ = 0;    // retries after 5xx and 429 without Retry-After
  int body_ = 0;   // retries after broken bodies
};

/// Integer seconds, at most 60; a date is ignored, like in client-go.
[[nodiscard]] std::optional<std::chrono::seconds> retry_after(const ResponseHead& head);

}  // namespace dsdoctor::kube
