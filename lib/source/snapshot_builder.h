// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/client/list.h"
#include "source/api_reads.h"
#include "source/cluster_source.h"

namespace dsdoctor::source {

/// Collects the lists of one snapshot of an API server.
class SnapshotBuilder {
 public:
  /// `ns`: the namespace of the query.
  explicit SnapshotBuilder(std::string ns);

  void add_nodes(kube::ListAnswer answer);
  /// `of_everyone`: the pods of all namespaces and owners.
  void add_pods(kube::ListAnswer answer, bool of_everyone);
  /// The pods bound to `node`, and those that are not bound.
  void add_pods(kube::ListAnswer bound, kube::ListAnswer unbound, const std::string& node);
  void add_revisions(kube::ListAnswer answer);
  /// `found`: the DaemonSets of `query`.
  void add_daemon_sets(std::vector<model::DaemonSet> found, const Query& query);

  Snapshot& snapshot() { return snapshot_; }
  /// Set if a list failed for a reason other than missing RBAC permissions.
  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }

 private:
  /// True: `answer` can be used. False: its failure is recorded in the snapshot or in `error`.
  bool accept(kube::ListAnswer& answer, const Lack& lack, const std::string& ns);

  std::string ns_;
  Snapshot snapshot_;
  std::optional<base::Error> error_;
};

/// The error if DaemonSets cannot be read.
[[nodiscard]] base::Error daemon_set_error(const kube::ApiFailure& failure, const Query& query);

/// The selector of the pods to read: that of a single DaemonSet; empty for several.
[[nodiscard]] std::string common_selector(const Query& query,
                                          const std::vector<model::DaemonSet>& found);

[[nodiscard]] bool lacks_a_name(const Query& query, const std::vector<model::DaemonSet>& found);

/// Keeps only DaemonSets with one of the names; returns (namespace, name) of the rest.
std::vector<std::pair<std::string, std::string>> keep_named(
    const std::vector<std::string>& names, std::vector<model::DaemonSet>& daemon_sets);

/// Reads nodes by name that are missing in the list although active pods run on them: they joined
/// after it was read, are deleted, or a proxy hides them from this user. The pod garbage collector
/// does the same before it deletes a pod.
void add_unlisted_nodes(const ApiReads& reads, Snapshot& snapshot);

}  // namespace dsdoctor::source
