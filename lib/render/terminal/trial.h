#pragma once

#include <optional>

#include "base/command.h"

namespace dsdoctor::render {

/// The same command of kubectl with `--dry-run=server`; absent where it changes nothing, or kubectl
/// has no trial for it.
/// Source of truth: kubernetes v1.36.2, staging/src/k8s.io/kubectl/pkg/cmd: AddDryRunFlag.
[[nodiscard]] std::optional<base::Command> trial_of(const base::Command& command);

}  // namespace dsdoctor::render
