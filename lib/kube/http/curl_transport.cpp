// SPDX-License-Identifier: Apache-2.0
#include "kube/http/curl_transport.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "kube/http/curl_network.h"
#include "kube/http/curl_options.h"
#include "kube/http/secrets.h"
#include "kube/os/clock.h"

namespace dsdoctor::kube {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t longest_secret = 64U << 10U;  // bytes; servers limit headers to less
using std::chrono::steady_clock;

void initialise_libcurl() {
  static std::once_flag once;
  std::call_once(once, [] { (void)curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

struct CurlTransport::State {
  Connection connection;
  std::string user_agent;
  Trace trace;
  TransportLimits limits;
  std::mutex mutex;  // guards the creation of network, and trace
  std::unique_ptr<Network> network;
  std::atomic<bool> http2 = false;  // a connection has agreed on it

  /// Completes the event, removes secrets, and passes it to the trace.
  void report(TraceEvent event, const HttpRequest& request) {
    event.method = "GET";
    event.url = origin_text(connection) + request.target;
    std::vector<std::string> secrets;
    for (const Header& header : request.headers) {
      if (header.name == "Authorization") secrets = secrets_of(header.value);
    }
    for (std::string& secret : secrets_of(connection)) secrets.push_back(std::move(secret));
    event.request_headers = masked(request_headers(connection, request, user_agent));
    event.response_headers = masked(std::move(event.response_headers));
    for (Header& header : event.response_headers) {
      header.value = scrubbed(std::move(header.value), secrets);
    }
    event.body = scrubbed(std::move(event.body), secrets);
    event.body.resize(std::min(event.body.size(), limits.traced_body));
    event.failure = scrubbed(std::move(event.failure), secrets);
    const std::lock_guard lock(mutex);
    trace(event);
  }

  Network& started_network() {
    const std::lock_guard lock(mutex);
    if (!network) {
      initialise_libcurl();
      network = std::make_unique<Network>();
    }
    return *network;
  }
};

namespace {

std::chrono::microseconds time_of(CURL* handle, CURLINFO info) {
  curl_off_t value = 0;
  (void)curl_easy_getinfo(handle, info, &value);  // NOLINT(*-vararg)
  return std::chrono::microseconds(value);
}

TraceTimes times_of(CURL* handle) {
  return {time_of(handle, CURLINFO_NAMELOOKUP_TIME_T), time_of(handle, CURLINFO_CONNECT_TIME_T),
          time_of(handle, CURLINFO_APPCONNECT_TIME_T),
          time_of(handle, CURLINFO_STARTTRANSFER_TIME_T)};
}

/// REQUIRES: the transfer has ended.
CurlOutcome outcome_of(const Transfer& transfer, CURLcode code) {
  CURL* handle = transfer.handle.get();
  CurlOutcome outcome;
  outcome.code = code;
  outcome.given_up = transfer.given_up;
  (void)curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &outcome.os_error);               // NOLINT
  (void)curl_easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &outcome.verify_result);  // NOLINT
  outcome.text = transfer.error_text.data();
  outcome.head_received = transfer.head.has_value();
  outcome.tls_started = transfer.lists.tls_started;
  outcome.tls_connected = times_of(handle).tls.count() > 0;
  outcome.goaway = transfer.goaway;
  return outcome;
}

TransportFailure without_openssl() {
  return {TransportFault::Setup,
          {base::ErrorKind::Unavailable, "Unable to connect to the server",
           "this libcurl was built without OpenSSL, and cannot verify a server's name by "
           "subjectAltName alone"}};
}

/// REQUIRES: the transfer has ended.
TraceEvent event_of(const Transfer& transfer, steady_clock::duration lasted) {
  TraceEvent event;
  event.bytes = transfer.bytes;
  event.duration = std::chrono::duration_cast<milliseconds>(lasted);
  event.times = times_of(transfer.handle.get());
  if (transfer.head) {
    event.status = transfer.head->status;
    event.response_headers = transfer.head->headers;
  }
  return event;
}

/// The first content coding of an answer that libcurl does not undo: with `gzip`, gzip was offered.
std::optional<std::string> foreign_coding(const ResponseHead& head, bool gzip) {
  const std::string* codings = head.find("Content-Encoding");
  if (codings == nullptr) return std::nullopt;
  for (const std::string_view part : base::split(*codings, ",")) {
    const std::string coding = base::lower_case(base::trimmed(part));
    const bool is_undone = gzip && (coding == "gzip" || coding == "x-gzip" || coding == "deflate");
    if (!coding.empty() && coding != "identity" && !is_undone) return coding;
  }
  return std::nullopt;
}

TransportFailure not_offered(const Connection& connection, const std::string& coding, bool gzip) {
  return {TransportFault::Setup,
          {base::ErrorKind::Unavailable, connection.server.authority(),
           fmt::format("the answer has the content coding \"{}\", {}", base::printable(coding, 100),
                       gzip ? "only gzip was offered" : "none was offered")}};
}

TransportFailure too_large(const Connection& connection, const char* what, std::uint64_t limit) {
  return {TransportFault::TooLarge,
          {base::ErrorKind::Unavailable, connection.server.authority(),
           fmt::format("{} larger than {} bytes", what, limit)}};
}

}  // namespace

CurlTransport::CurlTransport(const Connection& connection, std::string user_agent, Trace trace,
                             TransportLimits limits)
    : state_(new State{connection, std::move(user_agent), std::move(trace), limits, {}, nullptr}) {}

CurlTransport::~CurlTransport() = default;

std::optional<TransportFailure> CurlTransport::get(const HttpRequest& request,
                                                   const Receiver& receiver) {
  const Connection& connection = state_->connection;
  const TransportLimits& limits = state_->limits;
  Network& network = state_->started_network();
  const auto begin = steady_clock::now();
  Transfer transfer;
  transfer.handle.reset(curl_easy_init());
  if (!transfer.handle) throw std::bad_alloc();
  transfer.limits = limits;
  if (request.stall.count() > 0) transfer.limits.stall = request.stall;
  transfer.is_watch = request.is_watch;
  transfer.arrived_at = begin;
  CURL* handle = transfer.handle.get();
  if (!configure_connection(handle, connection, limits, request.target, transfer.lists)) {
    return without_openssl();
  }
  configure_request(handle, connection, request, state_->user_agent, transfer.lists);
  connect_callbacks(transfer);
  std::string traced;
  // Longer than shown, so that a secret is complete when it is searched for.
  const std::size_t recorded = limits.traced_body + std::min(longest_secret, ~limits.traced_body);
  const bool gzip = wants_gzip(connection, request);
  std::optional<std::string> coding;
  Receiver checking = receiver;
  checking.head = [&](const ResponseHead& head) {
    coding = foreign_coding(head, gzip);
    return !coding && receiver.head(head);
  };
  Receiver recording = checking;
  recording.body = [&](std::string_view chunk) {
    traced += chunk.substr(0, recorded - std::min(recorded, traced.size()));
    return receiver.body(chunk);
  };
  network.start(transfer);  // nothing may throw from here until drain() has returned
  const CURLcode code = drain(transfer, limits.traced_body > 0 ? recording : checking, network);
  if (transfer.http2) state_->http2 = true;
  CurlOutcome outcome = outcome_of(transfer, code);
  outcome.http2 = state_->http2;

  std::optional<TransportFailure> failed;
  if (coding) {
    failed = not_offered(connection, *coding, gzip);
  } else if (transfer.head_too_large) {
    failed = too_large(connection, "the answer's headers are", limits.head);
  } else if (transfer.too_large) {
    failed = too_large(connection, "the answer is", limits.body);
  } else if (transfer.stopped) {
    failed = TransportFailure{TransportFault::Stopped, {}};
  } else if (outcome.code != CURLE_OK) {
    failed = to_failure(outcome, connection, request, limits, Clock::system().now());
  }
  if (state_->trace) {
    TraceEvent event = event_of(transfer, steady_clock::now() - begin);
    event.body = std::move(traced);
    if (failed) event.failure = base::to_string(failed->error);
    state_->report(std::move(event), request);
  }
  return failed;
}

}  // namespace dsdoctor::kube
