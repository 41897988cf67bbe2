#include "program_name.h"

#include <algorithm>

namespace dsdoctor::cmd {

std::string program_name(std::string_view argv0) {
  constexpr std::string_view prefix = "kubectl-";
  const std::size_t slash = argv0.rfind('/');
  const std::string_view base = slash == argv0.npos ? argv0 : argv0.substr(slash + 1);
  if (base.empty()) return "kubectl dsdoctor";
  if (!base.starts_with(prefix) || base.size() == prefix.size()) return std::string(base);
  std::string plugin(base.substr(prefix.size()));
  std::ranges::replace(plugin, '_', '-');
  return "kubectl " + plugin;
}

}  // namespace dsdoctor::cmd
