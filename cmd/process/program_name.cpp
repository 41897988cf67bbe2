// SPDX-License-Identifier: Apache-2.0
#include "process/program_name.h"

#include <algorithm>

namespace dsdoctor::cmd {
namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

}  // namespace

bool is_completion_helper(std::string_view argv0) {
  return base_name(argv0).starts_with("kubectl_complete-");
}

std::string program_name(std::string_view argv0) {
  constexpr std::string_view prefix = "kubectl-";
  const std::string_view base = base_name(argv0);
  if (base.empty()) return "kubectl dsdoctor";
  if (!base.starts_with(prefix) || base.size() == prefix.size()) return std::string(base);
  std::string plugin(base.substr(prefix.size()));
  std::ranges::replace(plugin, '_', '-');
  return "kubectl " + plugin;
}

}  // namespace dsdoctor::cmd
