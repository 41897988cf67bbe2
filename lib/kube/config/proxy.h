// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/os/environment.h"
#include "kube/text/url.h"

namespace dsdoctor::kube {

/// A proxy for connections to the API server; user and password may be secret.
struct Proxy {
  Url url;             // scheme http, https or socks5
  std::string origin;  // where the setting came from: "proxy-url" or a variable's name
};

/// Errors: Malformed; the message contains no credentials. A text without a scheme means
/// `http://`.
[[nodiscard]] base::Result<Url> parse_proxy_url(std::string_view text, bool allow_bare_host);

/// The proxy that the environment names for `server`: HTTPS_PROXY or HTTP_PROXY (upper case
/// first), unless NO_PROXY excepts the server or it is `localhost` or a loopback address. ALL_PROXY
/// is ignored. Errors: Malformed.
/// Source of truth: golang.org/x/net/http/httpproxy.
[[nodiscard]] base::Result<std::optional<Proxy>> proxy_from_environment(const Url& server,
                                                                        const Environment& env);

/// Whether host:port is a loopback address or excepted by the NO_PROXY list `list`.
[[nodiscard]] bool bypasses_proxy(std::string_view host, int port, std::string_view list);

/// `localhost`, 127.0.0.0/8 or ::1.
[[nodiscard]] bool is_loopback(std::string_view host);

}  // namespace dsdoctor::kube
