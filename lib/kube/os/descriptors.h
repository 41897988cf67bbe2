#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace dsdoctor::kube {

enum class Opening {
  Wait,    // for a FIFO's writer
  AtOnce,  // nothing will be read
};

/// A file to read its bytes as they are, not for child processes. Below 0: errno says why.
[[nodiscard]] int open_to_read(const std::string& path, Opening how);

/// 0 at the end; below 0: errno says why.
[[nodiscard]] std::ptrdiff_t read_some(int file, std::span<char> buffer);

void close_file(int file);

}  // namespace dsdoctor::kube
