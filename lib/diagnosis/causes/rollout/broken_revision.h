// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"
#include "diagnosis/rollout/rollout_replay.h"

namespace dsdoctor::diagnosis {

/// Reports that pods of the newest revision fail and those of older revisions do not: the change is
/// the cause, which is known immediately. Also absent if at least as many new pods work (then their
/// nodes differ) or if the node's finding about these pods is transient. REQUIRES: `c.report` has
/// the node findings so far.
[[nodiscard]] std::optional<Finding> broken_revision(const DaemonSetCase& c,
                                                     const RolloutReplay& replay);

/// Whether more pods of the newest revision are available than fail or are overdue, or it has no
/// pods yet; the cause of a failure does not matter.
[[nodiscard]] bool new_pods_work(const DaemonSetCase& c, const RolloutReplay& replay);

/// The DaemonSet's revision with that hash; null if it was not read.
[[nodiscard]] const model::ControllerRevision* revision_of(const DaemonSetCase& c,
                                                           std::string_view hash);

}  // namespace dsdoctor::diagnosis
