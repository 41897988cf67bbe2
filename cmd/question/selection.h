#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "line/options.h"
#include "question/selector.h"
#include "render/words/style.h"
#include "source/cluster_source.h"

/// Which DaemonSets and nodes a question is about.
namespace dsdoctor::cmd {

/// Errors: as parse_typed_selector, with the flag.
[[nodiscard]] base::Result<Requirements> parse_selector(const std::string& text, const char* flag);

/// The DaemonSets that were found, and an error for each name that was not.
struct Picked {
  std::vector<const model::DaemonSet*> daemon_sets;
  std::vector<base::Error> not_found;
};

/// The DaemonSets of `cluster` in the namespace `ns`, which may be empty, with these names, or all,
/// and with these labels. `snapshot` is what was read, for the errors.
[[nodiscard]] Picked pick_daemon_sets(const model::Cluster& cluster, const std::string& ns,
                                      const std::vector<std::string>& names,
                                      const Requirements& labels, const source::Snapshot& snapshot,
                                      const render::Presentation& style);

/// The error that there is no namespace of that name, with near names; absent where an object of it
/// was read, or the Namespace itself.
[[nodiscard]] std::optional<base::Error> namespace_not_found(const model::Cluster& cluster,
                                                             const std::string& ns);

/// --node, names and globs, and --node-selector, both of which must hold; empty where neither is
/// given. Errors: Usage; NotFound where a name or a glob has no node, or no node is left.
[[nodiscard]] base::Result<std::function<bool(const model::Node&)>> node_filter(
    const AnswerOptions& options, const source::Snapshot& snapshot);

/// The node of that name. Errors: NotFound, with near names; Unreadable, with what kept nodes from
/// being read.
[[nodiscard]] base::Result<const model::Node*> find_node(const source::Snapshot& snapshot,
                                                         const std::string& name);

}  // namespace dsdoctor::cmd
