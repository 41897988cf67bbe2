// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <mutex>

#include "testing/https_server.h"
#include "testing/local_listener.h"
#include "testing/tls_stream.h"
#include "testing/tunnel_proxy.h"

namespace dsdoctor::testing {
namespace {

/// Returns false if nothing listens on the port.
bool connect_to(int socket, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* generic =
      reinterpret_cast<const sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): POSIX
  return ::connect(socket, generic, sizeof address) == 0;
}

/// Copies both ways until one side ends.
void relay(Stream& client, int upstream) {
  std::array<char, 16384> buffer{};
  for (;;) {
    std::array<pollfd, 2> sides{pollfd{client.socket(), POLLIN, 0}, pollfd{upstream, POLLIN, 0}};
    if (!client.pending() && ::poll(sides.data(), sides.size(), -1) < 0) return;
    if (client.pending() || sides[0].revents != 0) {
      const std::size_t got = client.read(buffer.data(), buffer.size());
      if (got == 0 || ::send(upstream, buffer.data(), got, 0) < 0) return;
    }
    if (sides[1].revents != 0) {
      const ssize_t got = ::recv(upstream, buffer.data(), buffer.size(), 0);
      if (got <= 0) return;
      client.write({buffer.data(), static_cast<std::size_t>(got)});
    }
  }
}

/// Exactly `size` bytes, or fewer at the end.
std::string read_exactly(Stream& client, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const std::size_t got = client.read(bytes.data() + have, size - have);
    if (got == 0) break;
    have += got;
  }
  bytes.resize(have);
  return bytes;
}

std::size_t read_length(Stream& client) {
  const std::string byte = read_exactly(client, 1);
  return byte.empty() ? 0 : static_cast<unsigned char>(byte[0]);
}

struct Tunnel {
  std::string target;
  std::string head;
};

Tunnel accept_connect(Stream& client) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const std::string byte = read_exactly(client, 1);
    if (byte.empty()) return {};
    head += byte;
  }
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  const auto begin = head.find(' ') + 1;
  return {head.substr(begin, head.find(' ', begin) - begin), head};
}

/// Accepts RFC 1928, and RFC 1929 if the client offers a password; names only.
Tunnel accept_socks(Stream& client) {
  if (read_exactly(client, 1) != "\x05") return {};
  const std::string methods = read_exactly(client, read_length(client));
  Tunnel tunnel;
  if (methods.find('\x02') != std::string::npos) {
    client.write("\x05\x02");
    (void)read_exactly(client, 1);
    tunnel.head = read_exactly(client, read_length(client));
    tunnel.head += ":" + read_exactly(client, read_length(client));
    client.write(std::string("\x01\x00", 2));
  } else {
    client.write(std::string("\x05\x00", 2));
  }
  const std::string request = read_exactly(client, 4);
  if (request.size() < 4 || request[3] != 3) return {};  // 3: a name, which the proxy resolves
  tunnel.target = read_exactly(client, read_length(client));
  const std::string port = read_exactly(client, 2);
  if (port.size() < 2) return {};
  tunnel.target += ":" + std::to_string(static_cast<unsigned char>(port[0]) * 256 +
                                        static_cast<unsigned char>(port[1]));
  client.write(std::string("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10));
  return tunnel;
}

}  // namespace

struct TunnelProxy::State {
  ProxyKind kind = ProxyKind::Http;
  int local_port = 0;
  TlsContext context;
  mutable std::mutex mutex;
  std::vector<Tunnel> tunnels;  // guarded by mutex
  LocalListener listener;       // last: its threads use all members above

  void serve(int socket) {
    Stream client(socket, context.get());
    if (client.open()) lead(client);
  }

  void lead(Stream& client) {
    Tunnel tunnel = kind == ProxyKind::Socks5 ? accept_socks(client) : accept_connect(client);
    if (tunnel.target.empty()) return;
    const int upstream = make_socket();
    {
      const std::lock_guard lock(mutex);
      tunnels.push_back(std::move(tunnel));
    }
    listener.watch(upstream);
    if (connect_to(upstream, local_port)) relay(client, upstream);
    listener.close(upstream);
  }
};

TunnelProxy::TunnelProxy(ProxyKind kind, int local_port, const KeyPair& identity)
    : state_(new State) {
  state_->kind = kind;
  state_->local_port = local_port;
  if (kind == ProxyKind::Https) {
    ServerOptions options;
    options.identity = identity;
    state_->context = make_context(options);
  }
  state_->listener.start([state = state_.get()](int socket) { state->serve(socket); });
}

TunnelProxy::~TunnelProxy() = default;

int TunnelProxy::port() const { return state_->listener.port(); }

std::vector<std::string> TunnelProxy::targets() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> result;
  for (const Tunnel& tunnel : state_->tunnels) result.push_back(tunnel.target);
  return result;
}

std::vector<std::string> TunnelProxy::heads() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> result;
  for (const Tunnel& tunnel : state_->tunnels) result.push_back(tunnel.head);
  return result;
}

}  // namespace dsdoctor::testing
