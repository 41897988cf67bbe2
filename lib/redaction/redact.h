#pragma once

#include <vector>

#include "model/cluster.h"

namespace dsdoctor::redaction {

/// What was read, without the names that tell whose it is.
struct Redacted {
  model::Cluster cluster;
  model::SourceInfo source;
  std::vector<model::Omission> omissions;
  std::vector<model::Warning> warnings;
};

/// Replaces names (of nodes, namespaces, DaemonSets, pods and all other objects), UIDs, images,
/// addresses, provider ids, values of annotations and host names, each by one replacement wherever
/// it stands: in references, selectors, labels, taints and the words of messages. Verdicts, counts,
/// reasons and findings stay the same; nodes stay in their order.
///
/// Keys of labels and taints stay, and so do their values that are no names: they decide. Names
/// with a meaning stay (`default`, `system:...`, namespaces `kube-...`), and so do paths, times and
/// quantities.
[[nodiscard]] Redacted redact(const Redacted& original);

}  // namespace dsdoctor::redaction
