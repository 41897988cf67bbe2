#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnosis/reporter.h"
#include "fixes/what_if.h"
#include "line/options.h"
#include "question/context.h"
#include "question/selection.h"
#include "source/cluster_source.h"

namespace dsdoctor::cmd {

/// The data that a command needs.
struct Reads {
  bool pods = true;
  bool revisions = true;
  bool everything = false;  // what any later question could need, not only what explains this one
  bool history = false;     // events of DaemonSets, whether something is wrong or not
  bool follows = false;     // the only name may be a pod's, or a node's, which is all that is read
};

/// The input of read().
struct Request {
  const AnswerOptions& asked;
  Reads reads;
  std::string ns;                // looked at; empty: all
  const fixes::WhatIf& changes;  // those in files, too
  const diagnosis::TaintCatalogue& taints;
  render::Address address;  // for the commands of hints
};

/// The result of read().
struct Reading {
  source::Snapshot snapshot;
  ScopeOptions scope;  // the DaemonSet or node in place of a name that stood for it; its node, too
  bool one_node = false;                             // it is about the node that is the only name
  DaemonSetChoice choice;                            // what `daemon_sets` were picked by
  std::vector<const model::DaemonSet*> daemon_sets;  // into snapshot; those asked for
  std::vector<base::Error> not_found;                // names without a DaemonSet
  bool ns_unread = false;  // nothing was found in the namespace, which may exist or not
  std::function<bool(const model::Node&)> selects = {};  // by the scope; empty: all nodes
  diagnosis::ReportOptions judged_by;
  std::unique_ptr<const diagnosis::TaintCatalogue> taints = {};  // where users have their own
  /// Set where something is taken as different: then `snapshot` is what would be.
  std::optional<fixes::Changed> changed = {};
};

/// Reads what `request` asks for; judges it; reads what explains the verdicts. Nothing more is read
/// of it then. What the only name stands for is said on stderr.
/// Errors: whatever the source says; NotFound where no DaemonSet controls the pod that is named,
/// and for a namespace that does not exist; as fixes::with_changes.
[[nodiscard]] base::Result<Reading> read(source::ClusterSource& source, const Request& request,
                                         Context& ctx);

/// The consequence of Reading::ns_unread.
[[nodiscard]] std::string unread_namespace_text(std::string_view ns);

}  // namespace dsdoctor::cmd
