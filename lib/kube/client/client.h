// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/client/api_error.h"
#include "kube/config/connection.h"
#include "kube/http/transport.h"
#include "kube/login/credentials.h"
#include "kube/os/clock.h"
#include "kube/text/url.h"

namespace dsdoctor::kube {

/// One GET of the API.
struct GetRequest {
  std::string path;  // segments percent-encoded: "/api/v1/nodes"
  Query query = {};
  ResourceName resource;  // for messages
  std::string accept = "application/json";
  /// Polled; true ends the request soon, with a failure.
  std::function<bool()> abandoned = {};
  bool repeats = true;  // false: do not wait and retry
  /// The answer has no end of its own: it needs no slot, and no time limit applies to the whole.
  bool is_watch = false;
  /// Time without a byte after which the answer ends; 0: the transport's.
  std::chrono::milliseconds stall{0};
};

/// Takes the body of a successful answer. `begin` is called for every attempt; the reader then
/// discards the bytes of the previous one.
struct BodyReader {
  std::function<void(const ResponseHead&)> begin;
  /// Errors: Malformed; final, the request is not repeated.
  std::function<base::Status(std::string_view)> feed;
  /// The body is complete. Errors: Malformed; treated as a cut body, the request is repeated.
  std::function<base::Status()> finish;
};

/// Sends requests to one API server: credentials, impersonation, retries by the rules of client-go
/// (k8s.io/client-go v0.36, rest/with_retry.go), one renewal after a 401, redirects within the
/// server's own origin. No failure contains the credential, even if the server repeats it.
/// Thread-safe.
class Client {
 public:
  /// Transport and credentials must outlive the client.
  Client(const Connection& connection, Transport& transport, CredentialSource& credentials,
         Clock clock);

  /// Permission to run a request; there are four. Empty once moved from.
  class Slot {
   public:
    explicit Slot(Client& client) : client_(&client) {}
    Slot(Slot&& other) noexcept : client_(std::exchange(other.client_, nullptr)) {}
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (client_ != nullptr) client_->slots_.release();
    }

   private:
    Client* client_;
  };
  /// Null unless `others` more slots are free.
  [[nodiscard]] std::optional<Slot> try_slot(int others = 0);

  /// Blocks, also until one of the four slots is free unless it is a watch. Null: success; the
  /// reader has taken a complete, well-formed body.
  [[nodiscard]] std::optional<ApiFailure> get(const GetRequest& request, const BodyReader& reader);
  /// The same, with a slot that the caller holds.
  [[nodiscard]] std::optional<ApiFailure> get(const GetRequest& request, const BodyReader& reader,
                                              Slot slot);

  /// Reads the whole body as text, up to 16 MiB; for small documents.
  [[nodiscard]] std::optional<ApiFailure> get_text(const GetRequest& request, std::string& body);

  /// While set, running requests end soon and new ones immediately, all with a failure.
  void set_cancelled(bool cancelled) { cancelled_ = cancelled; }

  /// The time within which everything has to be read, from now on; then running requests end soon
  /// and new ones immediately, all with a failure. 0: unlimited. REQUIRES: no request is running.
  void set_time_limit(std::chrono::milliseconds limit);

  /// Called from any thread before the first wait of more than 5 seconds, with its length and the
  /// reason, so that the caller can inform the user. REQUIRES: no request is running.
  using WaitListener = std::function<void(std::chrono::milliseconds, const ApiFailure&)>;
  void on_long_wait(WaitListener listener) { on_long_wait_ = std::move(listener); }

  /// Called from any thread, one at a time, with the text of a `Warning` header of the server: each
  /// text once, cut at 1000 bytes; after 20 texts, with a note that there are more. REQUIRES: no
  /// request is running.
  using WarningListener = std::function<void(const std::string&)>;
  void on_warning(WarningListener listener) { on_warning_ = std::move(listener); }

 private:
  struct Attempt;
  struct Asked;

  std::optional<ApiFailure> send(const GetRequest& original, const BodyReader& reader);
  Attempt try_once(const GetRequest& request, const BodyReader& reader, const HttpRequest& http);
  [[nodiscard]] std::string target_of(const GetRequest& request) const;
  [[nodiscard]] HttpRequest to_http(const GetRequest& request, const std::string& target,
                                    const Credential& credential,
                                    std::chrono::milliseconds time_limit) const;
  base::Result<bool> adapt(Asked& asked, const ResponseHead& head, const Credential& used);
  [[nodiscard]] bool is_unwanted(const GetRequest& request) const;
  /// Absent without a time limit; may be negative.
  [[nodiscard]] std::optional<std::chrono::milliseconds> time_left() const;
  /// The error of a request that was cancelled or has no time left.
  [[nodiscard]] base::Error stopped(const GetRequest& request) const;
  void wait_for(std::chrono::milliseconds time, const ApiFailure& why);
  void report_warnings(const ResponseHead& head, const std::vector<std::string>& secrets);
  [[nodiscard]] std::vector<std::string> secrets_with(std::string_view authorization) const;
  [[nodiscard]] ApiFailure explained(ApiFailure failure, const Credential& credential) const;

  Url server_;
  std::vector<Header> impersonation_;
  std::chrono::milliseconds request_timeout_;
  std::chrono::milliseconds time_limit_{0};
  std::chrono::milliseconds time_limit_from_{0};  // by Clock::elapsed
  Transport& transport_;
  CredentialSource& credentials_;
  Clock clock_;
  std::vector<std::string> proxy_secrets_;
  std::string anonymous_because_;  // as in Connection
  WaitListener on_long_wait_;
  WarningListener on_warning_;
  std::atomic<bool> wait_announced_ = false;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  std::set<std::string> warned_;  // guarded by mutex_
  static constexpr int most_requests = 4;
  std::counting_semaphore<most_requests> slots_{most_requests};
};

}  // namespace dsdoctor::kube
