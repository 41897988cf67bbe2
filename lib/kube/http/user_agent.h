#pragma once

#include <string>

namespace dsdoctor::kube {

/// What the program was built for, in Go's words: "linux/amd64".
[[nodiscard]] std::string platform();

/// `kubectl-dsdoctor/v0.1.0 (linux/amd64) kubernetes/unknown`; `version` has no leading v.
/// The shape is kubectl's: audit logs and metrics split on it.
[[nodiscard]] std::string user_agent(const std::string& version);

}  // namespace dsdoctor::kube
