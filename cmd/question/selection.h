#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "line/options.h"
#include "question/question.h"
#include "question/selector.h"

/// Which DaemonSets and nodes a question is about.
namespace dsdoctor::cmd {

/// Errors: as parse_typed_selector, with the flag.
[[nodiscard]] base::Result<Requirements> parse_selector(const std::string& text, const char* flag);

/// The DaemonSets of `cluster` in the question's namespace with these names, or all, and with these
/// labels. Fills in what was not found.
[[nodiscard]] std::vector<const model::DaemonSet*> pick_daemon_sets(
    const model::Cluster& cluster, const std::vector<std::string>& names,
    const Requirements& labels, const render::Presentation& style, Question& question);

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
