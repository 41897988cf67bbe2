// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/rollout/revision_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/rollout/broken_revision.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view hash_label = "controller-revision-hash";

using Revisions = std::vector<const model::ControllerRevision*>;

Revisions revisions_of(const DaemonSetCase& c) {
  Revisions result;
  for (const model::ControllerRevision& revision : c.facts.cluster().revisions) {
    const auto& owner = revision.meta.controller;
    const bool owned = revision.meta.ns == c.ds.meta.ns && owner && owner->name == c.ds.meta.name &&
                       model::is_daemon_set(*owner);
    if (owned) result.push_back(&revision);
  }
  return result;
}

/// The oldest revision that was created after `older` and has a higher number; null if there is
/// none.
const model::ControllerRevision* first_successor(const Revisions& revisions,
                                                 const model::ControllerRevision& older) {
  const model::ControllerRevision* result = nullptr;
  for (const model::ControllerRevision* each : revisions) {
    const bool follows = each->revision > older.revision && each->meta.created &&
                         older.meta.created && *each->meta.created > *older.meta.created;
    if (!follows) continue;
    if (result == nullptr || *each->meta.created < *result->meta.created) result = each;
  }
  return result;
}

}  // namespace

std::vector<RevisionCount> revision_counts(const DaemonSetCase& c) {
  // Pods without a hash can be of several templates: their generation separates them.
  std::map<std::pair<std::string_view, bool>, RevisionCount> by_hash;
  for (const auto* list : {&c.claimed.owned, &c.claimed.adoptable}) {
    for (const model::Pod* pod : *list) {
      if (is_terminating(*pod)) continue;
      const model::Text* hash = pod->meta.labels.find(hash_label);
      const bool current = c.revision.is_current(*pod);
      RevisionCount& count = by_hash[{hash ? hash->view() : std::string_view(), current}];
      ++count.pods;
      count.current = current;
    }
  }
  std::vector<RevisionCount> result;
  for (auto& [key, count] : by_hash) {
    count.hash = key.first;
    if (const auto* revision = revision_of(c, count.hash)) count.revision = revision->revision;
    result.push_back(count);
  }
  std::ranges::stable_sort(result, [](const RevisionCount& a, const RevisionCount& b) {
    return std::tuple(!a.current, b.revision) < std::tuple(!b.current, a.revision);
  });
  return result;
}

std::vector<Message> pods_by_revision(const DaemonSetCase& c) {
  std::vector<Message> result;
  for (const RevisionCount& count : revision_counts(c)) {
    result.push_back(phrase::PodsOfRevision{
        .hash = count.hash,
        .is_current = count.current,
        .pods = count.pods,
        .revision = count.revision > 0 ? std::optional(count.revision) : std::nullopt});
  }
  return result;
}

std::optional<ParkedPods> parked_pods(const DaemonSetCase& c,
                                      const std::vector<const model::Pod*>& outdated,
                                      model::Time::duration least) {
  const auto revisions = revisions_of(c);
  std::map<std::string_view, const model::ControllerRevision*> successors;  // by hash of the older
  ParkedPods result;
  for (const model::Pod* pod : outdated) {
    const std::string_view hash = revision_hash(*pod);
    const auto older = std::ranges::find_if(
        revisions, [&](const auto* revision) { return revision_hash(revision->meta) == hash; });
    if (hash.empty() || older == revisions.end()) continue;
    const auto [successor, is_new] = successors.try_emplace(hash, nullptr);
    if (is_new) successor->second = first_successor(revisions, **older);
    if (successor->second == nullptr) continue;
    const auto age = c.facts.now() - *successor->second->meta.created;
    if (age < least) continue;
    ++result.pods;
    if (age > result.age) {
      result = {result.pods, (*older)->revision, successor->second->revision, age};
    }
  }
  return result.pods == 0 ? std::nullopt : std::optional(result);
}

std::vector<Evidence> revision_evidence(const DaemonSetCase& c) {
  std::map<std::string_view, const model::Pod*> pods;
  for (const auto* list : {&c.claimed.owned, &c.claimed.adoptable}) {
    for (const model::Pod* pod : *list) {
      if (!is_terminating(*pod)) pods.emplace(revision_hash(*pod), pod);
    }
  }
  std::vector<Evidence> result;
  result.reserve(pods.size());
  for (const auto& [hash, pod] : pods) {
    result.emplace_back(ref_of(*pod), fmt::format("metadata.labels['{}']", hash_label),
                        std::string(hash));
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
