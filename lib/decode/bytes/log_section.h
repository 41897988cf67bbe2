// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// The logs of a container between the objects of `kubectl cluster-info dump`, which writes the
/// logs of pods there if it prints to standard output. Skips one log while it arrives.
/// Source: kubectl's pkg/cmd/clusterinfo/clusterinfo_dump.go.
class LogSection {
 public:
  /// Reports whether a log begins at the start of a line, or may do so if `text` is cut off.
  [[nodiscard]] static bool opens(std::string_view text);

  /// Takes the next bytes of the section, and returns the rest behind its end. Keeps only the bytes
  /// that may belong to the line at its end.
  [[nodiscard]] std::string_view skip(std::string_view chunk);
  [[nodiscard]] bool is_over() const { return over_; }

  /// The error for a section without end.
  [[nodiscard]] base::Error cut_off(const std::string& file) const;

 private:
  std::string end_;   // the line at the end of the log; empty until the first line is complete
  std::string held_;  // an incomplete line
  bool over_ = false;
};

}  // namespace dsdoctor::decode
