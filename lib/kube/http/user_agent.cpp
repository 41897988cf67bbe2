#include "kube/http/user_agent.h"

#include <fmt/format.h>

namespace dsdoctor::kube {

std::string platform() {
#if defined(__aarch64__)
  constexpr const char* architecture = "arm64";
#elif defined(__x86_64__)
  constexpr const char* architecture = "amd64";
#else
  constexpr const char* architecture = "unknown";
#endif
#if defined(__APPLE__)
  constexpr const char* system = "darwin";
#else
  constexpr const char* system = "linux";
#endif
  return fmt::format("{}/{}", system, architecture);
}

std::string user_agent(const std::string& version) {
  return fmt::format("kubectl-dsdoctor/v{} ({}) kubernetes/unknown", version, platform());
}

}  // namespace dsdoctor::kube
