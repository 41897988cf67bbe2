#pragma once

#include <chrono>
#include <functional>

namespace dsdoctor::kube {

using TimePoint = std::chrono::sys_time<std::chrono::microseconds>;

/// The time and the waiting, so that a test owns both. Called from several threads.
struct Clock {
  std::function<TimePoint()> now;
  std::function<void(std::chrono::milliseconds)> sleep;

  /// The machine's.
  [[nodiscard]] static Clock system();
};

}  // namespace dsdoctor::kube
