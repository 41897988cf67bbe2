// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/rollout/adopted_pods.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/rollout/template_change.h"

namespace dsdoctor::diagnosis {
namespace {

/// The newest revision with the hash, also one that no DaemonSet owns since it was orphaned; null
/// if none was read.
const model::ControllerRevision* revision_with(const DaemonSetCase& c, std::string_view hash) {
  const model::ControllerRevision* result = nullptr;
  for (const model::ControllerRevision& one : c.facts.cluster().revisions) {
    if (one.meta.ns != c.ds.meta.ns || revision_hash(one.meta) != hash) continue;
    const auto& owner = one.meta.controller;
    if (owner && owner->name != c.ds.meta.name) continue;
    if (!owner && !one.meta.name.view().starts_with(c.ds.meta.name.view())) continue;
    if (result == nullptr || one.revision > result->revision) result = &one;
  }
  return result;
}

/// The live pods of other templates that count as up to date, by their hash.
std::map<std::string_view, std::vector<const model::Pod*>> adopted_pods(const DaemonSetCase& c) {
  std::map<std::string_view, std::vector<const model::Pod*>> result;
  for (const model::Pod* pod : c.claimed.owned) {
    const std::string_view hash = revision_hash(*pod);
    if (hash.empty() || !is_live(*pod) || c.revision.has_current_hash(*pod)) continue;
    if (c.revision.is_current(*pod)) result[hash].push_back(pod);
  }
  // Two revisions of equal content: the controller is about to remove one of them.
  std::erase_if(result, [&](const auto& entry) {
    const model::ControllerRevision* revision = revision_with(c, entry.first);
    return revision != nullptr && revision->template_fingerprint == c.ds.template_fingerprint;
  });
  return result;
}

}  // namespace

std::optional<Finding> adopted_pod_finding(const DaemonSetCase& c) {
  if (c.ds.other_kind || c.revision.hash().empty() || c.ds.generation > c.ds.observed_generation)
    return std::nullopt;
  const auto adopted = adopted_pods(c);
  if (adopted.empty()) return std::nullopt;
  std::map<std::string, const model::Pod*> by_node;
  std::vector<std::string> changes;
  bool are_older = true;
  for (const auto& [hash, pods] : adopted) {
    for (const model::Pod* pod : pods) {
      by_node.emplace(is_bound(*pod) ? pod->node_name.str() : std::string(), pod);
      are_older &=
          pod->meta.created && c.ds.meta.created && *pod->meta.created < *c.ds.meta.created;
    }
    const model::ControllerRevision* revision = revision_with(c, hash);
    if (revision == nullptr) continue;
    for (const TemplateChange& change :
         template_changes(revision->pod_template, c.ds.pod_template)) {
      std::string text = text_of(change);
      if (std::ranges::find(changes, text) == changes.end()) changes.push_back(std::move(text));
    }
  }
  const model::Pod& first = *by_node.begin()->second;
  std::vector<Message> places;
  places.reserve(by_node.size());
  for (const auto& [node, pod] : by_node) {
    places.push_back(phrase::PodOnNode{.node = node, .pod = pod->meta.name});
  }
  const auto count = static_cast<std::int64_t>(by_node.size());
  Finding finding =
      make_finding(finding::DriftAdoptedPods{.changes = std::move(changes),
                                             .count = count,
                                             .it_rolls = c.ds.update_strategy != "OnDelete",
                                             .pods = std::move(places),
                                             .they_are_older = are_older},
                   {{ref_of(first), "metadata.labels['controller-revision-hash']",
                     std::string(revision_hash(first))},
                    {ref_of(first), "metadata.labels['pod-template-generation']"}},
                   names_of(c, first.meta.name));
  finding.basis = Basis::Recomputed;
  for (const auto& [node, pod] : by_node) {
    if (!node.empty()) finding.nodes.push_back(node);
  }
  return finding;
}

}  // namespace dsdoctor::diagnosis
