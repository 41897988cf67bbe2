// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/controller/controller_behaviour.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

namespace dsdoctor::diagnosis {

ControllerBehaviour behaviour_of(const std::optional<model::ServerVersion>& version) {
  ControllerBehaviour result;
  if (!version) return result;
  const auto at_least = [&](int minor, int patch = 0) {
    return std::tie(version->major, version->minor, version->patch) >= std::tuple(1, minor, patch);
  };
  const auto patched = [&](int minor, int patch) {
    return version->major == 1 && version->minor == minor && version->patch >= patch;
  };
  result.ignores_terminal_terminating_pods = at_least(28) || patched(27, 4) || patched(26, 7);
  result.replaces_succeeded_pods = at_least(27) || patched(26, 5);
  result.available_at_boundary = at_least(34);
  result.owner_by_uid_alone = !at_least(33);
  result.node_changes_may_leave_status_stale = at_least(33);
  return result;
}

namespace {

/// Minor version: 29 for "v1.29.3-eks-1"; -1 if the text has another form.
int minor_of(std::string_view version) {
  constexpr std::string_view prefix = "v1.";
  int minor = -1;
  if (!version.starts_with(prefix)) return minor;
  version.remove_prefix(prefix.size());
  std::from_chars(version.data(), version.data() + version.size(), minor);
  return minor;
}

}  // namespace

bool is_at_least(const model::Cluster& cluster, int minor) {
  if (cluster.version) {
    return std::tie(cluster.version->major, cluster.version->minor) >= std::tuple(1, minor);
  }
  return std::ranges::any_of(cluster.nodes, [&](const model::Node& node) {
    return minor_of(node.kubelet_version) >= minor;
  });
}

}  // namespace dsdoctor::diagnosis
