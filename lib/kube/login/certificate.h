#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/text/clock.h"

namespace dsdoctor::kube {

/// Makes the handle refuse servers, and https proxies, whose certificate has neither a DNS name
/// nor an address in subjectAltName: libcurl would compare the Common Name, which Go and RFC 9525
/// ignore. Without verification (CURLOPT_SSL_VERIFYPEER 0) it changes nothing.
/// `started` becomes true when a TLS handshake begins, and must live as long as the handle.
/// False: the TLS library of this libcurl is not OpenSSL, and cannot be told so.
[[nodiscard]] bool require_alternative_names(CURL* handle, bool& started);

/// Why these two cannot be a client's certificate and key, in the words of Go's crypto/tls; null
/// when they can. Encrypted keys are refused: nobody is ever asked for a passphrase.
[[nodiscard]] std::optional<std::string> problem_of_key_pair(const std::string& cert_pem,
                                                             const std::string& key_pem);

/// Those certificates of a PEM text that can be read, a block each; everything else is skipped, as
/// Go's CertPool does. Empty: there is none.
[[nodiscard]] std::vector<std::string> readable_certificates(std::string_view pem);

/// When the first certificate of a PEM text ends to be valid; null when there is none.
[[nodiscard]] std::optional<TimePoint> expiry_of(const std::string& pem);

}  // namespace dsdoctor::kube
