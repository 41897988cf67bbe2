// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kube/http/curl_failure.h"
#include "kube/http/curl_options.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// One running request: written by the network thread, read by the caller.
struct Transfer {
  CurlEasy handle;
  CurlLists lists;
  std::array<char, CURL_ERROR_SIZE> error_text{};
  ResponseHead incoming;         // network thread only
  bool head_complete = false;    // network thread only
  std::uint64_t head_bytes = 0;  // network thread only
  TransportLimits limits;
  bool is_watch = false;  // see HttpRequest
  // network thread only, while it runs:
  std::optional<std::chrono::steady_clock::time_point> handshake_since;
  curl_off_t arrived = 0;
  std::chrono::steady_clock::time_point arrived_at;
  // network thread only; read after the transfer has ended:
  GivenUp given_up = GivenUp::No;
  bool http2 = false;  // agreed on while connecting; a request on an older connection does not know
  std::optional<std::uint32_t> goaway;

  std::mutex mutex;
  std::condition_variable changed;
  // guarded by mutex:
  std::optional<ResponseHead> head;
  std::string waiting;
  std::uint64_t bytes = 0;
  bool stopped = false;    // by the receiver
  bool too_large = false;  // the body is too large
  bool head_too_large = false;
  std::optional<CURLcode> ended;

  /// REQUIRES: mutex is held.
  [[nodiscard]] bool is_batch_ready() const;
};

/// Makes the handle write into its transfer. REQUIRES: neither of them moves.
void connect_callbacks(Transfer& transfer);

/// Runs all transfers of one transport on one thread.
class Network {
 public:
  Network();
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Makes every transfer check its state.
  void wake() { curl_multi_wakeup(multi_); }

  /// `transfer` must outlive its end.
  void start(Transfer& transfer);

 private:
  void run();
  /// False: the thread must end.
  bool take_new();
  void finish_ended();

  CURLM* multi_;
  std::mutex mutex_;
  std::vector<Transfer*> starting_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all members above
};

/// Passes head and body to the receiver as they arrive, until the transfer has ended.
[[nodiscard]] CURLcode drain(Transfer& transfer, const Receiver& receiver, Network& network);

}  // namespace dsdoctor::kube
