// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "line/flags.h"
#include "line/options.h"

/// Flags of answers about several clusters.
namespace dsdoctor::cmd {

/// The flag by which several clusters are read.
[[nodiscard]] std::string_view several_flag(const SourceOptions& source);

/// Checks that the flags are not about one cluster only. Sets the time limit for each.
/// Errors: Usage.
[[nodiscard]] base::Status finish_contexts(Raw& raw);

/// Checks that several answers can be printed. Errors: Usage.
[[nodiscard]] base::Status check_several(const Raw& raw, OutputFormat format);

}  // namespace dsdoctor::cmd
