// SPDX-License-Identifier: Apache-2.0
#include "kube/text/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace dsdoctor::kube {
namespace {

base::Error malformed(std::string what) {
  return {base::ErrorKind::Malformed, "", std::move(what)};
}

bool is_unreserved(char c) {
  return base::is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

/// Null if a % is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text) {
  const auto parts = base::split(text, "%");
  std::string result(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto byte = base::to_number<std::uint8_t>(parts[i].substr(0, 2), 16);
    if (!byte || parts[i].size() < 2) return std::nullopt;
    result += static_cast<char>(*byte);
    result += parts[i].substr(2);
  }
  return result;
}

/// `host`, `host:port`, `[v6]`, `[v6]:port`.
base::Status parse_authority(std::string_view text, Url& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return malformed("missing ']' in host");
    url.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const auto colon = text.find(':');
    url.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (url.host.empty()) return malformed("no host in the URL");
  if (port.empty() || port == ":") return std::monostate{};
  url.port = base::to_number<std::uint16_t>(port.substr(1));
  if (port.front() != ':' || url.port.value_or(0) == 0) return malformed("invalid port after host");
  return std::monostate{};
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

/// The position of the @ that ends the userinfo of `text`, searched from `begin`.
std::size_t userinfo_end(std::string_view text, std::size_t begin) {
  const auto authority_end = std::min(text.find_first_of("/?#", begin), text.size());
  const auto at = text.substr(0, authority_end).rfind('@');
  return at == std::string_view::npos || at < begin ? std::string_view::npos : at;
}

}  // namespace

std::string Url::authority() const { return port ? address() : bracketed(host); }

std::string Url::address() const { return fmt::format("{}:{}", bracketed(host), effective_port()); }

int Url::effective_port() const {
  if (port) return *port;
  if (scheme == "https") return 443;
  return scheme.starts_with("socks5") ? 1080 : 80;
}

base::Result<Url> parse_url(std::string_view text) {
  const auto hostile = [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) == 0x7F;
  };
  if (std::ranges::any_of(text, hostile)) {
    return malformed("invalid control character or space in URL");
  }
  const auto mark = text.find("://");
  if (mark == std::string_view::npos || mark == 0) return malformed("missing scheme");
  Url url;
  url.scheme = base::lower_case(text.substr(0, mark));
  std::string_view rest = text.substr(mark + 3);
  rest = rest.substr(0, rest.find_first_of("?#"));
  if (const auto at = userinfo_end(rest, 0); at != std::string_view::npos) {
    const std::string_view userinfo = rest.substr(0, at);
    const auto colon = std::min(userinfo.find(':'), userinfo.size());
    const auto user = percent_decoded(userinfo.substr(0, colon));
    const auto password = percent_decoded(userinfo.substr(std::min(colon + 1, userinfo.size())));
    if (!user || !password) return malformed("invalid escape in the user information of the URL");
    url.user = *user;
    url.password = *password;
    rest.remove_prefix(at + 1);
  }
  const auto slash = std::min(rest.find('/'), rest.size());
  if (const auto status = parse_authority(rest.substr(0, slash), url); !status) {
    return status.error();
  }
  url.path = rest.substr(slash);
  return url;
}

std::string redacted_url(std::string_view text) {
  const auto mark = text.find("://");
  const std::size_t begin = mark == std::string_view::npos ? 0 : mark + 3;
  // In a valid URL the userinfo ends at its @. In an invalid one, a password with a slash or a hash
  // may extend to the last @.
  const bool understood = parse_url(text).has_value();
  const auto at = understood ? userinfo_end(text, begin) : text.rfind('@');
  if (at == std::string_view::npos || at < begin) return std::string(text);
  return std::string(text.substr(0, begin)) + "xxxxx" + std::string(text.substr(at));
}

base::Result<Url> parse_server_url(std::string_view text) {
  const bool has_scheme = text.find("://") != std::string_view::npos;
  while (!has_scheme && text.ends_with('/')) text.remove_suffix(1);
  if (!has_scheme && text.find('/') != std::string_view::npos) {
    return malformed(
        fmt::format("host must be a URL or a host:port pair: \"{}\"", redacted_url(text)));
  }
  auto url = parse_url(has_scheme ? std::string(text) : "http://" + std::string(text));
  if (!url) {
    return malformed(
        fmt::format("server \"{}\" is not a valid URL: {}", redacted_url(text), url.error().what));
  }
  if (url->scheme != "http" && url->scheme != "https") {
    return malformed(fmt::format("server \"{}\": unsupported protocol scheme \"{}\"",
                                 redacted_url(text), url->scheme));
  }
  while (url->path.ends_with('/')) url->path.pop_back();
  return url;
}

std::string percent_encoded(std::string_view text, bool (*is_kept)(char)) {
  std::string result;
  for (const char c : text) {
    result +=
        is_kept(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string encode_segment(std::string_view segment) {
  return percent_encoded(segment, is_unreserved);
}

std::string encode_query(Query query) {
  std::ranges::stable_sort(query, {}, &Query::value_type::first);
  const auto encoded = [](std::string_view text) {
    std::string result = percent_encoded(text, [](char c) { return c == ' ' || is_unreserved(c); });
    std::ranges::replace(result, ' ', '+');
    return result;
  };
  std::string result;
  for (const auto& [key, value] : query) {
    if (!result.empty()) result += '&';
    result += encoded(key) + "=" + encoded(value);
  }
  return result;
}

}  // namespace dsdoctor::kube
