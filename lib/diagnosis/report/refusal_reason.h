// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/catalogue/finding.h"

namespace dsdoctor::diagnosis {

/// Prefix of reasons such as "OutOfcpu", for any resource.
inline constexpr std::string_view short_of = "OutOf";

enum class Source { Status, Event };

/// The finding for a kubelet's reason to fail a pod. Never absent for Status; for Event absent
/// unless the reason means that the kubelet rejected or evicted the pod.
[[nodiscard]] std::optional<FindingId> refusal_id(std::string_view reason, std::string_view message,
                                                  Source source);

}  // namespace dsdoctor::diagnosis
