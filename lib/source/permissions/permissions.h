// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "decode/objects/kind.h"

namespace dsdoctor::source {

/// A resource that the API server is asked for, in the terms of RBAC.
struct ReadResource {
  std::string_view group;  // empty: core
  std::string_view name;   // plural, lower case
  decode::Kind kind;
  bool for_causes;  // only to find the cause of a problem; else for every answer
  bool is_watched;  // by an answer that stays current

  [[nodiscard]] bool is_namespaced() const { return !decode::is_cluster_scoped(kind); }
};

/// All of them: one for each Kind, those for every answer first, resources of a group together.
[[nodiscard]] std::span<const ReadResource> read_resources();

}  // namespace dsdoctor::source
