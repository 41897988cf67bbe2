// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dsdoctor::placement {

/// `name` or `prefix/name`: name 1 to 63 bytes of [A-Za-z0-9-_.] with a letter or digit first and
/// last; prefix a lower-case DNS subdomain of 1 to 253 bytes.
/// Source of truth: k8s.io/apimachinery pkg/api/validate/content/kube.go: IsLabelKey.
[[nodiscard]] bool is_label_key(std::string_view key);

/// At most 63 bytes; empty, or the same characters as a name, with a letter or digit first and
/// last. (IsLabelValue)
[[nodiscard]] bool is_label_value(std::string_view value);

/// Whether the texts differ, but only in case and in `-`, `_` and `.`: a likely typing error, such
/// as "Disk-Type" for "disktype".
[[nodiscard]] bool differs_in_spelling(std::string_view a, std::string_view b);

}  // namespace dsdoctor::placement
