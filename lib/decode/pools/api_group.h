// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dsdoctor::decode {

/// The version that a server prefers of an API group, from the JSON of its APIGroup: "v1beta1".
/// Empty for other texts.
[[nodiscard]] std::string preferred_version(std::string_view json);

}  // namespace dsdoctor::decode
