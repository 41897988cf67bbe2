#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/api_error.h"
#include "kube/clock.h"
#include "kube/connection.h"
#include "kube/credentials.h"
#include "kube/transport.h"
#include "kube/url.h"

namespace dsdoctor::kube {

/// One GET of the API.
struct GetRequest {
  std::string path;  // segments percent-encoded: "/api/v1/nodes"
  Query query = {};
  ResourceName resource;  // for messages
  std::string accept = "application/json";
  /// Asked now and then: true ends the request soon, with a failure.
  std::function<bool()> abandoned = {};
};

/// Takes the body of a successful answer. `begin` is called for every attempt anew: what the
/// attempt before gave is to be forgotten.
struct BodyReader {
  std::function<void(const ResponseHead&)> begin;
  /// Errors: Malformed; final, the request is not repeated.
  std::function<base::Status(std::string_view)> feed;
  /// The body is complete. Errors: Malformed; taken for a cut body, the request is repeated.
  std::function<base::Status()> finish;
};

/// Talks to one API server: credentials, impersonation, repetitions within the rules of
/// client-go (k8s.io/client-go v0.36, rest/with_retry.go), 401 once renewed, redirects within the
/// server's own origin. No failure repeats the credential, even where the server does.
/// Thread-safe.
class Client {
 public:
  /// Transport and credentials must outlive the client.
  Client(const Connection& connection, Transport& transport, CredentialSource& credentials,
         Clock clock);

  /// Blocks. Null: the reader has had a complete, well-formed body.
  [[nodiscard]] std::optional<ApiFailure> get(const GetRequest& request, const BodyReader& reader);

  /// The whole body as text, up to 16 MiB; for small documents.
  [[nodiscard]] std::optional<ApiFailure> get_text(const GetRequest& request, std::string& body);

  /// While set, running requests end soon and new ones at once, all with a failure.
  void set_cancelled(bool cancelled) { cancelled_ = cancelled; }

  /// Called, by any thread, before the first wait of more than 5 seconds, with its length and the
  /// reason: a user who sees nothing happen should know why. REQUIRES: no request is running.
  using WaitListener = std::function<void(std::chrono::milliseconds, const ApiFailure&)>;
  void on_long_wait(WaitListener listener) { on_long_wait_ = std::move(listener); }

  /// Texts of the server's `Warning` headers, each once per client.
  [[nodiscard]] std::vector<std::string> take_warnings();

 private:
  struct Attempt;

  Attempt try_once(const GetRequest& request, const BodyReader& reader, const HttpRequest& http);
  [[nodiscard]] std::string target_of(const GetRequest& request) const;
  [[nodiscard]] HttpRequest to_http(const GetRequest& request, const std::string& target,
                                    const Credential& credential,
                                    std::chrono::milliseconds time_limit) const;
  [[nodiscard]] bool is_unwanted(const GetRequest& request) const;
  void wait_for(std::chrono::milliseconds time, const ApiFailure& why);
  void collect_warnings(const ResponseHead& head, const std::vector<std::string>& secrets);

  Url server_;
  std::vector<Header> impersonation_;
  std::chrono::milliseconds request_timeout_;
  Transport& transport_;
  CredentialSource& credentials_;
  Clock clock_;
  WaitListener on_long_wait_;
  std::atomic<bool> wait_announced_ = false;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  std::set<std::string> warned_;       // guarded by mutex_
  std::vector<std::string> warnings_;  // guarded by mutex_
};

/// The texts of a `Warning` header with code 299; entries that do not parse are skipped.
[[nodiscard]] std::vector<std::string> warning_texts(std::string_view header);

/// `Impersonate-*` headers; none without a user.
[[nodiscard]] std::vector<Header> impersonation_headers(const Impersonation& impersonation);

}  // namespace dsdoctor::kube
