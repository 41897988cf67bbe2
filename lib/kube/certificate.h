#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>

#include "kube/clock.h"

namespace dsdoctor::kube {

/// Makes the handle refuse servers, and https proxies, whose certificate has neither a DNS name
/// nor an address in subjectAltName: libcurl would compare the Common Name, which Go and RFC 9525
/// ignore. Without verification (CURLOPT_SSL_VERIFYPEER 0) it changes nothing.
/// `started` becomes true when a TLS handshake begins, and must live as long as the handle.
/// False: the TLS library of this libcurl is not OpenSSL, and cannot be told so.
[[nodiscard]] bool require_alternative_names(CURL* handle, bool& started);

/// When the first certificate of a PEM text ends to be valid; null when there is none.
[[nodiscard]] std::optional<TimePoint> expiry_of(const std::string& pem);

}  // namespace dsdoctor::kube
