#pragma once

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

/// What the tools share that run while the program is built and write its tables as source files.
namespace dsdoctor::embed {

/// Throws std::runtime_error where the file cannot be read.
inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return text;
}

/// Throws std::runtime_error where it is not written in full.
inline void write(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

/// A byte as it stands in a literal of C++.
inline std::string octal(char c) { return fmt::format("\\{:03o}", static_cast<unsigned char>(c)); }

/// As a string literal of C++.
inline std::string c_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += octal(c);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// The tool's exit code; what `work` throws is its one line of error.
template <typename Work>
int exit_code_of(std::string_view tool, const Work& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << tool << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace dsdoctor::embed
