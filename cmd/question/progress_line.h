// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <ostream>
#include <stop_token>
#include <string>
#include <thread>

namespace dsdoctor::cmd {

/// A line on a terminal that shows the progress of a read: "reading nodes 1500 of 5000, pods 3000,
/// 12.4 MB".
/// It appears when a read takes longer than `delay` and is erased at its end. Thread-safe.
class ProgressLine {
 public:
  using Delay = std::chrono::milliseconds;

  /// `out` must outlive this object; between begin and end it must be written only through say.
  /// `width`: columns of the terminal; 0: unknown.
  ProgressLine(std::ostream& out, std::size_t width, Delay delay = Delay(300));
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void begin();
  /// Sets the progress since begin: `objects` of `resource`, and their bytes. `expected`: the total
  /// number of objects; 0: unknown.
  void update(const std::string& resource, std::size_t objects, std::uint64_t bytes,
              std::size_t expected = 0);
  /// Prints another line in between.
  void say(const std::string& line);
  void end();

 private:
  struct Amount {
    std::size_t objects = 0;
    std::uint64_t bytes = 0;
    std::size_t expected = 0;
  };

  void run(const std::stop_token& stop);
  void draw();
  void erase();
  [[nodiscard]] std::string text() const;

  std::ostream& out_;
  std::size_t width_;
  Delay delay_;
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  std::map<std::string, Amount> amounts_;  // by resource; guarded by mutex_
  std::size_t drawn_ = 0;                  // columns on the line; guarded by mutex_
  std::jthread thread_;                    // last: it uses all members above
};

}  // namespace dsdoctor::cmd
