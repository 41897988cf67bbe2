// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dsdoctor::testing {

/// How often a test on made-up input repeats. A sanitizer makes each repetition about five times as
/// slow, and few more show another fault of memory: there it is a quarter of `all`, which is at
/// least 4.
constexpr unsigned rounds(unsigned all) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return all / 4;
#else
  return all;
#endif
}

}  // namespace dsdoctor::testing
