#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::diagnosis {

enum class Severity { Critical, Error, Warning, Info };

[[nodiscard]] constexpr std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Critical: return "critical";
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Info: return "info";
  }
  return "";
}

/// A fact about a DaemonSet, or about it on one node, with what it rests on.
struct Finding {
  std::string id;  // stable public name
  Severity severity = Severity::Info;
  std::string message;                // one sentence, no trailing period
  std::vector<std::string> evidence;  // "Node/gpu-1 spec.taints[0]: ..."
  std::string remedy;                 // what to do; may be empty

  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace dsdoctor::diagnosis
