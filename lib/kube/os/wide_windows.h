// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dsdoctor::kube {

/// Convert between UTF-8 and the system's UTF-16. Invalid input becomes U+FFFD.
[[nodiscard]] std::wstring wide(std::string_view text);
[[nodiscard]] std::string narrow(std::wstring_view text);

}  // namespace dsdoctor::kube
