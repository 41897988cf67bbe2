#include "diagnosis/evidence/controller_behaviour.h"

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

}  // namespace dsdoctor::diagnosis
