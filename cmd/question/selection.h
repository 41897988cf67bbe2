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

/// Which DaemonSets and nodes a question is about.
namespace dsdoctor::cmd {

/// Selects the DaemonSets in a namespace that have one of the names and match the labels.
struct DaemonSetChoice {
  std::string ns;                  // empty: any
  std::vector<std::string> names;  // empty: any
  Requirements labels = {};
  std::set<std::pair<std::string, std::string>> full_names = {};  // ns and name; empty: any
  bool ignore_not_found = false;                                  // skip names without a DaemonSet
  render::Address address = {};                                   // for the commands of hints
};

struct Picked {
  std::vector<const model::DaemonSet*> daemon_sets;
  std::vector<base::Error> not_found;  // names without a DaemonSet
};

/// Picks DaemonSets of `cluster`. `snapshot`: for the hints of errors.
[[nodiscard]] Picked pick_daemon_sets(const model::Cluster& cluster, const DaemonSetChoice& choice,
                                      const source::Snapshot& snapshot);

/// The error that there is no namespace of that name, with near names; absent where an object of it
/// was read, or the Namespace itself.
[[nodiscard]] std::optional<base::Error> namespace_not_found(const model::Cluster& cluster,
                                                             const std::string& ns);

/// --node, names and globs, and --node-selector, both of which must hold; empty where neither is
/// given. Errors: Usage for a glob; NotFound where a name or a glob has no node, or no node is
/// left.
[[nodiscard]] base::Result<std::function<bool(const model::Node&)>> node_filter(
    const ScopeOptions& scope, const source::Snapshot& snapshot);

/// The node of that name. Errors: NotFound, with near names; Unreadable, with what kept nodes from
/// being read.
[[nodiscard]] base::Result<const model::Node*> find_node(const source::Snapshot& snapshot,
                                                         const std::string& name);

}  // namespace dsdoctor::cmd
