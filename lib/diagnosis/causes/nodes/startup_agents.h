#pragma once

#include <optional>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/report/cases.h"
#include "model/meta.h"

/// DaemonSets whose pods take a startup taint off their node.
namespace dsdoctor::diagnosis {

/// The DaemonSet's pod among those of a node, rather one that is not terminating; null where there
/// is none.
[[nodiscard]] const model::Pod* pod_of(const model::DaemonSet& ds, const Facts::Pods& here);

/// Why no pod of the agent takes its taint off this node: "no pod of DaemonSet cilium runs on the
/// node". Absent where nothing is known to be in the way, or which agent it is. A DaemonSet of the
/// agent for which the node is not eligible, such as one for another operating system, is told
/// where there is no other.
[[nodiscard]] std::optional<Message> hindrance_of_agent(const NodeCase& of,
                                                        const model::Taint& taint);

/// Since when a node waits for the removal of a startup taint.
struct StartupWait {
  model::OptionalTime since;  // the taint was added then; absent: is not known
  /// Not longer than since then: pods that do not tolerate the taint were bound to the node later
  /// than it was created.
  model::OptionalTime not_before;
  /// Or has just become ready: a taint of an unknown age may be as young.
  bool agent_is_starting = false;
};

/// A taint without a time is as old as its node, unless something shows that it is not.
[[nodiscard]] StartupWait startup_wait(const NodeCase& of, const model::Taint& taint);

}  // namespace dsdoctor::diagnosis
