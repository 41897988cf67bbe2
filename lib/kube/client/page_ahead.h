// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <string>

#include "decode/cluster/list_decoder.h"
#include "kube/client/api_error.h"
#include "kube/client/client.h"

namespace dsdoctor::kube {

/// Fetches one page of a list on its own thread while the page before it is still being read. Keeps
/// the bytes until they are taken. A page that is too large for that is dropped and must be read
/// again in its turn.
class PageAhead {
 public:
  /// `client` must outlive this object. `token`: this page's.
  PageAhead(Client& client, GetRequest request, std::string token, Client::Slot slot);
  /// Ends the thread early and waits for it.
  ~PageAhead();
  /// Ends the thread early, without waiting for it.
  void abandon() { unwanted_ = true; }
  PageAhead(const PageAhead&) = delete;
  PageAhead& operator=(const PageAhead&) = delete;

  [[nodiscard]] const std::string& token() const { return token_; }
  /// The token of the next page; empty on the last page or if not known yet.
  [[nodiscard]] std::string next_token();

  enum class Progress { Bytes, Complete, Failed, Restarted };
  /// Waits for more bytes or the end. Restarted: the bytes taken so far belong to a failed attempt.
  [[nodiscard]] Progress take(std::string& bytes);
  /// REQUIRES: take has returned Bytes or Complete.
  [[nodiscard]] decode::Encoding encoding();
  /// REQUIRES: take has returned Failed.
  [[nodiscard]] std::optional<ApiFailure> take_failure();

 private:
  void fetch(Client& client, GetRequest get, Client::Slot slot);

  std::string token_;
  std::atomic<bool> unwanted_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  // guarded by mutex_:
  std::string bytes_;
  decode::Encoding encoding_ = decode::Encoding::Json;
  std::string next_token_;
  bool taken_ = false;
  bool restarted_ = false;
  bool ended_ = false;
  std::optional<ApiFailure> failure_;
  std::future<void> done_;  // last: its thread uses all members above
};

}  // namespace dsdoctor::kube
