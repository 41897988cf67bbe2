// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

namespace dsdoctor::kube {

enum class Opening {
  Wait,    // for a FIFO's writer
  AtOnce,  // for check_readable, or for wait_to_read
};

/// Opens a file for binary reading, not inherited by child processes. Below 0: see errno.
[[nodiscard]] int open_to_read(const std::string& path, Opening how);

/// Waits until the file has bytes or its end to read: 1; 0 after that time; below 0: see errno.
/// A FIFO that was opened without a writer has an end only after a writer has closed it.
[[nodiscard]] int wait_to_read(int file, std::chrono::milliseconds longest);

/// Returns the number of bytes read, 0 at the end; below 0: see errno.
[[nodiscard]] std::ptrdiff_t read_some(int file, std::span<char> buffer);

void close_file(int file);

}  // namespace dsdoctor::kube
