#include "kube/http/curl_transport.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "kube/http/curl_failure.h"
#include "kube/http/curl_options.h"
#include "kube/os/sigpipe.h"
#include "kube/text/secrets.h"

namespace dsdoctor::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// So many bytes may wait for the thread that decodes them; then the network waits.
constexpr std::size_t max_waiting = 8U << 20U;

/// TLS gives 16 KB at a time. Waking a thread for each costs more than decoding it, so that bytes
/// are handed over in batches; but the first ones at once, since they may name the next page.
constexpr std::size_t batch = 128U << 10U;

/// One request on its way: written by the network thread, read by the caller.
struct Transfer {
  CurlEasy handle;
  CurlLists lists;
  std::array<char, CURL_ERROR_SIZE> error_text{};
  ResponseHead incoming;         // network thread only
  bool head_complete = false;    // network thread only
  std::uint64_t head_bytes = 0;  // network thread only
  TransportLimits limits;
  // network thread only, while it runs:
  std::optional<steady_clock::time_point> handshake_since;
  curl_off_t arrived = 0;
  steady_clock::time_point arrived_at;
  GivenUp given_up = GivenUp::No;  // read once it has ended

  std::mutex mutex;
  std::condition_variable changed;
  // guarded by mutex:
  std::optional<ResponseHead> head;
  std::string waiting;
  std::uint64_t bytes = 0;
  bool stopped = false;    // by the receiver
  bool too_large = false;  // the body
  bool head_too_large = false;
  std::optional<CURLcode> ended;

  /// REQUIRES: mutex is held.
  [[nodiscard]] bool is_batch_ready() const {
    return waiting.size() >= batch || (bytes <= batch && !waiting.empty());
  }
};

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// A line of the head: of several heads (100 Continue, a redirect) the last one counts.
std::size_t take_header(Transfer& transfer, std::string_view bytes) {
  transfer.head_bytes += bytes.size();
  if (transfer.head_bytes > transfer.limits.head) {
    const std::lock_guard lock(transfer.mutex);
    transfer.head_too_large = true;
    return 0;  // ends the transfer
  }
  const std::string_view line = trimmed(bytes);
  if (line.starts_with("HTTP/")) {
    transfer.incoming = {};
    const auto space = line.find(' ');
    if (space != std::string_view::npos) {
      std::from_chars(line.data() + space + 1, line.data() + line.size(), transfer.incoming.status);
    }
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    transfer.incoming.headers.push_back({std::string(trimmed(line.substr(0, colon))),
                                         std::string(trimmed(line.substr(colon + 1)))});
  }
  return bytes.size();
}

/// REQUIRES: transfer.mutex is held.
void publish_head(Transfer& transfer) {
  if (transfer.head_complete || transfer.incoming.status < 200) return;
  transfer.head = std::move(transfer.incoming);
  transfer.head_complete = true;
}

std::size_t take_body(Transfer& transfer, std::string_view bytes) {
  std::unique_lock lock(transfer.mutex);
  publish_head(transfer);
  // The caller always drains, whatever happens, so this wait ends.
  transfer.changed.wait(lock,
                        [&] { return transfer.stopped || transfer.waiting.size() < max_waiting; });
  transfer.bytes += bytes.size();
  transfer.too_large = transfer.bytes > transfer.limits.body;
  if (transfer.stopped || transfer.too_large) return 0;  // ends the transfer
  transfer.waiting.append(bytes);
  if (transfer.is_batch_ready()) transfer.changed.notify_all();
  return bytes.size();
}

/// A callback of libcurl, which is C: where memory ends, the transfer does, as a failed write.
template <std::size_t (*take)(Transfer&, std::string_view)>
std::size_t callback(char* data, std::size_t size, std::size_t count, void* user) noexcept {
  try {
    return take(*static_cast<Transfer*>(user), {data, size * count});
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

/// A handshake that does not end, as Go's http.Transport limits it.
bool is_stuck_in_handshake(Transfer& transfer, steady_clock::time_point now) {
  curl_off_t done = 0;
  (void)curl_easy_getinfo(transfer.handle.get(), CURLINFO_APPCONNECT_TIME_T, &done);  // NOLINT
  if (!transfer.lists.tls_started || done > 0) return false;
  if (!transfer.handshake_since) transfer.handshake_since = now;
  return now - *transfer.handshake_since > transfer.limits.handshake;
}

/// Nothing has arrived for long.
bool is_stalled(Transfer& transfer, curl_off_t got, steady_clock::time_point now) {
  const curl_off_t arrived = got + static_cast<curl_off_t>(transfer.head_bytes);
  if (arrived != transfer.arrived) {
    transfer.arrived = arrived;
    transfer.arrived_at = now;
  }
  const auto patience = arrived > 0 ? transfer.limits.stall : transfer.limits.first_byte;
  return now - transfer.arrived_at > patience;
}

/// Called about once a second even when nothing arrives. Not 0: ends the transfer.
int on_progress(void* user, curl_off_t /*to_get*/, curl_off_t got, curl_off_t /*to_put*/,
                curl_off_t /*put*/) {
  auto& transfer = *static_cast<Transfer*>(user);
  const auto now = steady_clock::now();
  if (is_stuck_in_handshake(transfer, now)) transfer.given_up = GivenUp::Handshake;
  if (is_stalled(transfer, got, now)) transfer.given_up = GivenUp::Stall;
  if (transfer.given_up != GivenUp::No) return 1;
  const std::lock_guard lock(transfer.mutex);
  return transfer.stopped ? 1 : 0;
}

void initialise_libcurl() {
  static std::once_flag once;
  std::call_once(once, [] { (void)curl_global_init(CURL_GLOBAL_DEFAULT); });
}

/// A multi handle, whose requests share one HTTP/2 connection where that is safe: before 8.2
/// libcurl at times loses the wake-up of a stream whose bytes it has read with another stream's,
/// and the transfers of that connection stall (seen about once in 500 runs with 7.88.1). There each
/// concurrent request has a connection of its own, which later ones use again.
CURLM* new_multi() {
  constexpr unsigned sound_multiplexing = 0x080200;
  CURLM* multi = curl_multi_init();
  const bool sound = curl_version_info(CURLVERSION_NOW)->version_num >= sound_multiplexing;
  // NOLINTNEXTLINE(*-vararg)
  (void)curl_multi_setopt(multi, CURLMOPT_PIPELINING,
                          static_cast<long>(sound ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING));
  return multi;
}

/// Drives all transfers of one transport on one thread.
class Network {
 public:
  Network() : multi_(new_multi()), thread_([this] { run(); }) {}
  ~Network() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    curl_multi_wakeup(multi_);
    thread_.join();
    curl_multi_cleanup(multi_);
  }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Makes every transfer look at its state.
  void wake() { curl_multi_wakeup(multi_); }

  /// `transfer` must live until it has ended.
  void start(Transfer& transfer) {
    {
      const std::lock_guard lock(mutex_);
      starting_.push_back(&transfer);
    }
    curl_multi_wakeup(multi_);
  }

 private:
  void run() {
    const SigpipeGuard guard;
    while (take_new()) {
      int running = 0;
      curl_multi_perform(multi_, &running);
      finish_ended();
      curl_multi_poll(multi_, nullptr, 0, 1000, nullptr);
    }
  }

  /// False: it is time to end.
  bool take_new() {
    std::deque<Transfer*> starting;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return false;
      starting.swap(starting_);
    }
    for (Transfer* transfer : starting) {
      (void)curl_easy_setopt(transfer->handle.get(), CURLOPT_PRIVATE, transfer);  // NOLINT
      const CURLMcode added = curl_multi_add_handle(multi_, transfer->handle.get());
      if (added != CURLM_OK) end(*transfer, CURLE_OUT_OF_MEMORY);
    }
    return true;
  }

  void finish_ended() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* handle = message->easy_handle;
      const CURLcode code = message->data.result;
      Transfer* transfer = nullptr;
      (void)curl_easy_getinfo(handle, CURLINFO_PRIVATE, &transfer);  // NOLINT(*-vararg)
      curl_multi_remove_handle(multi_, handle);
      end(*transfer, code);
    }
  }

  static void end(Transfer& transfer, CURLcode code) {
    // Notified under the lock: the caller may destroy the transfer as soon as it is free.
    const std::lock_guard lock(transfer.mutex);
    publish_head(transfer);
    transfer.ended = code;
    transfer.changed.notify_all();
  }

  CURLM* multi_;
  std::mutex mutex_;
  std::deque<Transfer*> starting_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

/// Hands head and body to the receiver as they arrive, until the transfer has ended.
CURLcode drain(Transfer& transfer, const Receiver& receiver, Network& network) {
  // Between two questions whether it is still wanted; half a batch does not wait longer either.
  constexpr milliseconds patience(100);
  bool head_given = false;
  std::unique_lock lock(transfer.mutex);
  for (;;) {
    const bool something = transfer.changed.wait_for(lock, patience, [&] {
      return transfer.ended || transfer.is_batch_ready() || (transfer.head && !head_given);
    });
    if (!something && !transfer.stopped && receiver.cancelled && receiver.cancelled()) {
      transfer.stopped = true;
      network.wake();
    }
    if (!something && transfer.waiting.empty()) continue;
    std::string chunk;
    chunk.swap(transfer.waiting);
    transfer.changed.notify_all();
    const ResponseHead* head = transfer.head && !head_given ? &*transfer.head : nullptr;
    const bool wanted = !transfer.stopped;
    lock.unlock();  // the head stays as it is once it is there
    bool go_on = wanted;
    if (head != nullptr && go_on) go_on = receiver.head(*head);
    if (!chunk.empty() && go_on) go_on = receiver.body(chunk);
    lock.lock();
    head_given = head_given || head != nullptr;
    transfer.stopped = transfer.stopped || !go_on;
    const bool nothing_left = transfer.waiting.empty() && (!transfer.head || head_given);
    if (transfer.ended && nothing_left) return *transfer.ended;
  }
}

}  // namespace

struct CurlTransport::State {
  Connection connection;
  std::string user_agent;
  Trace trace;
  TransportLimits limits;
  std::mutex mutex;  // guards network's making, and trace
  std::unique_ptr<Network> network;

  /// Completes the event, takes the secrets out, and hands it on.
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

void configure_transfer(Transfer& transfer) {
  CURL* handle = transfer.handle.get();
  // NOLINTBEGIN(*-vararg)
  (void)curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer.error_text.data());
  (void)curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &callback<take_header>);
  (void)curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  (void)curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &callback<take_body>);
  (void)curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  (void)curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  (void)curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &on_progress);
  (void)curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
  // NOLINTEND(*-vararg)
}

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
  return outcome;
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
  transfer.limits = limits;
  transfer.arrived_at = begin;
  CURL* handle = transfer.handle.get();
  if (!configure_connection(handle, connection, limits, request.target, transfer.lists)) {
    return TransportFailure{TransportFault::Setup,
                            {base::ErrorKind::Unavailable, "Unable to connect to the server",
                             "this libcurl was built without OpenSSL, and cannot verify a server's "
                             "name by subjectAltName alone"}};
  }
  configure_request(handle, connection, request, state_->user_agent, transfer.lists);
  configure_transfer(transfer);
  network.start(transfer);
  std::string traced;
  Receiver recording = receiver;
  recording.body = [&](std::string_view chunk) {
    traced += chunk.substr(0, limits.traced_body - std::min(limits.traced_body, traced.size()));
    return receiver.body(chunk);
  };
  const CURLcode code = drain(transfer, limits.traced_body > 0 ? recording : receiver, network);
  const CurlOutcome outcome = outcome_of(transfer, code);

  std::optional<TransportFailure> failed;
  if (transfer.head_too_large) {
    failed = too_large(connection, "the answer's headers are", limits.head);
  } else if (transfer.too_large) {
    failed = too_large(connection, "the answer is", limits.body);
  } else if (transfer.stopped) {
    failed = TransportFailure{TransportFault::Stopped, {}};
  } else if (outcome.code != CURLE_OK) {
    failed = to_failure(outcome, connection, request, limits, Clock::system().now());
  }
  if (state_->trace) {
    TraceEvent event;
    event.bytes = transfer.bytes;
    event.duration = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
    event.times = times_of(handle);
    event.body = std::move(traced);
    if (transfer.head) {
      event.status = transfer.head->status;
      event.response_headers = transfer.head->headers;
    }
    if (failed) event.failure = base::to_string(failed->error);
    state_->report(std::move(event), request);
  }
  return failed;
}

}  // namespace dsdoctor::kube
