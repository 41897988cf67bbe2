#pragma once

#include <string>

namespace dsdoctor::testing {

/// A folder of its own for each test, removed with all that is in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Creates the folders on the way. Returns the path of the file.
  std::string write(const std::string& name, const std::string& content) const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace dsdoctor::testing
