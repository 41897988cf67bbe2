#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace dsdoctor::kube {

/// Why these two cannot be a client's certificate and key, in the words of Go's crypto/tls; null
/// when they can. Encrypted keys are refused: nobody is ever asked for a passphrase.
[[nodiscard]] std::optional<std::string> problem_of_key_pair(const std::string& cert_pem,
                                                             const std::string& key_pem);

/// The certificates of a PEM text, from mark to mark, whatever is between. Views of `pem`.
[[nodiscard]] std::vector<std::string_view> certificate_blocks(std::string_view pem);

/// Those certificates of a PEM text that can be read, a block each; everything else is skipped, as
/// Go's CertPool does. Empty: there is none.
[[nodiscard]] std::vector<std::string> readable_certificates(std::string_view pem);

/// When the first certificate of a PEM text ends to be valid; null when there is none.
[[nodiscard]] std::optional<base::Time> expiry_of(const std::string& pem);

}  // namespace dsdoctor::kube
