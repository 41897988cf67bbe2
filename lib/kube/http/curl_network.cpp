// SPDX-License-Identifier: Apache-2.0
#include "kube/http/curl_network.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kube/os/sigpipe.h"

namespace dsdoctor::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Maximum number of bytes that wait for the decoding thread; then the network thread blocks.
constexpr std::size_t max_waiting = 8U << 20U;

/// TLS delivers 16 KB at a time. Waking a thread for each costs more than decoding it, so bytes are
/// handed over in batches; the first ones immediately, because they may name the next page.
constexpr std::size_t batch = 128U << 10U;

/// Sets whether other requests may reuse the connection. Not before an answer has begun to arrive:
/// libcurl keeps a connection over which a request could not be sent, and OpenSSL would send that
/// request instead of the next one.
void set_connection_kept(CURL* handle, bool kept) {
  (void)curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, kept ? 0L : 1L);  // NOLINT(*-vararg)
}

/// REQUIRES: transfer.mutex is held.
void publish_head(Transfer& transfer) {
  if (transfer.head_complete || transfer.incoming.status < 200) return;
  transfer.head = std::move(transfer.incoming);
  transfer.head_complete = true;
}

/// Takes a line of the head; of several heads (100 Continue, a redirect) the last one is kept.
std::size_t take_header(Transfer& transfer, std::string_view bytes) {
  transfer.head_bytes += bytes.size();
  if (transfer.head_bytes > transfer.limits.head) {
    const std::lock_guard lock(transfer.mutex);
    transfer.head_too_large = true;
    return 0;  // ends the transfer
  }
  const std::string_view line = base::trimmed(bytes);
  if (line.starts_with("HTTP/")) {
    transfer.incoming = {};
    set_connection_kept(transfer.handle.get(), true);
    const auto space = line.find(' ');
    if (space != std::string_view::npos) {
      std::from_chars(line.data() + space + 1, line.data() + line.size(), transfer.incoming.status);
    }
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    transfer.incoming.headers.push_back({std::string(base::trimmed(line.substr(0, colon))),
                                         std::string(base::trimmed(line.substr(colon + 1)))});
  } else if (line.empty() && transfer.is_watch) {
    const std::lock_guard lock(transfer.mutex);
    publish_head(transfer);
    transfer.changed.notify_all();
  }
  return bytes.size();
}

std::size_t take_body(Transfer& transfer, std::string_view bytes) {
  std::unique_lock lock(transfer.mutex);
  publish_head(transfer);
  // The caller drains in every case, so this wait ends.
  transfer.changed.wait(lock,
                        [&] { return transfer.stopped || transfer.waiting.size() < max_waiting; });
  transfer.bytes += bytes.size();
  transfer.too_large = transfer.bytes > transfer.limits.body;
  if (transfer.stopped || transfer.too_large) return 0;  // ends the transfer
  transfer.waiting.append(bytes);
  if (transfer.is_batch_ready()) transfer.changed.notify_all();
  return bytes.size();
}

/// A callback for libcurl, which is C: if memory runs out, it ends the transfer like a failed
/// write.
template <std::size_t (*take)(Transfer&, std::string_view)>
std::size_t callback(char* data, std::size_t size, std::size_t count, void* user) noexcept {
  try {
    return take(*static_cast<Transfer*>(user), {data, size * count});
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

/// Takes facts that libcurl (7.88) only reports as text; with another wording they are unknown.
int take_note(CURL* /*handle*/, curl_infotype type, char* data, std::size_t size,
              void* user) noexcept {
  if (type != CURLINFO_TEXT) return 0;
  const std::string_view text(data, size);
  const auto holds = [&](std::string_view part) { return text.find(part) != text.npos; };
  auto& transfer = *static_cast<Transfer*>(user);
  constexpr std::string_view goaway = "GOAWAY, error=";
  if (const auto at = text.find(goaway); at != text.npos) {
    std::uint32_t code = 0;
    std::from_chars(data + at + goaway.size(), data + size, code);
    transfer.goaway = code;
  } else if (holds("ALPN") && holds("accepted") && holds("h2")) {
    transfer.http2 = true;
  }
  return 0;
}

/// Reports whether the handshake takes too long; Go's http.Transport has the same limit.
bool is_stuck_in_handshake(Transfer& transfer, steady_clock::time_point now) {
  curl_off_t done = 0;
  (void)curl_easy_getinfo(transfer.handle.get(), CURLINFO_APPCONNECT_TIME_T, &done);  // NOLINT
  if (!transfer.lists.tls_started || done > 0) return false;
  if (!transfer.handshake_since) transfer.handshake_since = now;
  return now - *transfer.handshake_since > transfer.limits.handshake;
}

/// Reports whether no byte has arrived for too long.
bool is_stalled(Transfer& transfer, curl_off_t got, steady_clock::time_point now) {
  const curl_off_t arrived = got + static_cast<curl_off_t>(transfer.head_bytes);
  if (arrived != transfer.arrived) {
    transfer.arrived = arrived;
    transfer.arrived_at = now;
  }
  const auto patience = arrived > 0 ? transfer.limits.stall : transfer.limits.first_byte;
  return now - transfer.arrived_at > patience;
}

/// Called about once a second even when nothing arrives. A result other than 0 ends the transfer.
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

/// Creates a multi handle. Its requests share one HTTP/2 connection if that is safe: before 8.2
/// libcurl sometimes loses the wake-up of a stream whose bytes it has read with another stream's,
/// and the transfers of that connection stall (seen about once in 500 runs with 7.88.1). With such
/// versions each concurrent request has its own connection, which later requests reuse.
CURLM* new_multi() {
  constexpr unsigned sound_multiplexing = 0x080200;
  CURLM* multi = curl_multi_init();
  if (multi == nullptr) throw std::bad_alloc();
  const bool sound = curl_version_info(CURLVERSION_NOW)->version_num >= sound_multiplexing;
  // NOLINTNEXTLINE(*-vararg)
  (void)curl_multi_setopt(multi, CURLMOPT_PIPELINING,
                          static_cast<long>(sound ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING));
  return multi;
}

void end(Transfer& transfer, CURLcode code) {
  // Notify under the lock: the caller may destroy the transfer as soon as the lock is released.
  const std::lock_guard lock(transfer.mutex);
  publish_head(transfer);
  transfer.ended = code;
  transfer.changed.notify_all();
}

/// False: the receiver stops. Its exception is kept, because the transfer must end in any case.
bool pass_on(const ResponseHead* head, const std::string& chunk, const Receiver& receiver,
             std::exception_ptr& thrown) {
  try {
    if (head != nullptr && !receiver.head(*head)) return false;
    return chunk.empty() || receiver.body(chunk);
  } catch (...) {
    thrown = std::current_exception();
    return false;
  }
}

}  // namespace

bool Transfer::is_batch_ready() const {
  return waiting.size() >= batch || (bytes <= batch && !waiting.empty());
}

void connect_callbacks(Transfer& transfer) {
  CURL* handle = transfer.handle.get();
  // NOLINTBEGIN(*-vararg)
  (void)curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer.error_text.data());
  (void)curl_easy_setopt(handle, CURLOPT_VERBOSE, 1L);
  (void)curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, &take_note);
  (void)curl_easy_setopt(handle, CURLOPT_DEBUGDATA, &transfer);
  (void)curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &callback<take_header>);
  (void)curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  (void)curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &callback<take_body>);
  (void)curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  (void)curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  (void)curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &on_progress);
  (void)curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
  // NOLINTEND(*-vararg)
  set_connection_kept(handle, false);
}

Network::Network() : multi_(new_multi()), thread_([this] { run(); }) {}

Network::~Network() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_);
  thread_.join();
  curl_multi_cleanup(multi_);
}

void Network::start(Transfer& transfer) {
  {
    const std::lock_guard lock(mutex_);
    starting_.push_back(&transfer);
  }
  curl_multi_wakeup(multi_);
}

void Network::run() {
  const SigpipeGuard guard;
  while (take_new()) {
    int running = 0;
    curl_multi_perform(multi_, &running);
    finish_ended();
    curl_multi_poll(multi_, nullptr, 0, 1000, nullptr);
  }
}

bool Network::take_new() {
  std::vector<Transfer*> starting;  // allocates nothing while empty
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

void Network::finish_ended() {
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

CURLcode drain(Transfer& transfer, const Receiver& receiver, Network& network) {
  // Interval of polling receiver.cancelled, and how long an incomplete batch waits.
  constexpr milliseconds patience(100);
  bool head_given = false;
  std::exception_ptr thrown;
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
    lock.unlock();  // the head does not change once it is set
    const bool go_on = wanted && pass_on(head, chunk, receiver, thrown);
    lock.lock();
    head_given = head_given || head != nullptr;
    transfer.stopped = transfer.stopped || !go_on;
    const bool nothing_left = transfer.waiting.empty() && (!transfer.head || head_given);
    if (!transfer.ended || !nothing_left) continue;
    if (thrown) std::rethrow_exception(thrown);
    return *transfer.ended;
  }
}

}  // namespace dsdoctor::kube
