// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "line/options.h"

namespace dsdoctor::cmd {

[[nodiscard]] std::vector<std::string> values_of(const GivenFlags& flags, std::string_view name);

/// Reads `flags`. Errors: Usage, with the flag, its argument, the invalid part and the expected
/// form.
[[nodiscard]] base::Status read_what_if(WhatIfOptions& options);

}  // namespace dsdoctor::cmd
