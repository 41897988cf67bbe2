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

/// One line on a terminal that says what is being read: "reading nodes 1500 of 5000, pods 3000,
/// 12.4 MB".
/// It appears when a read takes longer than `delay` and is gone when it ends. Thread-safe.
class ProgressLine {
 public:
  using Delay = std::chrono::milliseconds;

  /// `out` must outlive this object and be written by nobody else between begin and end, except
  /// through say. `width`: columns of the terminal; 0: not known.
  ProgressLine(std::ostream& out, std::size_t width, Delay delay = Delay(300));
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void begin();
  /// So far, since begin: `objects` of `resource`, and the bytes they came in. `expected`: how many
  /// it will be; 0: not known.
  void update(const std::string& resource, std::size_t objects, std::uint64_t bytes,
              std::size_t expected = 0);
  /// Prints a line of its own in between.
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
  std::jthread thread_;                    // last: it uses all of the above
};

}  // namespace dsdoctor::cmd
