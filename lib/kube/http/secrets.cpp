// SPDX-License-Identifier: Apache-2.0
#include "kube/http/secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "kube/text/base64.h"
#include "kube/text/url.h"

namespace dsdoctor::kube {
namespace {

constexpr const char* mask = "<masked>";
constexpr std::size_t shortest_secret = 4;  // bytes

std::string masked_authorization(std::string_view value) {
  constexpr std::array<std::string_view, 3> known{"bearer", "basic", "negotiate"};
  if (value.empty()) return {};
  const std::string scheme(value.substr(0, value.find(' ')));
  if (std::ranges::find(known, base::lower_case(scheme)) == known.end()) return mask;
  return value.size() > scheme.size() + 1 ? scheme + " " + mask : scheme;
}

}  // namespace

std::string masked_value(std::string_view name, std::string_view value) {
  const std::string key = base::lower_case(name);
  if (key == "authorization" || key == "proxy-authorization") return masked_authorization(value);
  if (key == "cookie" || key == "set-cookie") return value.empty() ? "" : mask;
  if (key == "location" || key == "content-location") return redacted_url(value);
  return std::string(value);
}

std::vector<Header> masked(std::vector<Header> headers) {
  for (Header& header : headers) header.value = masked_value(header.name, header.value);
  return headers;
}

std::string scrubbed(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (secret.size() < shortest_secret) continue;
    std::size_t at = 0;
    while ((at = text.find(secret, at)) != std::string::npos) text.replace(at, secret.size(), mask);
  }
  return text;
}

std::vector<std::string> secrets_of(std::string_view authorization) {
  const auto space = authorization.find(' ');
  if (space == std::string_view::npos) return {};
  std::vector<std::string> secrets{std::string(authorization.substr(space + 1))};
  if (base::lower_case(authorization.substr(0, space)) != "basic") return secrets;
  const auto pair = decode_base64(secrets.front());
  const auto colon = pair ? pair->find(':') : std::string::npos;
  if (colon != std::string::npos) secrets.push_back(pair->substr(colon + 1));
  return secrets;
}

std::vector<std::string> secrets_of(const Connection& connection) {
  if (!connection.proxy || !connection.proxy->url.user) return {};
  const Url& proxy = connection.proxy->url;
  return {encode_base64(fmt::format("{}:{}", *proxy.user, proxy.password)), proxy.password};
}

}  // namespace dsdoctor::kube
