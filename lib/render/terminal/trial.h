// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/command.h"

namespace dsdoctor::render {

/// The same kubectl command with `--dry-run=server`; absent if it changes nothing or does not
/// support a dry run.
/// Source of truth: kubernetes v1.36.2, staging/src/k8s.io/kubectl/pkg/cmd: AddDryRunFlag.
[[nodiscard]] std::optional<base::Command> trial_of(const base::Command& command);

}  // namespace dsdoctor::render
