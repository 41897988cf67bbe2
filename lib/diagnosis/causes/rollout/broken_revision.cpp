#include "diagnosis/causes/rollout/broken_revision.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/causes/creation/new_pods.h"
#include "diagnosis/evidence/wording.h"

namespace dsdoctor::diagnosis {
namespace {

/// How the pods of the newest revision fare: those that fail, by what is wrong with them.
struct NewestPods {
  std::map<std::string, std::vector<const model::Pod*>> faulty;
  std::int64_t available = 0;
  std::int64_t all = 0;
};

NewestPods newest_pods(const DaemonSetCase& c, const RolloutReplay& replay) {
  NewestPods result;
  for (const model::Pod* pod : replay.fresh) {
    ++result.all;
    if (const auto fault = start_fault(c, *pod)) {
      result.faulty[*fault].push_back(pod);
    } else if (is_available(*pod, c.ds.min_ready_seconds, c.facts.now(), c.behaviour)) {
      ++result.available;
    }
  }
  return result;
}

/// Available pods of older revisions, and all of these.
std::pair<std::int64_t, std::int64_t> older_pods(const DaemonSetCase& c) {
  std::int64_t available = 0;
  std::int64_t all = 0;
  for (const model::Pod* pod : c.claimed.owned) {
    if (!is_live(*pod) || c.revision.is_current(*pod)) continue;
    ++all;
    available += is_available(*pod, c.ds.min_ready_seconds, c.facts.now(), c.behaviour) ? 1 : 0;
  }
  return {available, all};
}

bool an_older_pod_has(const DaemonSetCase& c, std::string_view fault) {
  return std::ranges::any_of(c.claimed.owned, [&](const model::Pod* pod) {
    return is_live(*pod) && !c.revision.is_current(*pod) && start_fault(c, *pod) == fault;
  });
}

/// The current template is younger than an hour, and there is an older one to go back to.
bool changed_lately(const DaemonSetCase& c) {
  const model::ControllerRevision* current = revision_of(c, c.revision.hash());
  if (current == nullptr || !current->meta.created ||
      c.facts.now() - *current->meta.created > threshold::events) {
    return false;
  }
  return std::ranges::any_of(c.facts.cluster().revisions, [&](const auto& other) {
    const auto& owner = other.meta.controller;
    return other.meta.ns == c.ds.meta.ns && owner && owner->name == c.ds.meta.name &&
           other.revision < current->revision;
  });
}

}  // namespace

std::optional<Finding> broken_revision(const DaemonSetCase& c, const RolloutReplay& replay) {
  const NewestPods newest = newest_pods(c, replay);
  if (newest.faulty.empty()) return std::nullopt;
  const auto worst = std::ranges::max_element(
      newest.faulty, {}, [](const auto& entry) { return entry.second.size(); });
  const auto& [fault, pods] = *worst;
  const auto failing = static_cast<std::int64_t>(pods.size());
  // Where most of the new pods work, their nodes differ.
  if (failing <= newest.available || an_older_pod_has(c, fault)) return std::nullopt;
  const auto [available, older] = older_pods(c);
  if (older == 0 && !changed_lately(c)) return std::nullopt;
  const std::string which = newest.all == 1 ? "the only pod"
                            : failing == newest.all
                                ? fmt::format("all {} pods", failing)
                                : fmt::format("{} of {} pods", failing, newest.all);
  const std::string rest =
      older == 0 ? std::string("the template changed within the last hour")
                 : fmt::format("{} of {} of older revisions {} available", available,
                               wording::counted(older, "pod"), available == 1 ? "is" : "are");
  Finding finding =
      make_finding(FindingId::RolloutNewBroken,
                   fmt::format("{} in {} of the newest revision; {}", fault, which, rest),
                   {fmt::format("Pod/{} status.{}", pods.front()->meta.name.view(),
                                is_terminal(*pods.front()) ? "reason" : "containerStatuses")},
                   names_of(c));
  finding.standing = Standing::Also;
  finding.basis = Basis::Recomputed;
  finding.group = fault;
  for (const model::Pod* pod : pods) {
    if (const model::Text* node = target_node(*pod)) finding.nodes.push_back(node->str());
  }
  return finding;
}

const model::ControllerRevision* revision_of(const DaemonSetCase& c, std::string_view hash) {
  const auto& revisions = c.facts.cluster().revisions;
  const auto at = std::ranges::find_if(revisions, [&](const model::ControllerRevision& revision) {
    const model::Text* label = revision.meta.labels.find("controller-revision-hash");
    const auto& owner = revision.meta.controller;
    return revision.meta.ns == c.ds.meta.ns && label != nullptr && *label == hash && owner &&
           owner->name == c.ds.meta.name;
  });
  return hash.empty() || at == revisions.end() ? nullptr : &*at;
}

}  // namespace dsdoctor::diagnosis
