// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace dsdoctor::kube {

/// The error of Go's crypto/tls for this client certificate and key; null if they are valid.
/// Encrypted keys are rejected: the program never asks for a passphrase.
[[nodiscard]] std::optional<std::string> problem_of_key_pair(const std::string& cert_pem,
                                                             const std::string& key_pem);

/// The certificates of a PEM text, from BEGIN to END line, with any content. Views of `pem`.
[[nodiscard]] std::vector<std::string_view> certificate_blocks(std::string_view pem);

/// The valid certificates of a PEM text, one block each; everything else is skipped, as by Go's
/// CertPool. Empty if there is none.
[[nodiscard]] std::vector<std::string> readable_certificates(std::string_view pem);

/// The time when the first certificate of a PEM text expires; null if there is none.
[[nodiscard]] std::optional<base::Time> expiry_of(const std::string& pem);

}  // namespace dsdoctor::kube
