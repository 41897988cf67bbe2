// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnosis/causes/nodes/node_record.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Adds findings about the node's removal: deleted, drained by an autoscaler, reclaimed by its
/// cloud.
void add_leaving(const NodeCase& c, NodeRecord& record);

}  // namespace dsdoctor::diagnosis
