// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/pod_spec.h"

namespace dsdoctor::diagnosis {

/// The object that does not exist or lacks a key, from the kubelet's text: "ConfigMap/settings"
/// from `configmap "settings" not found` or `couldn't find key level in ConfigMap mon/settings`.
/// Empty if the text names none.
[[nodiscard]] std::string missing_object(std::string_view text);

/// Whether the text reports a missing object of the pod's namespace or a missing key of one.
[[nodiscard]] bool is_missing_object(std::string_view text);

/// The object that the volume is made of, in the form of missing_object; empty for volumes of other
/// types.
[[nodiscard]] std::string mounted_object(const model::PodSpec& spec, std::string_view volume);

}  // namespace dsdoctor::diagnosis
