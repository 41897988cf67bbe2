// SPDX-License-Identifier: Apache-2.0
#include "fixes/live_patch.h"

#include <algorithm>
#include <memory>

namespace dsdoctor::fixes {
namespace {

bool is_of_manifest(const model::DaemonSet& ds, const Changed& changed) {
  return std::ranges::any_of(changed.manifests, [&](const auto& name) {
    return name.first == ds.meta.ns && name.second == ds.meta.name;
  });
}

/// `kept`: number of the template's tolerations in the cluster, before the what-if ones.
void fit(TemplateChange& change, std::size_t kept, const std::vector<model::Toleration>& imagined) {
  std::vector<model::Toleration> added = imagined;
  if (change.removed && *change.removed >= kept) {
    added.erase(added.begin() + static_cast<std::ptrdiff_t>(*change.removed - kept));
    change.removed.reset();
  }
  change.imagined = added.size();
  added.insert(added.end(), change.added.begin(), change.added.end());
  change.added = std::move(added);
}

/// The list of a template: the number of tolerations in the cluster, and the what-if ones after
/// them.
struct List {
  std::size_t kept;
  const std::vector<model::Toleration>& imagined;
};

List list_of(const model::DaemonSet& ds, const Changed& changed) {
  static const std::vector<model::Toleration> none;
  const auto at = std::ranges::find_if(changed.consequences, [&](const Consequence& each) {
    return each.ns == ds.meta.ns && each.name == ds.meta.name;
  });
  const auto& imagined = at == changed.consequences.end() ? none : at->tolerated;
  return {ds.pod_template.tolerations.size() - imagined.size(), imagined};
}

void fit(Suggestion& suggestion, const List& list) {
  fit(suggestion.change, list.kept, list.imagined);
  suggestion.creates_list = list.kept == 0;
}

}  // namespace

void fit_to_cluster(std::vector<FixAnswer>& answers, const Changed& changed) {
  for (FixAnswer& answer : answers) {
    const bool of_manifest = is_of_manifest(*answer.ds, changed);
    const List list = list_of(*answer.ds, changed);
    for (Suggestion& each : answer.suggestions) {
      fit(each, list);
      each.of_manifest = of_manifest;
    }
    for (Alternative& each : answer.alternatives) {
      if (!each.change) continue;
      fit(*each.change, list.kept, list.imagined);
      each.of_manifest = of_manifest;
    }
    if (of_manifest) answer.owners.clear();  // there is no object to patch
    if (list.imagined.empty()) continue;
    auto live = std::make_shared<model::DaemonSet>(*answer.ds);
    live->pod_template.tolerations.resize(list.kept);
    answer.ds = live.get();
    answer.live = std::move(live);
  }
}

void fit_to_cluster(Explanation& explanation,
                    const std::vector<const model::DaemonSet*>& daemon_sets,
                    const Changed& changed) {
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) {
    DaemonSetAnswer& answer = explanation.daemon_sets[i];
    const bool of_manifest = is_of_manifest(*daemon_sets[i], changed);
    for (Suggestion& each : answer.suggestions) {
      fit(each, list_of(*daemon_sets[i], changed));
      each.of_manifest = of_manifest;
    }
    if (of_manifest) answer.owners.clear();
  }
}

}  // namespace dsdoctor::fixes
