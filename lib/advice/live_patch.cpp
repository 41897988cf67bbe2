#include "advice/live_patch.h"

#include <algorithm>
#include <memory>

namespace dsdoctor::advice {
namespace {

bool is_of_manifest(const model::DaemonSet& ds, const Changed& changed) {
  return std::ranges::any_of(changed.manifests, [&](const auto& name) {
    return name.first == ds.meta.ns && name.second == ds.meta.name;
  });
}

/// `kept`: tolerations of the template that are there, before those that were imagined.
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

void fit(Suggestion& suggestion, std::size_t kept, const Changed& changed) {
  fit(suggestion.change, kept, changed.tolerations);
  suggestion.creates_list = kept == 0;
}

std::size_t kept_of(const model::DaemonSet& ds, const Changed& changed) {
  return ds.pod_template.tolerations.size() - changed.tolerations.size();
}

}  // namespace

void fit_to_cluster(std::vector<CureAnswer>& answers, const Changed& changed) {
  for (CureAnswer& answer : answers) {
    const bool of_manifest = is_of_manifest(*answer.ds, changed);
    const std::size_t kept = kept_of(*answer.ds, changed);
    for (Suggestion& each : answer.suggestions) {
      fit(each, kept, changed);
      each.of_manifest = of_manifest;
    }
    for (Alternative& each : answer.alternatives) {
      if (!each.change) continue;
      fit(*each.change, kept, changed.tolerations);
      each.of_manifest = of_manifest;
    }
    if (of_manifest) answer.owners.clear();  // nothing is patched
    if (changed.tolerations.empty()) continue;
    auto live = std::make_shared<model::DaemonSet>(*answer.ds);
    live->pod_template.tolerations.resize(kept);
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
      fit(each, kept_of(*daemon_sets[i], changed), changed);
      each.of_manifest = of_manifest;
    }
    if (of_manifest) answer.owners.clear();
  }
}

}  // namespace dsdoctor::advice
