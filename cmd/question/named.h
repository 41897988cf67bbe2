// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "line/options.h"
#include "model/cluster.h"

namespace dsdoctor::cmd {

/// The object that the only name refers to.
struct Meant {
  ObjectName object;  // a DaemonSet or a node; a pod if no DaemonSet owns it
  std::string ns;     // that of the DaemonSet or the pod
  std::string node;   // the pod's; empty if it has none or no pod was named
  std::string note;   // one line for the user; empty if the name is a DaemonSet's
};

/// Resolves a name from kubectl's output, whose kind is unknown: a DaemonSet in `ns` (empty: in any
/// namespace), else a pod there, else a node. A name with a type has that type.
/// Errors: NotFound if there is no such pod, with similar names, or if its DaemonSet was not found.
[[nodiscard]] base::Result<Meant> meant_by(const ObjectName& name, const std::string& ns,
                                           const model::Cluster& cluster);

}  // namespace dsdoctor::cmd
