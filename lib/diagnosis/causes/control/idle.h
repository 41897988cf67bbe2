#pragma once

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Of a DaemonSet without an eligible node: nobody is surprised. No pod of it is left, its status
/// agrees, and what keeps it off is a label that is not there now (of a node pool, of spot nodes,
/// of hardware) or that has not been there for long; no label of a node comes close to it.
[[nodiscard]] bool is_idle_by_design(const DaemonSetCase& of);

}  // namespace dsdoctor::diagnosis
