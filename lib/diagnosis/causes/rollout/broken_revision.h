#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"
#include "diagnosis/rollout/rollout_replay.h"

namespace dsdoctor::diagnosis {

/// Pods of the newest revision fail, and those of older ones do not: the change is to blame, and no
/// time has to pass to see that. Absent where that is not so, where as many of the new pods work
/// (then their nodes differ), and where what the nodes' findings say of these pods resolves without
/// action. The report has the findings of its nodes, as far as anything is known of them.
[[nodiscard]] std::optional<Finding> broken_revision(const DaemonSetCase& c,
                                                     const RolloutReplay& replay);

/// Of the pods of the newest revision more are available than fail, or wait for longer than a pod
/// should; or there are none yet. Whose fault it is does not matter.
[[nodiscard]] bool new_pods_work(const DaemonSetCase& c, const RolloutReplay& replay);

/// The DaemonSet's revision with that hash; null where none was read.
[[nodiscard]] const model::ControllerRevision* revision_of(const DaemonSetCase& c,
                                                           std::string_view hash);

}  // namespace dsdoctor::diagnosis
