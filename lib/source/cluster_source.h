// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "decode/pools/node_templates.h"
#include "model/changes/state_changes.h"
#include "model/cluster.h"
#include "model/detail_query.h"

namespace dsdoctor::source {

/// The objects to read. A source reads no more than these if it can choose.
struct Query {
  /// The namespace of the DaemonSets. Empty: all namespaces.
  std::string ns;
  /// The names of the DaemonSets in `ns`. Empty: all. A missing name is not an error of the source:
  /// the caller reports it, with similar names from `other_daemon_sets`.
  std::vector<std::string> names;
  /// Label selector for DaemonSets, in kubectl's syntax, already checked. Empty: all.
  std::string selector;
  bool pods = true;
  bool revisions = true;
  /// The namespace of objects in files that have no namespace.
  std::string default_ns = "default";
  /// Only pods bound to this node, and unbound pods, are needed. Empty: all pods.
  std::string node = {};
  /// Whether a name may be a pod's: then the DaemonSet that controls the pod is read. If there is
  /// no such pod or DaemonSet, the snapshot contains little more than the pod.
  enum class PodNames { None, Perhaps, All };
  PodNames pod_names = PodNames::None;  // All: the only name is a pod's
  /// Receives the templates of new nodes, which are not part of a cluster. Null: they are not read.
  decode::NodeTemplates* templates = nullptr;
};

struct Snapshot {
  model::Cluster cluster;
  model::SourceInfo info;
  std::vector<model::Omission>
      omissions;                         // the parts that could not be read; render must show them
  std::vector<model::Warning> warnings;  // invalid parts of what was read
  /// (namespace, name) of existing DaemonSets, for "did you mean"; read only if a name of the query
  /// does not exist. Best effort: empty if listing is forbidden.
  std::vector<std::pair<std::string, std::string>> other_daemon_sets;
  /// The difference from the snapshot before, of a source that is read repeatedly.
  model::StateChanges changes = {.everything = true};
};

/// The source of a cluster: files, the API server, the demo. Callers do not depend on which.
class ClusterSource {
 public:
  virtual ~ClusterSource() = default;
  /// Reads once. The snapshot owns all its data and does not refer to the source. It may contain
  /// more than the query selects (files do), and less only with an omission.
  [[nodiscard]] virtual base::Result<Snapshot> load(const Query& query) = 0;

  /// True: load skips the objects that only a diagnosis needs, and load_details can read them.
  [[nodiscard]] virtual bool has_more() const { return false; }
  /// Reads the objects that `query` requests into a snapshot of this source. Failures become
  /// omissions.
  virtual void load_details(Snapshot& /*snapshot*/, const model::DetailQuery& /*query*/) {}
};

}  // namespace dsdoctor::source
