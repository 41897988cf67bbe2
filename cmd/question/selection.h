// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "line/options.h"
#include "model/cluster.h"
#include "render/words/style.h"
#include "source/cluster_source.h"

/// Selection of the DaemonSets and nodes of a question.
namespace dsdoctor::cmd {

/// Selects the DaemonSets in a namespace that have one of the names and match the labels.
struct DaemonSetChoice {
  std::string ns;                  // empty: any
  std::vector<std::string> names;  // empty: any
  Requirements labels = {};
  std::set<std::pair<std::string, std::string>> full_names = {};  // ns and name; empty: any
  bool ignore_not_found = false;                                  // skip missing names
  render::Address address = {};                                   // for the commands of hints
};

struct Picked {
  std::vector<const model::DaemonSet*> daemon_sets;
  std::vector<base::Error> not_found;  // names without a DaemonSet
};

/// Selects DaemonSets of `cluster`. `snapshot`: for the hints of errors.
[[nodiscard]] Picked pick_daemon_sets(const model::Cluster& cluster, const DaemonSetChoice& choice,
                                      const source::Snapshot& snapshot);

/// The error for a namespace that does not exist, with similar names; absent if the Namespace or an
/// object in it was read.
[[nodiscard]] std::optional<base::Error> namespace_not_found(const model::Cluster& cluster,
                                                             const std::string& ns);

/// Combines --node, names and globs, and --node-selector, both of which must match; empty if
/// neither is given. Errors: Usage for a glob; NotFound if a name or a glob matches no node, or no
/// node is left.
[[nodiscard]] base::Result<std::function<bool(const model::Node&)>> node_filter(
    const ScopeOptions& scope, const source::Snapshot& snapshot);

/// Returns the node with that name. Errors: NotFound, with similar names; Unreadable, with the
/// reason why nodes were not read.
[[nodiscard]] base::Result<const model::Node*> find_node(const source::Snapshot& snapshot,
                                                         const std::string& name);

}  // namespace dsdoctor::cmd
