#pragma once

#include <functional>

#include "base/result.h"
#include "decode/json/json_fields.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// Calls `sink` with each object of the cluster as the API has it, with the fields that the model
/// holds and no others, until it returns an error: what the readers make of it is equal to what was
/// written. Of a DaemonSet, what is made of its template and the last apply is kept beside it, as
/// annotations of our own.
[[nodiscard]] base::Status each_object_json(const model::Cluster& cluster,
                                            const std::function<base::Status(const Json&)>& sink);

}  // namespace dsdoctor::decode
