#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "base/time.h"

namespace dsdoctor::kube {

/// The time and the waiting, so that a test owns both. Called from several threads.
struct Clock {
  std::function<base::Time()> now;
  /// Ends early, within about 50 ms, once `stop` is true.
  std::function<void(std::chrono::milliseconds, const std::atomic<bool>& stop)> sleep;
  /// From 0 to below 1, so that clients do not all come back at the same moment. Empty: always 0.
  std::function<double()> random = {};
  /// Time since any moment, which nobody sets back. Empty: as `now` has it.
  std::function<std::chrono::milliseconds()> monotonic = {};

  [[nodiscard]] std::chrono::milliseconds elapsed() const;

  /// The machine's.
  [[nodiscard]] static Clock system();
};

}  // namespace dsdoctor::kube
