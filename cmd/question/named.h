#pragma once

#include <string>

#include "base/result.h"
#include "line/options.h"
#include "model/cluster.h"

namespace dsdoctor::cmd {

/// What the only name turned out to stand for.
struct Meant {
  ObjectName object;  // a DaemonSet or a node
  std::string ns;     // of the DaemonSet
  std::string node;   // of the pod; empty where it has none, and where no pod was named
  std::string note;   // one line for the user; empty where the name is what it seemed to be
};

/// Who pastes a name from kubectl's output has not said of which kind it is: a DaemonSet in `ns`
/// (empty: anywhere), else a pod there, else a node. A name with a type is of that type.
/// Errors: NotFound where there is no such pod, with near names, and where no DaemonSet controls
/// it, with who does.
[[nodiscard]] base::Result<Meant> meant_by(const ObjectName& name, const std::string& ns,
                                           const model::Cluster& cluster);

}  // namespace dsdoctor::cmd
