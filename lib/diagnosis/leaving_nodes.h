#pragma once

#include "diagnosis/cases.h"
#include "diagnosis/node_record.h"

namespace dsdoctor::diagnosis {

/// That the node is going: deleted, drained by an autoscaler, taken back by its cloud.
void add_leaving(const NodeCase& c, NodeRecord& record);

}  // namespace dsdoctor::diagnosis
