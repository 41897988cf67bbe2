// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "line/options.h"

namespace dsdoctor::cmd {

/// Reads the values of the flags into `flags` and `changes`. Errors: Usage, with the flag, its
/// argument, the invalid part and the expected form.
[[nodiscard]] base::Status read_what_if(WhatIfOptions& options);

}  // namespace dsdoctor::cmd
