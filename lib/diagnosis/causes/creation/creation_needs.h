// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/daemon_set.h"
#include "model/detail_query.h"

namespace dsdoctor::diagnosis {

/// Adds the objects that admission of the DaemonSet's pods depends on.
void add_admission(const model::DaemonSet& ds, model::DetailQuery& query);

}  // namespace dsdoctor::diagnosis
