#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/config/connection.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// A header's value as it may be shown. `Authorization: Bearer abc` becomes `Bearer <masked>`, as
/// in kubectl; cookies are masked whole, and a Location loses its userinfo.
/// Source of truth: k8s.io/client-go v0.36, transport/round_trippers.go (maskValue).
[[nodiscard]] std::string masked_value(std::string_view name, std::string_view value);

/// All headers as they may be shown.
[[nodiscard]] std::vector<Header> masked(std::vector<Header> headers);

/// `text` with every occurrence of a secret replaced: servers and proxies echo what they were
/// sent. Secrets shorter than 4 bytes are left alone, or ordinary words would go.
[[nodiscard]] std::string scrubbed(std::string text, const std::vector<std::string>& secrets);

/// What an Authorization header gives away: the part after the scheme, and of a Basic one the
/// password as well. Empty for an empty header.
[[nodiscard]] std::vector<std::string> secrets_of(std::string_view authorization);

/// What a connection's proxy is sent, in both spellings.
[[nodiscard]] std::vector<std::string> secrets_of(const Connection& connection);

}  // namespace dsdoctor::kube
