// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/catalogue/finding_kind.h"

namespace dsdoctor::diagnosis {

enum class Scope { Cluster, DaemonSet, Node, Pod };

[[nodiscard]] constexpr std::string_view to_string(Scope scope) {
  switch (scope) {
    case Scope::Cluster: return "cluster";
    case Scope::DaemonSet: return "daemonset";
    case Scope::Node: return "node";
    case Scope::Pod: return "pod";
  }
  return "";
}

/// A step of a fix in the catalogue, with placeholders such as `{pod}` for names and parameters.
struct StepPattern {
  std::string_view when;       // a parameter that is a condition; empty: the step always applies
  bool unless;                 // the condition must not hold
  std::string_view condition;  // a condition that the reader has to check; may be empty
  std::string_view text;
  std::string_view command;
};

/// A kind of finding, or a verdict or reason, which have the same description. The texts have
/// static lifetime.
struct CatalogueEntry {
  std::string_view id;  // stable: its meaning never changes
  Severity severity;    // unless a finding says otherwise
  Scope scope;
  /// The object to fix: "node", "taint", "daemonset", "control-plane", "Kind/{parameter}",
  /// "Object/{parameter}", where the parameter is "Kind/name" or "Node", or "node-or-daemonset":
  /// the nodes, if they are few of the DaemonSet's. If the parameter is not known: the DaemonSet.
  std::string_view root;
  Family family;              // the heading of the list
  std::string_view title;     // one sentence, no trailing period
  std::string_view detected;  // how, and from which fields
  std::string_view alias;     // an older id with the same meaning; may be empty
  std::span<const StepPattern> fix;
  /// Other words by which a user may look it up: reasons of Kubernetes, scheduler plugins, fields
  /// of a status.
  std::span<const std::string_view> words;
};

/// All kinds of findings, in the order of FindingId.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();
/// All kinds of findings, then verdicts and reasons; sorted by family, then by id.
[[nodiscard]] std::span<const CatalogueEntry> listed_entries();

[[nodiscard]] const CatalogueEntry& entry_of(FindingId id);
/// REQUIRES: `entry` is an element of catalogue().
[[nodiscard]] FindingId id_of(const CatalogueEntry& entry);
/// Finds an entry by id or alias; null if there is none.
[[nodiscard]] const CatalogueEntry* find_listed(std::string_view id);

/// The entries that a word of an answer leads to, in any case, with blanks or hyphens: those with
/// this id or alias, or with the id in a problem's id; else those with this word; else all of the
/// family of this name. Empty for other words.
[[nodiscard]] std::vector<const CatalogueEntry*> entries_for(std::string_view word);

/// Names for the fix of a finding. Empty: not known, or the fix must not name it.
struct CaseNames {
  std::string_view ns = {};
  std::string_view ds = {};
  std::string_view node = {};
  std::string_view pod = {};
};

/// A finding with the severity, the message and the fix of its entry. A step is omitted if its
/// condition does not hold, if a name or text in it is empty, or if a name in its command is not
/// valid for the API (base::is_name).
[[nodiscard]] Finding make_finding(FindingKind kind, std::vector<Evidence> evidence = {},
                                   const CaseNames& names = {});
/// The title of a finding, verdict or reason as a message.
[[nodiscard]] Message title_message(const CatalogueEntry& entry);

/// The step with each placeholder replaced by `name(placeholder)`, which must not be empty.
[[nodiscard]] Step described(const StepPattern& pattern, std::string (*name)(std::string_view));

}  // namespace dsdoctor::diagnosis
