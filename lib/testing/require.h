// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace dsdoctor::testing {

/// Throws if a library fails at what always succeeds on a sound machine.
inline void require(bool succeeded, const char* failure) {
  if (!succeeded) throw std::runtime_error(failure);
}

}  // namespace dsdoctor::testing
