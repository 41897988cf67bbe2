#pragma once

#include <string>
#include <string_view>

namespace dsdoctor::kube {

/// UTF-8 to what the system's functions take, and back. What is invalid becomes U+FFFD.
[[nodiscard]] std::wstring wide(std::string_view text);
[[nodiscard]] std::string narrow(std::wstring_view text);

}  // namespace dsdoctor::kube
