// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace dsdoctor::kube {

enum class Opening {
  Wait,    // for a FIFO's writer
  AtOnce,  // nothing will be read
};

/// Opens a file for binary reading, not inherited by child processes. Below 0: see errno.
[[nodiscard]] int open_to_read(const std::string& path, Opening how);

/// Returns the number of bytes read, 0 at the end; below 0: see errno.
[[nodiscard]] std::ptrdiff_t read_some(int file, std::span<char> buffer);

void close_file(int file);

}  // namespace dsdoctor::kube
