#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "model/detail_query.h"

namespace dsdoctor::source {

/// What a question needs to know. A source reads no more than this where it can choose.
struct Query {
  /// Of the DaemonSets. Empty: all namespaces.
  std::string ns;
  /// Of the DaemonSets, in `ns`. Empty: all of them. A name that does not exist is not an error
  /// of the source: the caller says so, with near names from `other_daemon_sets`.
  std::vector<std::string> names;
  /// Label selector over DaemonSets, in kubectl's syntax, already checked. Empty: no selection.
  std::string selector;
  bool pods = true;
  bool revisions = true;
  /// Where objects of files go that name no namespace.
  std::string default_ns = "default";
  /// Only the pods of this node are looked at, and those that are bound to none. Empty: of all.
  std::string node = {};
  /// What stands for a DaemonSet's name where there is no such DaemonSet: the DaemonSet is read
  /// that controls the pod of that name. Where no DaemonSet does, or there is no pod, the snapshot
  /// holds little more than the pod.
  enum class PodNames { None, Perhaps, All };
  PodNames pod_names = PodNames::None;  // All: the one name is a pod's
};

struct Snapshot {
  model::Cluster cluster;
  model::SourceInfo info;
  std::vector<model::Omission> omissions;  // what could not be read; render must show it
  std::vector<model::Warning> warnings;    // what was read, but is not valid
  /// (namespace, name) of DaemonSets that exist, read only when a name of the query does not; for
  /// "did you mean". Best effort: empty if listing is forbidden.
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
