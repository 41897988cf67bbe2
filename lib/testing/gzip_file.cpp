// SPDX-License-Identifier: Apache-2.0
#include "testing/gzip_file.h"

#include <zlib.h>

#include <array>
#include <fstream>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>

namespace dsdoctor::testing {

std::string read_gzip(const std::string& path) {
  constexpr int gzip_header = 16;
  std::string packed = read_file(path);
  z_stream state{};
  if (inflateInit2(&state, MAX_WBITS + gzip_header) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&state, inflateEnd);
  // NOLINTNEXTLINE(*-reinterpret-cast): zlib's type
  state.next_in = reinterpret_cast<Bytef*>(packed.data());
  state.avail_in = static_cast<uInt>(packed.size());
  std::string result;
  std::array<Bytef, 1 << 16> chunk{};
  int status = Z_OK;
  while (status == Z_OK) {
    state.next_out = chunk.data();
    state.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&state, Z_NO_FLUSH);
    result.append(chunk.data(), chunk.data() + (chunk.size() - state.avail_out));
  }
  if (status != Z_STREAM_END) throw std::runtime_error("cannot read " + path);
  return result;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace dsdoctor::testing
