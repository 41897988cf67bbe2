#pragma once

#include <string>
#include <string_view>

#include "model/pod_spec.h"

namespace dsdoctor::diagnosis {

/// "ConfigMap/settings", "Secret/token": the object that does not exist or lacks a key, of what the
/// kubelet says in `text` (`configmap "settings" not found`, `couldn't find key level in ConfigMap
/// mon/settings`). Empty where it names none.
[[nodiscard]] std::string missing_object(std::string_view text);

/// The text says of an object of the pod's namespace, or of a key of it, that it does not exist.
[[nodiscard]] bool is_missing_object(std::string_view text);

/// The same as missing_object of the object that the volume is made of; empty for volumes of
/// another kind.
[[nodiscard]] std::string mounted_object(const model::PodSpec& spec, std::string_view volume);

}  // namespace dsdoctor::diagnosis
