// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dsdoctor::decode {

/// Readable bytes that must follow the JSON given to the decoder.
inline constexpr std::size_t json_padding = 64;

}  // namespace dsdoctor::decode
