#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace dsdoctor::testing {

/// A TCP socket that programs do not inherit. -1 when there is none to be had.
[[nodiscard]] int make_socket();

/// Listens on a free port of 127.0.0.1 and serves every connection on a thread of its own, without
/// SIGPIPE. The last member of whoever owns it: its end ends all connections and waits for them.
class LocalListener {
 public:
  /// Throws std::runtime_error.
  LocalListener();
  ~LocalListener();
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;

  /// `serve` is given a socket, which is closed after it. To be called once.
  void start(std::function<void(int)> serve);

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] bool is_stopping() const { return stopping_; }

  /// A socket that is to be shut down with the others, until it is closed here.
  void watch(int socket);
  void close(int socket);

 private:
  void accept_all();
  void serve(int socket);

  std::function<void(int)> serve_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::set<int> open_;                // guarded by mutex_
  std::vector<std::thread> workers_;  // guarded by mutex_
  std::thread acceptor_;              // last: it uses all of the above
};

}  // namespace dsdoctor::testing
