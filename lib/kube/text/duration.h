// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::kube {

/// `--request-timeout`: a non-negative integer of seconds, or a Go duration (`300ms`, `1m30s`).
/// Zero means no limit, and so does a negative Go duration (`-5s`), as in client-go.
/// Errors: Usage.
[[nodiscard]] base::Result<std::chrono::milliseconds> parse_request_timeout(std::string_view text);

/// The form in which Go prints a time.Duration: `30s`, `1m30s`, `1h0m0s`, `300ms`, `1.5s`.
[[nodiscard]] std::string to_go_duration(std::chrono::milliseconds duration);

}  // namespace dsdoctor::kube
