// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  bool events = true;       // causes are shown
  bool everything = false;  // all data for later questions, not only for this one
  bool history = false;     // events of healthy DaemonSets as well
  bool ahead = false;       // findings about what works only until a later event
  /// Reports of the state before, which are used again if they hold; null: none.
  diagnosis::KeptReports* kept = nullptr;
  bool follows = false;  // the only name may be a pod's or a node's; only that is read
};

/// The input of read().
struct Request {
  const AnswerOptions& asked;
  Reads reads;
  std::string ns;                // the selected namespace; empty: all
  const fixes::WhatIf& changes;  // including those in files
  const diagnosis::TaintCatalogue& taints;
  render::Address address;                     // for the commands of hints
  decode::NodeTemplates* templates = nullptr;  // receives those of the source; null: none are read
};

/// The result of read().
struct Reading {
  source::Snapshot snapshot;
  ScopeOptions scope;      // with names resolved: the DaemonSet or node, and the pod's node
  bool one_node = false;   // the answer is about the only name, a node
  DaemonSetChoice choice;  // the selection for `daemon_sets`
  std::vector<const model::DaemonSet*> daemon_sets;  // the selected ones, in snapshot
  std::vector<base::Error> not_found;                // names without a DaemonSet
  bool ns_unread = false;  // nothing was found in the namespace, whose existence is unknown
  std::function<bool(const model::Node&)> selects = {};  // by the scope; empty: all nodes
  diagnosis::ReportOptions judged_by;
  std::unique_ptr<const diagnosis::TaintCatalogue> taints =
      {};  // set if the user has own taints files
  /// Set for hypothetical changes: then `snapshot` contains the changed cluster.
  std::optional<fixes::Changed> changed = {};
  /// Replaces names in a text as in `snapshot`; empty unless it is redacted.
  std::function<std::string(std::string_view)> renames = {};
};

/// Reads the objects that `request` selects, evaluates them, and reads the data that explains the
/// verdicts; nothing is read after that. Prints on stderr which object the only name refers to.
/// Errors: the source's; NotFound if no DaemonSet controls the named pod, and for a namespace that
/// does not exist; as fixes::with_changes.
[[nodiscard]] base::Result<Reading> read(source::ClusterSource& source, const Request& request,
                                         Context& ctx);

/// The consequence of Reading::ns_unread.
[[nodiscard]] std::string unread_namespace_text(std::string_view ns);

}  // namespace dsdoctor::cmd
