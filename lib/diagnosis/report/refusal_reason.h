#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/catalogue/finding.h"

namespace dsdoctor::diagnosis {

/// "OutOfcpu", and the same of any other resource.
inline constexpr std::string_view short_of = "OutOf";

enum class Source { Status, Event };

/// Of a kubelet's reason to fail a pod. Never absent for Status; for Event absent unless the reason
/// is one by which kubelets refuse or evict pods.
[[nodiscard]] std::optional<FindingId> refusal_id(std::string_view reason, std::string_view message,
                                                  Source source);

}  // namespace dsdoctor::diagnosis
