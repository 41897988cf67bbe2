// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/config/connection.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// A header's value in a form that may be shown. `Authorization: Bearer abc` becomes `Bearer
/// <masked>`, as in kubectl; cookies are masked completely, and a Location loses its userinfo.
/// Source of truth: k8s.io/client-go v0.36, transport/round_trippers.go (maskValue).
[[nodiscard]] std::string masked_value(std::string_view name, std::string_view value);

/// All headers in a form that may be shown.
[[nodiscard]] std::vector<Header> masked(std::vector<Header> headers);

/// Replaces every occurrence of a secret in `text`: servers and proxies echo the requests. Secrets
/// shorter than 4 bytes are not replaced, because ordinary words would match.
[[nodiscard]] std::string scrubbed(std::string text, const std::vector<std::string>& secrets);

/// Returns the secrets in an Authorization header: the part after the scheme and, with Basic, the
/// password as well. Empty for an empty header.
[[nodiscard]] std::vector<std::string> secrets_of(std::string_view authorization);

/// Returns the proxy credentials of a connection, in both spellings.
[[nodiscard]] std::vector<std::string> secrets_of(const Connection& connection);

}  // namespace dsdoctor::kube
