#pragma once

#include "model/daemon_set.h"
#include "model/detail_query.h"

namespace dsdoctor::diagnosis {

/// The objects that admission of the DaemonSet's pods looks at.
void add_admission(const model::DaemonSet& ds, model::DetailQuery& query);

}  // namespace dsdoctor::diagnosis
