// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/cluster.h"
#include "redaction/pseudonyms.h"

namespace dsdoctor::redaction {

/// Gives every name of the cluster a replacement; those of nodes keep their order.
[[nodiscard]] Pseudonyms pseudonyms_for(const model::Cluster& cluster);

}  // namespace dsdoctor::redaction
