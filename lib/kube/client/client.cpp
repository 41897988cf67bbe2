// SPDX-License-Identifier: Apache-2.0
#include "kube/client/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "kube/http/headers.h"
#include "kube/http/redirect.h"
#include "kube/http/retry.h"
#include "kube/http/secrets.h"
#include "kube/text/certificate.h"
#include "kube/text/duration.h"

namespace dsdoctor::kube {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t max_kept = 64U << 10U;          // bytes of a body that are kept for messages
constexpr std::size_t max_error_body = 1U << 20U;     // bytes of an error's body that are read
constexpr std::size_t most_warnings = 20;             // of one client that are reported
constexpr std::size_t longest_warning = 1000;         // bytes
constexpr std::size_t largest_document = 16U << 20U;  // bytes of a small document

bool is_success(int status) { return status >= 200 && status <= 206; }

/// A missing type counts as JSON: old proxies drop the header, and the decoder checks the body.
bool is_expected(const std::string& media_type, std::string_view accept) {
  if (media_type.empty() || media_type == "application/json") return true;
  return std::ranges::any_of(base::split(accept, ","), [&](std::string_view type) {
    return type.substr(0, type.find(';')) == media_type;
  });
}

/// Keeps the first failure: kubectl mentions an earlier, different error.
void remember(std::optional<ApiFailure>& earlier, const ApiFailure& failure) {
  if (!earlier) earlier = failure;
}

ApiFailure with_history(ApiFailure failure, const std::optional<ApiFailure>& earlier) {
  if (earlier && earlier->error.what != failure.error.what) {
    failure.error.what += " - error from a previous attempt: " + base::to_string(earlier->error);
  }
  return failure;
}

}  // namespace

/// A request with the changes that earlier answers required: credential, format, target.
struct Client::Asked {
  GetRequest request;
  std::string target;
  bool renewed = false;  // whether the credential was renewed
  int redirects = 0;
};

/// The result of one attempt.
struct Client::Attempt {
  ResponseHead head;
  std::string kept;  // the first bytes of the body
  std::size_t received = 0;
  bool reading = false;                // whether the reader has begun
  std::optional<base::Error> refused;  // the reader's error while it was fed
  std::optional<base::Error> broken;   // the reader's error at the end
  std::optional<TransportFailure> transport;

  /// Null: success. `wait` is set when another attempt makes sense.
  std::optional<ApiFailure> judge(const GetRequest& request, RetryBudget& budget,
                                  std::optional<milliseconds>& wait) {
    const bool stopped = transport && transport->fault == TransportFault::Stopped;
    if (transport && !stopped) {
      wait = budget.after_fault(transport->fault);
      return failure_of(transport->error);
    }
    if (!is_success(head.status)) {
      wait = budget.after_answer(head);
      return failure_of(head, kept, request.resource);
    }
    if (!reading) return wrong_content(head, kept);
    if (!refused && !broken) return std::nullopt;
    if (auto status = failure_in_body(kept)) return status;
    if (base::trimmed(kept).empty()) {
      wait = budget.after_broken_body();
      return ApiFailure{head.status,
                        "",
                        "the answer is empty",
                        {base::ErrorKind::Malformed, "Error from server", "the answer is empty"}};
    }
    if (broken) wait = budget.after_broken_body();
    if (auto foreign = foreign_answer(head, kept)) return foreign;
    ApiFailure failure{head.status, "", "", refused ? *refused : *broken};
    failure.message = failure.error.what;
    return failure;
  }
};

Client::Client(const Connection& connection, Transport& transport, CredentialSource& credentials,
               Clock clock)
    : server_(connection.server),
      impersonation_(impersonation_headers(connection.impersonation)),
      request_timeout_(connection.request_timeout),
      transport_(transport),
      credentials_(credentials),
      clock_(std::move(clock)),
      proxy_secrets_(secrets_of(connection)),
      anonymous_because_(connection.anonymous_because) {}

std::optional<Client::Slot> Client::try_slot(int others) {
  std::vector<Slot> free;
  free.reserve(static_cast<std::size_t>(others) + 1);
  for (int i = 0; i <= others; ++i) {
    if (!slots_.try_acquire()) return std::nullopt;
    free.emplace_back(*this);
  }
  return std::move(free.front());
}

std::vector<std::string> Client::secrets_with(std::string_view authorization) const {
  std::vector<std::string> secrets = secrets_of(authorization);
  secrets.insert(secrets.end(), proxy_secrets_.begin(), proxy_secrets_.end());
  return secrets;
}

/// Removes secrets that the server or a proxy echoed; adds possible reasons for a 401 or 403.
ApiFailure Client::explained(ApiFailure failure, const Credential& credential) const {
  const auto secrets = secrets_with(credential.authorization);
  failure.message = scrubbed(std::move(failure.message), secrets);
  failure.error.what = scrubbed(std::move(failure.error.what), secrets);
  for (std::string& hint : failure.error.hints) hint = scrubbed(std::move(hint), secrets);
  const auto expiry = failure.status == 401 ? expiry_of(credential.client_cert_pem) : std::nullopt;
  if (expiry && *expiry < clock_.now()) {
    failure.error.hints.push_back(
        fmt::format("the client certificate expired on {}", base::rfc3339_seconds(*expiry)));
  }
  const bool refused = failure.status == 401 || failure.status == 403;
  if (refused && !anonymous_because_.empty() && credential.authorization.empty() &&
      credential.client_cert_pem.empty()) {
    failure.error.hints.push_back(anonymous_because_);
  }
  return failure;
}

std::string Client::target_of(const GetRequest& request) const {
  Query query = request.query;
  if (request_timeout_.count() > 0 && !request.is_watch) {
    query.emplace_back("timeout", to_go_duration(request_timeout_));
  }
  std::string target = server_.path + request.path;
  if (!query.empty()) target += "?" + encode_query(std::move(query));
  return target;
}

HttpRequest Client::to_http(const GetRequest& request, const std::string& target,
                            const Credential& credential, milliseconds time_limit) const {
  HttpRequest http;
  http.target = target;
  http.headers.push_back({"Accept", request.accept});
  if (!credential.authorization.empty()) {
    http.headers.push_back({"Authorization", credential.authorization});
  }
  http.headers.insert(http.headers.end(), impersonation_.begin(), impersonation_.end());
  http.client_cert_pem = credential.client_cert_pem;
  http.client_key_pem = credential.client_key_pem;
  http.time_limit = time_limit;
  http.stall = request.stall;
  http.is_watch = request.is_watch;
  return http;
}

Client::Attempt Client::try_once(const GetRequest& request, const BodyReader& reader,
                                 const HttpRequest& http) {
  Attempt attempt;
  std::string_view authorization;
  for (const Header& header : http.headers) {
    if (header.name == "Authorization") authorization = header.value;
  }
  const std::vector<std::string> secrets = secrets_with(authorization);
  Receiver receiver;
  receiver.cancelled = [&] { return is_unwanted(request); };
  receiver.head = [&](const ResponseHead& head) {
    attempt.head = head;
    report_warnings(head, secrets);
    attempt.reading = is_success(head.status) && is_expected(head.media_type(), request.accept);
    if (attempt.reading) reader.begin(head);
    return true;
  };
  receiver.body = [&](std::string_view chunk) {
    if (is_unwanted(request)) return false;
    attempt.received += chunk.size();
    attempt.kept += chunk.substr(0, max_kept - std::min(max_kept, attempt.kept.size()));
    if (!attempt.reading) return attempt.received <= max_error_body;
    const auto status = reader.feed(chunk);
    if (!status) attempt.refused = status.error();
    return status.has_value();
  };
  attempt.transport = transport_.get(http, receiver);
  if (attempt.reading && !attempt.transport && !attempt.refused) {
    if (const auto status = reader.finish(); !status) attempt.broken = status.error();
  }
  // Before messages are shortened: a part of a secret would not be recognized.
  attempt.kept = scrubbed(std::move(attempt.kept), secrets);
  return attempt;
}

/// Reports whether to repeat the request immediately: with another credential, format or target.
base::Result<bool> Client::adapt(Asked& asked, const ResponseHead& head, const Credential& used) {
  if (head.status == 401 && !asked.renewed) {
    asked.renewed = true;
    auto other = credentials_.renew(used);
    if (!other || *other) return other;
  }
  if (head.status == 406 && asked.request.accept != "application/json") {
    asked.request.accept = "application/json";
    return true;
  }
  auto next = redirect_target(server_, asked.target, asked.request.path, head);
  if (!next) return false;
  if (++asked.redirects > max_redirects) {
    return base::Error{base::ErrorKind::Unavailable, "Error from server",
                       fmt::format("stopped after {} redirects", max_redirects)};
  }
  asked.target = std::move(*next);
  return true;
}

void Client::set_time_limit(milliseconds limit) {
  time_limit_ = limit;
  time_limit_from_ = clock_.elapsed();
}

std::optional<milliseconds> Client::time_left() const {
  if (time_limit_.count() == 0) return std::nullopt;
  return time_limit_ - (clock_.elapsed() - time_limit_from_);
}

bool Client::is_unwanted(const GetRequest& request) const {
  if (cancelled_ || (request.abandoned && request.abandoned())) return true;
  const auto left = time_left();
  return left && left->count() <= 0;
}

void Client::wait_for(milliseconds time, const ApiFailure& why) {
  constexpr milliseconds long_wait(5000);
  if (time > long_wait && on_long_wait_ && !wait_announced_.exchange(true)) {
    on_long_wait_(time, why);
  }
  const auto left = time_left();
  clock_.sleep(left ? std::clamp(*left, milliseconds(0), time) : time, cancelled_);
}

base::Error Client::stopped(const GetRequest& request) const {
  const auto left = time_left();
  if (!left || left->count() > 0) {
    return {base::ErrorKind::Unavailable, request.path, "cancelled"};
  }
  return {base::ErrorKind::Unavailable, "Unable to connect to the server",
          fmt::format("no complete answer within {}", to_go_duration(time_limit_))};
}

std::optional<ApiFailure> Client::get(const GetRequest& request, const BodyReader& reader) {
  if (request.is_watch) return send(request, reader);
  slots_.acquire();
  return get(request, reader, Slot(*this));
}

std::optional<ApiFailure> Client::get(const GetRequest& request, const BodyReader& reader,
                                      Slot /*held*/) {
  return send(request, reader);
}

std::optional<ApiFailure> Client::send(const GetRequest& original, const BodyReader& reader) {
  Asked asked{original, target_of(original)};
  const GetRequest& request = asked.request;
  const auto begin = clock_.elapsed();
  const auto time_left = [&] { return request_timeout_ - (clock_.elapsed() - begin); };
  RetryBudget budget(clock_.random);
  std::optional<ApiFailure> earlier;
  for (;;) {
    if (is_unwanted(request)) return failure_of(stopped(request));
    const auto credential = credentials_.current();
    if (!credential) return failure_of(credential.error());
    const bool limited = request_timeout_.count() > 0 && !request.is_watch;
    const auto limit = limited ? std::max(time_left(), milliseconds(1)) : milliseconds(0);
    Attempt attempt = try_once(request, reader, to_http(request, asked.target, *credential, limit));
    std::optional<milliseconds> wait;
    if (is_unwanted(request)) continue;
    auto failure = attempt.judge(request, budget, wait);
    if (attempt.head.status != 0 && attempt.head.status != 401) credentials_.confirm(*credential);
    if (!failure) return std::nullopt;
    *failure = explained(std::move(*failure), *credential);
    const auto again = adapt(asked, attempt.head, *credential);
    if (!again) return failure_of(again.error());
    if (*again) continue;
    if (!wait || !request.repeats || (limited && *wait >= time_left())) {
      return with_history(*failure, earlier);
    }
    remember(earlier, *failure);
    wait_for(*wait, *failure);
  }
}

std::optional<ApiFailure> Client::get_text(const GetRequest& request, std::string& body) {
  BodyReader reader;
  reader.begin = [&](const ResponseHead&) { body.clear(); };
  reader.feed = [&](std::string_view chunk) -> base::Status {
    body += chunk;
    if (body.size() <= largest_document) return std::monostate{};
    return base::Error{base::ErrorKind::Malformed, request.path,
                       fmt::format("the answer is larger than {} bytes", largest_document)};
  };
  reader.finish = [] { return base::Status(std::monostate{}); };
  return get(request, reader);
}

void Client::report_warnings(const ResponseHead& head, const std::vector<std::string>& secrets) {
  for (const Header& header : head.headers) {
    if (!base::same_ignoring_case(header.name, "Warning")) continue;
    for (const std::string& said : warning_texts(header.value)) {
      const std::string text = base::printable(scrubbed(said, secrets), longest_warning);
      const std::lock_guard lock(mutex_);
      if (warned_.size() > most_warnings) return;
      if (!warned_.insert(text).second || !on_warning_) continue;
      on_warning_(warned_.size() > most_warnings
                      ? "the server has more warnings, which are not shown"
                      : text);
    }
  }
}

}  // namespace dsdoctor::kube
