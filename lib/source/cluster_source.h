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
};

struct Snapshot {
  model::Cluster cluster;
  model::SourceInfo info;
  std::vector<model::Omission> omissions;  // what could not be read; render must show it
  std::vector<model::Warning> warnings;    // what was read, but is not valid
  /// (namespace, name) of DaemonSets that exist, read only when a name of the query does not; for
  /// "did you mean". Best effort: empty where they may not be listed.
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
