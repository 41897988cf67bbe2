// SPDX-License-Identifier: Apache-2.0
#include "kube/config/proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kube/os/sockets.h"

namespace dsdoctor::kube {
namespace {

/// Turns "010.0.0.0" into "10.0.0.0": old parsers of Go accepted such networks, and client-go still
/// does.
std::string without_leading_zeros(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool leads = text[i] == '0' && (result.empty() || result.back() == '.');
    const bool more = i + 1 < text.size() && base::is_digit(text[i + 1]);
    if (!leads || !more) result += text[i];
  }
  return result;
}

using Address = AddressBytes;

bool in_network(const Address& address, std::string_view network) {
  const auto slash = network.find('/');
  const bool v6 = network.substr(0, slash).find(':') != std::string_view::npos;
  const auto first = parse_address(v6 ? std::string(network.substr(0, slash))
                                      : without_leading_zeros(network.substr(0, slash)));
  const auto bits = base::to_number<std::size_t>(network.substr(slash + 1));
  if (!first || !bits || first->size() != address.size() || *bits > first->size() * 8) return false;
  for (std::size_t i = 0; i < *bits; ++i) {
    const unsigned mask = 0x80U >> (i % 8);
    if (((address[i / 8] ^ (*first)[i / 8]) & mask) != 0) return false;
  }
  return true;
}

struct HostPort {
  std::string host;
  std::optional<int> port;
};

/// `host`, `host:port`, `[v6]:port`, `v6`.
HostPort split_port(const std::string& entry) {
  const auto colon = entry.rfind(':');
  const bool bracketed = entry.starts_with('[');
  const bool bare_v6 = !bracketed && entry.find(':') != colon;
  HostPort result{entry, std::nullopt};
  if (colon != std::string::npos && !bare_v6 && entry.find(']', colon) == std::string::npos) {
    result.port = base::to_number<int>(std::string_view(entry).substr(colon + 1));
    if (result.port) result.host.resize(colon);
  }
  if (result.host.starts_with('[') && result.host.ends_with(']')) {
    result.host = result.host.substr(1, result.host.size() - 2);
  }
  return result;
}

bool matches_entry(const std::string& host, int port, const std::string& entry) {
  if (entry == "*") return true;
  const auto address = parse_address(host);
  if (entry.find('/') != std::string::npos) return address && in_network(*address, entry);
  HostPort wanted = split_port(entry);
  if (wanted.port && *wanted.port != port) return false;
  if (const auto literal = parse_address(wanted.host)) return address && *literal == *address;
  if (address) return false;  // the other entries are domain names
  if (wanted.host.starts_with("*.")) wanted.host.erase(0, 1);
  if (wanted.host.empty()) return false;
  if (wanted.host.starts_with('.')) return host.ends_with(wanted.host);
  return host == wanted.host || host.ends_with("." + wanted.host);
}

}  // namespace

base::Result<Url> parse_proxy_url(std::string_view text, bool allow_bare_host) {
  const bool bare = text.find("://") == std::string_view::npos;
  auto url = parse_url(bare && allow_bare_host ? "http://" + std::string(text) : std::string(text));
  if (!url) return url;
  if (url->scheme == "socks5h" && allow_bare_host) url->scheme = "socks5";
  if (url->scheme != "http" && url->scheme != "https" && url->scheme != "socks5") {
    return base::Error{
        base::ErrorKind::Malformed, "",
        fmt::format("unsupported scheme \"{}\", must be http, https, or socks5", url->scheme)};
  }
  url->path.clear();
  return url;
}

base::Result<std::optional<Proxy>> proxy_from_environment(const Url& server,
                                                          const Environment& env) {
  const auto first_of = [&](const char* upper_case, const char* lower_case) {
    const bool use_upper = !env.get(upper_case).empty();
    return std::pair<std::string, std::string>(use_upper ? upper_case : lower_case,
                                               env.get(use_upper ? upper_case : lower_case));
  };
  const bool secure = server.scheme == "https";
  const auto [name, value] =
      secure ? first_of("HTTPS_PROXY", "https_proxy") : first_of("HTTP_PROXY", "http_proxy");
  if (value.empty()) return std::optional<Proxy>();
  const std::string except = first_of("NO_PROXY", "no_proxy").second;
  if (bypasses_proxy(server.host, server.effective_port(), except)) return std::optional<Proxy>();
  if (name == "HTTP_PROXY" && !env.get("REQUEST_METHOD").empty()) {
    return base::Error{base::ErrorKind::Malformed, name,
                       "refusing to use HTTP_PROXY value in CGI environment; see "
                       "golang.org/s/cgihttpproxy"};
  }
  auto url = parse_proxy_url(value, true);
  if (!url) {
    return base::Error{base::ErrorKind::Malformed, name,
                       "invalid proxy address: " + url.error().what};
  }
  return std::optional<Proxy>(Proxy{std::move(*url), name});
}

bool is_loopback(std::string_view host) {
  if (base::same_ignoring_case(host, "localhost")) return true;
  const auto address = parse_address(host);
  return address && (in_network(*address, "127.0.0.0/8") || in_network(*address, "::1/128"));
}

bool bypasses_proxy(std::string_view host, int port, std::string_view list) {
  if (is_loopback(host)) return true;
  return std::ranges::any_of(base::split(list, ","), [&](std::string_view part) {
    const std::string entry = base::lower_case(base::trimmed(part, " \t"));
    return !entry.empty() && matches_entry(base::lower_case(host), port, entry);
  });
}

}  // namespace dsdoctor::kube
