// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dsdoctor::cmd {

enum class ObjectType { DaemonSet, Node, Pod };

/// One argument: `datadog-agent`, `ds/datadog-agent`, `node/gpu-1`, `pod/datadog-agent-x7k2p`.
struct ObjectName {
  ObjectType type = ObjectType::DaemonSet;
  std::string name;
  bool typed = false;  // a type was given

  friend bool operator==(const ObjectName& a, const ObjectName& b) {
    return a.type == b.type && a.name == b.name;
  }
};

/// The type for `ds`, `daemonsets.apps`, `node`, `po`, in any case; null for other words.
[[nodiscard]] std::optional<ObjectType> object_type(std::string_view word);

/// Reads arguments by the rules of kubectl's resource builder: `TYPE/NAME` for all or none, or
/// `TYPE NAME...`; plain names are DaemonSets. Duplicates are dropped.
/// Errors: Usage, in kubectl's words. `program` is for hints.
[[nodiscard]] base::Result<std::vector<ObjectName>> parse_names(
    const std::vector<std::string>& arguments, const std::string& program);

}  // namespace dsdoctor::cmd
