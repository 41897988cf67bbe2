// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace dsdoctor::testing {

/// A TCP socket that child processes do not inherit; -1 if it cannot be created.
[[nodiscard]] int make_socket();

/// Listens on a free port of 127.0.0.1 and serves every connection on its own thread, without
/// SIGPIPE. Must be the last member of its owner: the destructor ends all connections and waits for
/// them.
class LocalListener {
 public:
  /// Throws std::runtime_error.
  LocalListener();
  ~LocalListener();
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;

  /// Starts serving. `serve` receives a socket, which is closed afterwards. REQUIRES: called once.
  void start(std::function<void(int)> serve);

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] bool is_stopping() const { return stopping_; }

  /// Shuts the socket down with the others, until it is closed by close().
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
  std::thread acceptor_;              // last: it uses all members above
};

}  // namespace dsdoctor::testing
