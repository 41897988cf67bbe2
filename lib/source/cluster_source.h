#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "model/detail_query.h"

namespace dsdoctor::source {

/// What to read. A source reads no more than this if it can choose.
struct Query {
  /// The namespace of the DaemonSets. Empty: all namespaces.
  std::string ns;
  /// The names of the DaemonSets in `ns`. Empty: all. A name that does not exist is not an error
  /// of the source: the caller reports it, with similar names from `other_daemon_sets`.
  std::vector<std::string> names;
  /// Label selector over DaemonSets, in kubectl's syntax, already checked. Empty: no selection.
  std::string selector;
  bool pods = true;
  bool revisions = true;
  /// The namespace of objects in files that name none.
  std::string default_ns = "default";
  /// Only pods bound to this node, and unbound ones, are needed. Empty: all pods.
  std::string node = {};
  /// Whether a name may be that of a pod: then the DaemonSet that controls the pod is read. If
  /// there is no such pod or DaemonSet, the snapshot holds little more than the pod.
  enum class PodNames { None, Perhaps, All };
  PodNames pod_names = PodNames::None;  // All: the only name is a pod's
};

struct Snapshot {
  model::Cluster cluster;
  model::SourceInfo info;
  std::vector<model::Omission> omissions;  // what could not be read; render must show it
  std::vector<model::Warning> warnings;    // what was read, but is not valid
  /// (namespace, name) of existing DaemonSets, for "did you mean"; read only if a name of the query
  /// does not exist. Best effort: empty if listing is forbidden.
  std::vector<std::pair<std::string, std::string>> other_daemon_sets;
};

/// Where a cluster is read from: files, the API server, the demo. Callers cannot tell which.
class ClusterSource {
 public:
  virtual ~ClusterSource() = default;
  /// One read. The snapshot owns everything; nothing refers back to the source. It may hold more
  /// than was asked for (files do), never less without an omission.
  [[nodiscard]] virtual base::Result<Snapshot> load(const Query& query) = 0;

  /// True: load leaves out what only a diagnosis needs, and load_details can read it.
  [[nodiscard]] virtual bool has_more() const { return false; }
  /// Reads what `query` asks for into a snapshot of this source. What cannot be read becomes an
  /// omission.
  virtual void load_details(Snapshot& /*snapshot*/, const model::DetailQuery& /*query*/) {}
};

}  // namespace dsdoctor::source
