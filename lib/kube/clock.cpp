#include "kube/clock.h"

#include <thread>

namespace dsdoctor::kube {

Clock Clock::system() {
  return {[] {
            return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
          },
          [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }};
}

}  // namespace dsdoctor::kube
