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

/// One page of a list on its way, on a thread of its own, while the page before it is still being
/// read. Its bytes wait here until they are taken; of a page that is too large for that none are
/// kept, and it has to be read when its turn comes.
class PageAhead {
 public:
  /// `client` must outlive this object. `token`: of the page.
  PageAhead(Client& client, GetRequest request, std::string token, Client::Slot slot);
  /// Waits for the thread, which ends early.
  ~PageAhead();
  /// Lets the thread end early, and does not wait for it.
  void abandon() { unwanted_ = true; }
  PageAhead(const PageAhead&) = delete;
  PageAhead& operator=(const PageAhead&) = delete;

  [[nodiscard]] const std::string& token() const { return token_; }
  /// Of the page behind this one; empty until it is known, and where there is none.
  [[nodiscard]] std::string next_token();

  enum class Progress { Bytes, Complete, Failed, Restarted };
  /// Waits for what comes next. Restarted: the bytes that were taken belong to a broken attempt.
  [[nodiscard]] Progress take(std::string& bytes);
  /// Once bytes were taken, or the page is complete.
  [[nodiscard]] decode::Encoding encoding();
  /// Once take has said Failed.
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
  std::future<void> done_;  // last: its thread uses all of the above
};

}  // namespace dsdoctor::kube
