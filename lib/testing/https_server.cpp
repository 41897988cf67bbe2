// SPDX-License-Identifier: Apache-2.0
#include "testing/https_server.h"

#include <array>
#include <chrono>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include "testing/http_text.h"
#include "testing/local_listener.h"
#include "testing/tls_stream.h"

namespace dsdoctor::testing {
namespace {

/// The beginning of an answer without an end.
std::string beginning(Fault fault) {
  if (fault == Fault::EndlessHeads) return {};
  std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  if (fault == Fault::EndlessBody) head += "Transfer-Encoding: chunked\r\n\r\n";
  return head;
}

std::string chunk_of(const std::string& bytes) {
  std::ostringstream chunk;
  chunk << std::hex << bytes.size() << "\r\n" << bytes << "\r\n";
  return chunk.str();
}

/// The part that is repeated; empty if the answer ends.
std::string repeated(const Reply& reply) {
  if (reply.fault == Fault::EndlessHeads) return "HTTP/1.1 100 Continue\r\n\r\n";
  if (reply.fault == Fault::EndlessHeaders) return "X-More: " + std::string(1000, 'x') + "\r\n";
  if (reply.fault != Fault::EndlessBody) return {};
  return chunk_of(reply.body);
}

}  // namespace

struct HttpsServer::State {
  ServerOptions options;
  Handler handler;
  TlsContext context;
  mutable std::mutex mutex;
  std::vector<ServedRequest> log;  // guarded by mutex
  LocalListener listener;          // last: its threads use all members above

  void serve(int socket) {
    Stream stream(socket, context.get());
    std::string buffer;
    if (!stream.open()) stream.linger();
    if (options.frames) {
      send_frames(stream);
      return;
    }
    while (stream.open() && answer_one(stream, buffer)) {
    }
  }

  void send_frames(Stream& stream) const {
    constexpr std::size_t preface_size = 24;
    std::array<char, 4096> chunk{};
    for (std::size_t all = 0; all <= preface_size;) {
      const std::size_t got = stream.read(chunk.data(), chunk.size());
      if (got == 0) return;
      all += got;
    }
    (void)stream.write(options.frames());
    stream.close();
    stream.linger();
  }

  /// Returns false at the end of the connection.
  bool answer_one(Stream& stream, std::string& buffer) {
    std::array<char, 4096> chunk{};
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
      const std::size_t got = stream.read(chunk.data(), chunk.size());
      if (got == 0) return false;
      buffer.append(chunk.data(), got);
      if (buffer.front() == '\x16') {  // a TLS greeting on a plain connection
        (void)stream.write("HTTP/1.1 400 Bad Request\r\n\r\n");
        return false;
      }
    }
    ServedRequest request = parse_request(std::string_view(buffer).substr(0, end));
    buffer.erase(0, end + 4);
    request.client_name = stream.client_name();
    request.sni = stream.sni();
    request.alpn = stream.offered();
    {
      const std::lock_guard lock(mutex);
      log.push_back(request);
    }
    const Reply reply = handler(request);
    return send(stream, request, reply);
  }

  void stall() const {
    for (int i = 0; i < 2000 && !listener.is_stopping(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  bool send_in_chunks(Stream& stream, const Reply& reply) {
    (void)stream.write("HTTP/1.1 " + std::to_string(reply.status) + " OK\r\nContent-Type: " +
                       reply.content_type + "\r\nTransfer-Encoding: chunked\r\n\r\n");
    std::string bytes = reply.body;
    bool goes_on = true;
    while (goes_on && !listener.is_stopping()) {
      goes_on = reply.more(bytes);
      if (!bytes.empty() && !stream.write(chunk_of(bytes))) return false;
      bytes.clear();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return stream.write("0\r\n\r\n");
  }

  bool send(Stream& stream, const ServedRequest& request, const Reply& reply) {
    if (reply.fault == Fault::CloseBeforeHead) return false;
    if (reply.fault == Fault::StallBeforeHead) stall();
    if (const std::string again = repeated(reply); !again.empty()) {
      (void)stream.write(beginning(reply.fault));
      while (!listener.is_stopping() && stream.write(again)) {
      }
      return false;
    }
    if (reply.more) return send_in_chunks(stream, reply);
    const bool accepts = request.header("accept-encoding").find("gzip") != std::string::npos;
    (void)stream.write(to_http(reply, options.gzip && accepts));
    if (reply.fault == Fault::StallWithinBody) stall();
    if (reply.fault == Fault::None && !reply.close_delimited) return true;
    stream.close();
    return false;
  }
};

HttpsServer::HttpsServer(ServerOptions options, Handler handler) : state_(new State) {
  state_->options = std::move(options);
  state_->handler = std::move(handler);
  if (state_->options.tls) state_->context = make_context(state_->options);
  state_->listener.start([state = state_.get()](int socket) { state->serve(socket); });
}

HttpsServer::~HttpsServer() = default;

int HttpsServer::port() const { return state_->listener.port(); }

std::string HttpsServer::url() const {
  return (state_->options.tls ? "https" : "http") + std::string("://127.0.0.1:") +
         std::to_string(port());
}

std::vector<ServedRequest> HttpsServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->log;
}

int HttpsServer::connections() const { return state_->listener.connections(); }

}  // namespace dsdoctor::testing
