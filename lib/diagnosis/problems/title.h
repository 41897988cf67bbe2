#pragma once

#include <string>
#include <string_view>

namespace dsdoctor::diagnosis {

/// What the messages of one problem have in common, as they are added one by one.
class SharedTitle {
 public:
  void add(std::string_view message);

  /// The clauses that all messages begin with; empty where that says too little.
  [[nodiscard]] std::string text() const;

 private:
  std::string prefix_;
  bool is_new_ = true;
};

}  // namespace dsdoctor::diagnosis
