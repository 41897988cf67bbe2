// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

/// Shared code of the build-time tools that write the program's tables as source files.
namespace dsdoctor::embed {

/// Throws std::runtime_error if the file cannot be read.
inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return text;
}

/// Throws std::runtime_error if the file is not written completely.
inline void write(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

/// A byte as an escape in a C++ literal.
inline std::string octal(char c) { return fmt::format("\\{:03o}", static_cast<unsigned char>(c)); }

/// Formats a C++ string literal.
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

/// Returns the tool's exit code; prints the exception of `work` as one line.
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
