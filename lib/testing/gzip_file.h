// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dsdoctor::testing {

/// The whole content of a gzip file. Throws std::runtime_error if it cannot be read.
[[nodiscard]] std::string read_gzip(const std::string& path);

/// The whole content of a file. Throws std::runtime_error if it cannot be read.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace dsdoctor::testing
