#pragma once

#include "diagnosis/causes/nodes/node_record.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// That the node is going: deleted, drained by an autoscaler, taken back by its cloud.
void add_leaving(const NodeCase& c, NodeRecord& record);

}  // namespace dsdoctor::diagnosis
