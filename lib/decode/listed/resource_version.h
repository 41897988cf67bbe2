// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>

#include "base/text.h"

namespace dsdoctor::decode {

/// resourceVersions are opaque by contract, but growing integers in practice. If they are not
/// integers, neither is older.
[[nodiscard]] inline bool is_older_version(const std::string& a, const std::string& b) {
  if (!base::is_number(a) || !base::is_number(b)) return false;
  return std::tuple(a.size(), a) < std::tuple(b.size(), b);
}

}  // namespace dsdoctor::decode
