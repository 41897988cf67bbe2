// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::kube {

/// Standard alphabet, with padding.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// Standard alphabet with padding; CR and LF are skipped, any other byte is an error, as in
/// Go's base64.StdEncoding.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// URL-safe alphabet without padding, as in JSON web tokens.
[[nodiscard]] std::optional<std::string> decode_base64_url(std::string_view text);

}  // namespace dsdoctor::kube
