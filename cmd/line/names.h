#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dsdoctor::cmd {

enum class ObjectType { DaemonSet, Node };

/// One argument: `datadog-agent`, `ds/datadog-agent`, `node/gpu-1`.
struct ObjectName {
  ObjectType type = ObjectType::DaemonSet;
  std::string name;

  friend bool operator==(const ObjectName&, const ObjectName&) = default;
};

/// `ds`, `daemonsets.apps`, `node`, in any case; null for another word.
[[nodiscard]] std::optional<ObjectType> object_type(std::string_view word);

/// Reads arguments by the rules of kubectl's resource builder: `TYPE/NAME` for all or for none,
/// `TYPE NAME...`, plain names are DaemonSets. The same object named twice is kept once.
/// Errors: Usage, in kubectl's words. `program` is for hints.
[[nodiscard]] base::Result<std::vector<ObjectName>> parse_names(
    const std::vector<std::string>& arguments, const std::string& program);

}  // namespace dsdoctor::cmd
