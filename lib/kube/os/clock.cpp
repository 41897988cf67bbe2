// SPDX-License-Identifier: Apache-2.0
#include "kube/os/clock.h"

#include <algorithm>
#include <random>
#include <thread>

namespace dsdoctor::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

void sleep_until_stopped(milliseconds time, const std::atomic<bool>& stop) {
  constexpr milliseconds step(50);
  const auto end = steady_clock::now() + time;
  for (auto now = steady_clock::now(); now < end && !stop; now = steady_clock::now()) {
    std::this_thread::sleep_for(std::min<steady_clock::duration>(step, end - now));
  }
}

double random_fraction() {
  thread_local std::minstd_rand engine(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

}  // namespace

Clock Clock::system() {
  return {[] {
            return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
          },
          sleep_until_stopped, random_fraction,
          [] { return std::chrono::floor<milliseconds>(steady_clock::now().time_since_epoch()); }};
}

milliseconds Clock::elapsed() const {
  return monotonic ? monotonic() : std::chrono::floor<milliseconds>(now().time_since_epoch());
}

}  // namespace dsdoctor::kube
