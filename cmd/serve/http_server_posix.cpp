// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/text.h"
#include "serve/http_server.h"

namespace dsdoctor::cmd {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Failure = boost::system::error_code;

/// A body in shared memory: one answer for many clients.
using Response = http::response<http::span_body<const char>>;

/// The name in a Host header, without its port and brackets.
std::string_view name_in(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.rfind(':'));
}

bool is_loopback_name(std::string_view name) {
  if (base::same_ignoring_case(name, "localhost")) return true;
  Failure failure;
  const auto address = asio::ip::make_address(std::string(name), failure);
  return !failure && address.is_loopback();
}

/// The state that all connections share. Lives on the server's thread, except for `io`.
struct Shared {
  HttpServer::Handler handler;
  HttpLimits limits;
  bool is_loopback = false;
  std::size_t connections = 0;
  asio::io_context io{1};
};

/// One connection: reads a request, waits for its reply, sends it, and so on.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shared& shared, tcp::socket socket)
      : shared_(shared), stream_(std::move(socket)), buffer_(shared.limits.header_bytes) {
    ++shared_.connections;
  }
  ~Connection() { --shared_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() { read(shared_.limits.request_seconds); }

 private:
  void read(int seconds) {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.header_bytes));
    parser_->body_limit(0);
    stream_.expires_after(std::chrono::seconds(seconds));
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](Failure failure, std::size_t /*bytes*/) {
                       self->answer(failure);
                     });
  }

  void answer(Failure failure) {
    if (failure == http::error::header_limit) return refuse(http::status(431), "too large\n");
    if (failure == http::error::body_limit) return refuse(http::status(413), "no body, please\n");
    if (failure &&
        failure.category() == http::make_error_code(http::error::bad_method).category() &&
        failure != http::error::end_of_stream && failure != http::error::partial_message) {
      return refuse(http::status::bad_request, "not a request of HTTP/1.1\n");
    }
    if (failure) return;  // the client left, or was too slow
    const auto& request = parser_->get();
    is_head_ = request.method() == http::verb::head;
    if (request.method() != http::verb::get && !is_head_) {
      return refuse(http::status::method_not_allowed, "GET and HEAD only\n");
    }
    const auto host = request[http::field::host];
    if (shared_.is_loopback && !host.empty() &&
        !is_loopback_name(name_in({host.data(), host.size()}))) {
      return refuse(http::status(421), "this server answers for localhost only\n");
    }
    stays_ = request.keep_alive();
    const std::string_view target(request.target().data(), request.target().size());
    // Renders can take longer than a client may take to send its request.
    stream_.expires_after(std::chrono::seconds(shared_.limits.reply_seconds));
    const SendReply send = [pending = std::make_shared<Pending>(shared_from_this())](
                               HttpReply reply) { pending->send(std::move(reply)); };
    shared_.handler(std::string(target.substr(0, target.find('?'))), send);
  }

  /// A reply that is not sent yet. The connection ends on the server's thread, also if the last
  /// reference to it is dropped on another one.
  class Pending {
   public:
    explicit Pending(std::shared_ptr<Connection> of) : of_(std::move(of)) {}
    ~Pending() {
      asio::io_context& io = of_->shared_.io;
      asio::post(io, [of = std::move(of_)] {});
    }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;

    void send(HttpReply reply) {
      if (is_sent_.exchange(true)) return;
      asio::post(of_->shared_.io, [of = of_, reply = std::move(reply)] { of->write(reply); });
    }

   private:
    std::shared_ptr<Connection> of_;
    std::atomic<bool> is_sent_ = false;
  };

  void refuse(http::status status, const char* text) {
    stays_ = false;
    write({static_cast<int>(status), "text/plain; charset=utf-8",
           std::make_shared<const std::string>(text)});
  }

  void write(const HttpReply& reply) {
    body_ = reply.body ? reply.body : std::make_shared<const std::string>();
    response_.emplace(static_cast<http::status>(reply.status), 11U);
    Response& response = *response_;
    response.set(http::field::content_type, reply.content_type);
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("X-Frame-Options", "DENY");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    if (reply.status == static_cast<int>(http::status::method_not_allowed)) {
      response.set(http::field::allow, "GET, HEAD");
    }
    response.keep_alive(stays_);
    response.content_length(body_->size());
    if (!is_head_) response.body() = {body_->data(), body_->size()};
    stream_.expires_after(std::chrono::seconds(shared_.limits.reply_seconds));
    const auto done = [self = shared_from_this()](Failure failure, std::size_t /*bytes*/) {
      self->after_write(failure);
    };
    serializer_.emplace(response);
    if (is_head_) {
      http::async_write_header(stream_, *serializer_, done);
    } else {
      http::async_write(stream_, *serializer_, done);
    }
  }

  void after_write(Failure failure) {
    serializer_.reset();
    response_.reset();
    body_.reset();
    if (failure) return;
    if (stays_) return read(shared_.limits.idle_seconds);
    Failure ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  Shared& shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::shared_ptr<const std::string> body_;  // outlives the response
  std::optional<Response> response_;
  std::optional<http::response_serializer<http::span_body<const char>>> serializer_;
  bool is_head_ = false;
  bool stays_ = false;
};

class BeastServer final : public HttpServer {
 public:
  BeastServer(Handler handler, const HttpLimits& limits) {
    shared_.handler = std::move(handler);
    shared_.limits = limits;
  }
  ~BeastServer() override {
    shared_.io.stop();
    if (thread_.joinable()) thread_.join();
  }
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;

  /// Errors: Unavailable.
  base::Status start(const ListenAddress& at) {
    const std::string text = fmt::format("{}:{}", at.host, at.port);
    Failure failure;
    tcp::resolver resolver(shared_.io);
    const auto found = resolver.resolve(at.host, at.port, tcp::resolver::passive, failure);
    if (failure) return unavailable(text, failure);
    const tcp::endpoint endpoint = found.begin()->endpoint();
    const auto step = [&](auto&& act) {
      if (!failure) act();
    };
    step([&] { acceptor_.open(endpoint.protocol(), failure); });
    step([&] { acceptor_.set_option(tcp::acceptor::reuse_address(true), failure); });
    step([&] { acceptor_.bind(endpoint, failure); });
    step([&] { acceptor_.listen(asio::socket_base::max_listen_connections, failure); });
    if (failure) return unavailable(text, failure);
    shared_.is_loopback = endpoint.address().is_loopback();
    accept();
    thread_ = std::thread([this] { shared_.io.run(); });
    return std::monostate();
  }

  [[nodiscard]] std::string address() const override {
    Failure failure;
    const tcp::endpoint endpoint = acceptor_.local_endpoint(failure);
    const std::string host = endpoint.address().to_string();
    return endpoint.address().is_v6() ? fmt::format("[{}]:{}", host, endpoint.port())
                                      : fmt::format("{}:{}", host, endpoint.port());
  }

 private:
  static base::Error unavailable(const std::string& where, const Failure& failure) {
    return {base::ErrorKind::Unavailable, where,
            fmt::format("cannot listen: {}", failure.message())};
  }

  void accept() {
    acceptor_.async_accept([this](Failure failure, tcp::socket socket) {
      if (failure == asio::error::operation_aborted) return;
      if (failure) return wait_and_accept();  // such as too many open files
      // With too many connections, this one is closed: a client tries again.
      if (shared_.connections < shared_.limits.connections) {
        std::make_shared<Connection>(shared_, std::move(socket))->start();
      }
      accept();
    });
  }

  void wait_and_accept() {
    constexpr std::chrono::milliseconds pause(200);
    pause_.expires_after(pause);
    pause_.async_wait([this](Failure failure) {
      if (!failure) accept();
    });
  }

  Shared shared_;
  tcp::acceptor acceptor_{shared_.io};
  asio::steady_timer pause_{shared_.io};
  std::thread thread_;
};

}  // namespace

base::Result<std::unique_ptr<HttpServer>> HttpServer::listen(const ListenAddress& at,
                                                             Handler handler, HttpLimits limits) {
  auto server = std::make_unique<BeastServer>(std::move(handler), limits);
  if (auto started = server->start(at); !started) return started.error();
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace dsdoctor::cmd
