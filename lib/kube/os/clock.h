// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "base/time.h"

namespace dsdoctor::kube {

/// Time and sleep, replaceable in tests. Called from several threads.
struct Clock {
  std::function<base::Time()> now;
  /// Ends early, within about 50 ms, once `stop` is true.
  std::function<void(std::chrono::milliseconds, const std::atomic<bool>& stop)> sleep;
  /// From 0 to below 1; spreads the clients' retries. Empty: always 0.
  std::function<double()> random = {};
  /// Time since an arbitrary moment; never set back. Empty: derived from `now`.
  std::function<std::chrono::milliseconds()> monotonic = {};

  [[nodiscard]] std::chrono::milliseconds elapsed() const;

  /// The machine's clock.
  [[nodiscard]] static Clock system();
};

}  // namespace dsdoctor::kube
