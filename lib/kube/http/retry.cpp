// SPDX-License-Identifier: Apache-2.0
#include "kube/http/retry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/text.h"

namespace dsdoctor::kube {
namespace {

using std::chrono::milliseconds;

constexpr int max_asked = 10;
constexpr int max_own = 2;
constexpr int max_body = 2;
constexpr std::chrono::seconds max_wait(60);

}  // namespace

std::optional<std::chrono::seconds> retry_after(const ResponseHead& head) {
  const std::string* value = head.find("Retry-After");
  const auto seconds = value == nullptr ? std::nullopt : base::to_number<std::int64_t>(*value);
  if (!seconds) return std::nullopt;
  return std::clamp(std::chrono::seconds(*seconds), std::chrono::seconds(0), max_wait);
}

milliseconds RetryBudget::with_jitter(milliseconds wait) const {
  constexpr double longest = 0.25;  // of the wait
  const double random = random_ ? random_() : 0;
  return wait + milliseconds(std::lround(static_cast<double>(wait.count()) * longest * random));
}

std::optional<milliseconds> RetryBudget::after_answer(const ResponseHead& head) {
  if (head.status != 429 && head.status < 500) return std::nullopt;
  if (const auto wait = retry_after(head)) {
    if (++asked_ > max_asked) return std::nullopt;
    return *wait;
  }
  const bool passing =
      head.status == 429 || head.status == 502 || head.status == 503 || head.status == 504;
  if (!passing || ++own_ > max_own) return std::nullopt;
  return with_jitter(milliseconds(own_ * 1000));
}

std::optional<milliseconds> RetryBudget::after_fault(TransportFault fault) {
  switch (fault) {
    case TransportFault::Lost:
      if (++asked_ > max_asked) return std::nullopt;
      return milliseconds(1000);
    case TransportFault::Ended:
      if (++own_ > max_own) return std::nullopt;
      return with_jitter(milliseconds(own_ * 1000));
    case TransportFault::CutBody: return after_broken_body();
    case TransportFault::Refused:
    case TransportFault::Setup:
    case TransportFault::TimedOut:
    case TransportFault::TooLarge:
    case TransportFault::Stopped: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<milliseconds> RetryBudget::after_broken_body() {
  if (++body_ > max_body) return std::nullopt;
  return with_jitter(milliseconds(body_ * 500));
}

}  // namespace dsdoctor::kube
