// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dsdoctor::placement {

/// Parses an integer as node affinity's Gt and Lt do, for both operands: optional sign, decimal
/// digits, leading zeros allowed, within int64. Source of truth: strconv.ParseInt(s, 10, 64).
[[nodiscard]] std::optional<std::int64_t> parse_lenient_integer(std::string_view text);

/// Parses an integer as numeric tolerations do, for both operands: canonical decimal, no plus sign,
/// no leading zero, no "-0", within int64. Source of truth: k8s.io/apimachinery
/// pkg/api/validate/content/decimal_int.go: IsDecimalInteger.
[[nodiscard]] std::optional<std::int64_t> parse_canonical_integer(std::string_view text);

}  // namespace dsdoctor::placement
