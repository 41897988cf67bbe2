// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"
#include "decode/json/json_fields.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// Calls `sink` with each object of the cluster in the form of the API, with only the fields of the
/// model, until it returns an error. Reading the result gives equal objects. The fingerprint of a
/// DaemonSet's template and its edits since the last apply become annotations of our own.
[[nodiscard]] base::Status each_object_json(const model::Cluster& cluster,
                                            const std::function<base::Status(const Json&)>& sink);

}  // namespace dsdoctor::decode
