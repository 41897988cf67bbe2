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

/// A step as the catalogue has it. `{pod}` and the like stand for names and parameters.
struct StepPattern {
  std::string_view when;       // a condition; empty: the step is for all
  bool unless;                 // it must not hold
  std::string_view condition;  // for the reader to judge; may be empty
  std::string_view text;
  std::string_view command;
};

/// One kind of finding, or of verdicts and reasons, which are described alike. The texts live as
/// long as the program.
struct CatalogueEntry {
  std::string_view id;  // never changes its meaning
  Severity severity;    // unless a finding says otherwise
  Scope scope;
  /// The object to fix: "node", "taint", "daemonset", "control-plane", "Kind/{parameter}",
  /// "Object/{parameter}", where the parameter is "Kind/name" or "Node", or "node-or-daemonset":
  /// the nodes, where they are few of the DaemonSet's. Where the parameter is not known: the
  /// DaemonSet.
  std::string_view root;
  Family family;              // the heading of the list
  std::string_view title;     // one sentence, no trailing period
  std::string_view detected;  // how, and from which fields
  std::string_view alias;     // an older id of the same meaning; may be empty
  std::span<const StepPattern> fix;
};

/// Every finding that can be made, in the order of FindingId.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();
/// The same and behind them verdicts and reasons, by family, then by id.
[[nodiscard]] std::span<const CatalogueEntry> listed_entries();

[[nodiscard]] const CatalogueEntry& entry_of(FindingId id);
/// REQUIRES: `entry` is of the catalogue.
[[nodiscard]] FindingId id_of(const CatalogueEntry& entry);
/// By id or alias; null where there is none.
[[nodiscard]] const CatalogueEntry* find_listed(std::string_view id);

/// What a finding's case supplies for its fix; empty: not known, or not to be named.
struct CaseNames {
  std::string_view ns = {};
  std::string_view ds = {};
  std::string_view node = {};
  std::string_view pod = {};
};

/// A finding with the severity, the message and the fix of its entry. A step is left out where its
/// condition does not hold, a name or text in it is empty, or its command would hold what the API
/// does not accept as such a name (base::is_name).
[[nodiscard]] Finding make_finding(FindingKind kind, std::vector<Evidence> evidence = {},
                                   const CaseNames& names = {});
/// The entry's title as a message, of a finding, a verdict or a reason.
[[nodiscard]] Message title_message(const CatalogueEntry& entry);

/// The step with `name(placeholder)`, which is never empty, in place of each placeholder.
[[nodiscard]] Step described(const StepPattern& pattern, std::string (*name)(std::string_view));

}  // namespace dsdoctor::diagnosis
