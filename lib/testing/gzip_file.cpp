#include "testing/gzip_file.h"

#include <zlib.h>

#include <array>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace dsdoctor::testing {

std::string read_gzip(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::string result;
  std::array<char, 1 << 16> chunk{};
  int bytes = 0;
  while ((bytes = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()))) > 0) {
    result.append(chunk.data(), static_cast<std::size_t>(bytes));
  }
  if (bytes < 0) throw std::runtime_error("cannot read " + path);
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
