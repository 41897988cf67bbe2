// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dsdoctor::testing {

/// A temporary folder for a test, removed with its content.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Writes a file and creates its parent folders. Returns the path of the file.
  std::string write(const std::string& name, const std::string& content) const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace dsdoctor::testing
