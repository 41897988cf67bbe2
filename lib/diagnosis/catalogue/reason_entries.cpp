#include "diagnosis/catalogue/reason_entries.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "diagnosis/catalogue/verdict_entries.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view family = "reasons";

// Severity info: whether a node that is kept out is right or wrong is for its owner to say.
constexpr std::array entries = {
    CatalogueEntry{
        "untolerated-taint", Severity::Info, Scope::Node, family,
        "a taint of the node with effect NoSchedule or NoExecute is tolerated neither by "
        "the pod template nor by what the controller adds to it",
        "Each entry of the node's spec.taints is held against "
        "spec.template.spec.tolerations and the six tolerations (seven with hostNetwork) "
        "that the DaemonSet controller adds. PreferNoSchedule never counts",
        "Tolerate the taint if the pod belongs on such nodes:\n"
        "kubectl dsdoctor explain {ds} -n {ns}\n"
        "prints the patch. Else leave it: the node is meant for something else, or is on "
        "its way in or out.",
        ""},
    CatalogueEntry{"node-selector-mismatch", Severity::Info, Scope::Node, family,
                   "the template's nodeSelector wants a label that the node lacks or has with "
                   "another value",
                   "Each key of spec.template.spec.nodeSelector is looked up in the node's "
                   "metadata.labels; the values have to be equal",
                   "If the pod belongs there, label the node:\n"
                   "kubectl label node {node} {key}={value}\n"
                   "or take the key out of spec.template.spec.nodeSelector.",
                   ""},
    CatalogueEntry{"affinity-term-mismatch", Severity::Info, Scope::Node, family,
                   "a requirement of a required node affinity term does not hold on the node; one "
                   "term has to hold whole",
                   "Each entry of nodeSelectorTerms in spec.template.spec.affinity.nodeAffinity."
                   "requiredDuringSchedulingIgnoredDuringExecution is held against the node: "
                   "matchExpressions against its labels, matchFields against its name. Every "
                   "requirement that fails is a reason of its own",
                   "Give the node the label that one of the terms wants, or mend the term.", ""},
    CatalogueEntry{"affinity-matches-nothing", Severity::Info, Scope::Node, family,
                   "required node affinity is there, but none of its terms can match any node: "
                   "there is none, or each is empty or cannot be parsed",
                   "nodeSelectorTerms in spec.template.spec.affinity.nodeAffinity."
                   "requiredDuringSchedulingIgnoredDuringExecution is read as the controller "
                   "does: an empty term matches nothing, and so does one with an illegal key, "
                   "operator or value",
                   "Take the required node affinity out, or give it a term that can hold.", ""},
    CatalogueEntry{"node-name-mismatch", Severity::Info, Scope::Node, family,
                   "the template is pinned to another node by spec.nodeName",
                   "spec.template.spec.nodeName is compared with the node's name",
                   "Take spec.template.spec.nodeName out; a DaemonSet needs none.", ""},
};

}  // namespace

std::span<const CatalogueEntry> reason_entries() { return entries; }

std::vector<const CatalogueEntry*> listed_entries() {
  std::vector<std::string_view> families;
  std::vector<const CatalogueEntry*> result;
  const auto add = [&](const CatalogueEntry& entry) {
    if (std::ranges::find(families, entry.family) == families.end()) {
      families.push_back(entry.family);
    }
    result.push_back(&entry);
  };
  std::ranges::for_each(catalogue(), add);
  std::ranges::for_each(verdict_entries(), add);
  std::ranges::for_each(reason_entries(), add);
  std::ranges::sort(result, {}, [&](const CatalogueEntry* entry) {
    return std::tuple(std::ranges::find(families, entry->family) - families.begin(), entry->id);
  });
  return result;
}

const CatalogueEntry* find_listed(std::string_view id) {
  if (const CatalogueEntry* finding = find_entry(id)) return finding;
  for (const auto table : {verdict_entries(), reason_entries()}) {
    const auto at = std::ranges::find(table, id, &CatalogueEntry::id);
    if (at != table.end()) return &*at;
  }
  return nullptr;
}

}  // namespace dsdoctor::diagnosis
