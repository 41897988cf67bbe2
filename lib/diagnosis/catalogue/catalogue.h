#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/catalogue/finding.h"

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

/// One kind of finding. The texts live as long as the program.
struct CatalogueEntry {
  std::string_view id;  // never changes its meaning
  Severity severity;    // unless a finding says otherwise
  Scope scope;
  std::string_view family;    // "creation", "scheduling", ...: the heading of the list
  std::string_view meaning;   // one sentence, no trailing period
  std::string_view detected;  // how, and from which fields
  /// What to do; `{ns}`, `{ds}`, `{pod}`, `{node}` and others stand for names. May be empty.
  std::string_view remedy;
  std::string_view alias;  // an older id of the same meaning; may be empty
};

/// Every finding that can be made, by family.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();

/// By id or alias; null where there is none.
[[nodiscard]] const CatalogueEntry* find_entry(std::string_view id);

/// Values for the placeholders of a remedy: {"pod", "agent-x7x2k"}. Each becomes one word of a
/// POSIX shell.
using RemedyNames = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// A finding with the severity and the remedy of its entry. A line of the remedy that names a
/// placeholder without a value is left out. REQUIRES: the catalogue has `id`.
[[nodiscard]] Finding make_finding(std::string_view id, std::string message,
                                   std::vector<std::string> evidence = {}, RemedyNames names = {});

}  // namespace dsdoctor::diagnosis
