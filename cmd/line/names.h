// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dsdoctor::cmd {

enum class ObjectType { DaemonSet, Node, Pod };

/// One argument: `datadog-agent`, `ds/datadog-agent`, `node/gpu-1`, `pod/datadog-agent-x7k2p`,
/// `datadog/datadog-agent`.
struct ObjectName {
  ObjectType type = ObjectType::DaemonSet;
  std::string name;
  bool typed = false;   // a type was given
  std::string ns = {};  // the namespace that was given with the name; empty: none

  friend bool operator==(const ObjectName& a, const ObjectName& b) {
    return a.type == b.type && a.name == b.name && a.ns == b.ns;
  }
};

/// The type for `ds`, `daemonsets.apps`, `node`, `po`, in any case; null for other words.
[[nodiscard]] std::optional<ObjectType> object_type(std::string_view word);

/// The namespace of names that have one, which is the same for all of them; empty if none has.
/// `given`: the value of -n. Errors: Usage, if namespaces differ.
[[nodiscard]] base::Result<std::string> namespace_of_names(const std::vector<ObjectName>& names,
                                                           const std::string& given);

/// Reads arguments by the rules of kubectl's resource builder: `TYPE/NAME` for all or none, or
/// `TYPE NAME...`; plain names are DaemonSets. In `NAMESPACE/NAME`, as tables and alerts write it,
/// types of Kubernetes are not taken as namespaces. Duplicates are dropped.
/// Errors: Usage, in kubectl's words. `program` is for hints.
[[nodiscard]] base::Result<std::vector<ObjectName>> parse_names(
    const std::vector<std::string>& arguments, const std::string& program);

}  // namespace dsdoctor::cmd
