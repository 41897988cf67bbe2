// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/daemon_pods.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>

#include "base/text.h"
#include "model/annotations.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view hash_label = "controller-revision-hash";
constexpr std::string_view generation_label = "pod-template-generation";

bool refers_to(const model::ObjectMeta& object, const model::DaemonSet& ds, bool by_uid_alone) {
  const model::ControllerRef& ref = *object.controller;
  const bool of_name = model::owner_name(ref, object.labels, ds.other_kind) == ds.meta.name.view();
  if (ds.other_kind && ref.kind != ds.other_kind->kind) return of_name;  // a replica set's UID
  // A manifest has no UID, and some dumps drop UIDs: compare the names then.
  if (ref.uid.empty() || ds.meta.uid.empty()) return of_name;
  return ref.uid == ds.meta.uid && (by_uid_alone || of_name);
}

RevisionIndex::Revisions all_of(const std::vector<model::ControllerRevision>& revisions) {
  RevisionIndex::Revisions result;
  result.reserve(revisions.size());
  for (const model::ControllerRevision& one : revisions) result.push_back(&one);
  return result;
}

/// The revision of a pod, by its hash, or by its generation if it has no hash.
std::string_view revision_key(const model::Pod& pod) {
  const std::string_view hash = revision_hash(pod);
  if (!hash.empty()) return hash;
  const model::Text* generation = pod.meta.labels.find(generation_label);
  return generation == nullptr ? std::string_view() : generation->view();
}

/// Whether the program of the container runs or has run, if it is not refused.
bool has_started(const model::ContainerStatus& status) {
  return status.running || status.terminated ||
         (status.waiting && status.waiting->reason == "CrashLoopBackOff");
}

}  // namespace

PodIndex::PodIndex(const model::Cluster& cluster, const ControllerBehaviour& behaviour)
    : behaviour_(behaviour) {
  std::vector<model::OtherKind> other_kinds;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    if (!ds.other_kind || std::ranges::find(other_kinds, *ds.other_kind) != other_kinds.end()) {
      continue;
    }
    other_kinds.push_back(*ds.other_kind);
  }
  for (const model::Pod& pod : cluster.pods) {
    if (!pod.meta.controller) {
      ownerless_[pod.meta.ns].push_back(&pod);
      continue;
    }
    const model::ControllerRef& owner = *pod.meta.controller;
    by_owner_uid_[owner.uid].push_back(&pod);
    if (model::is_daemon_set(owner)) {
      by_owner_name_[owner.name].push_back(&pod);
      continue;
    }
    for (const model::OtherKind& kind : other_kinds) {
      const std::string_view name = model::owner_name(owner, pod.meta.labels, kind);
      if (!name.empty()) by_other_name_[name].push_back(&pod);
    }
  }
}

std::vector<const model::Pod*> PodIndex::referring_to(const model::DaemonSet& ds) const {
  std::vector<const model::Pod*> result;
  const auto add = [&](const Groups& groups, std::string_view key) {
    const auto found = groups.find(key);
    if (found == groups.end()) return;
    std::ranges::copy_if(found->second, std::back_inserter(result), [&](const model::Pod* pod) {
      return pod->meta.ns == ds.meta.ns && refers_to(pod->meta, ds, behaviour_.owner_by_uid_alone);
    });
  };
  if (ds.other_kind) {
    add(by_other_name_, ds.meta.name);
  } else if (ds.meta.uid.empty()) {
    add(by_owner_name_, ds.meta.name);
  } else {
    add(by_owner_uid_, ds.meta.uid.str());
    add(by_owner_uid_, {});  // references without a UID
  }
  return result;
}

PodIndex::Claimed PodIndex::claimed_by(const model::DaemonSet& ds) const {
  Claimed result;
  // With an empty selector the controller does nothing, instead of claiming all pods.
  const bool selective = ds.selector && !placement::selects_everything(*ds.selector);
  const auto labels_match = [&](const model::Pod& pod) {
    return selective && placement::matches(*ds.selector, pod.meta.labels);
  };
  for (const model::Pod* pod : referring_to(ds)) {
    // A DaemonSet in a file may have no selector; the owner references of its pods suffice then.
    (!ds.selector || labels_match(*pod) ? result.owned : result.released).push_back(pod);
  }
  const auto orphans = ownerless_.find(ds.meta.ns);
  if (orphans != ownerless_.end() && !ds.meta.deleted && !ds.other_kind) {
    std::ranges::copy_if(
        orphans->second, std::back_inserter(result.adoptable),
        [&](const model::Pod* pod) { return labels_match(*pod) && !is_terminating(*pod); });
  }
  return result;
}

bool is_inactive(const model::DaemonSet& ds) {
  return ds.meta.deleted || (ds.selector && placement::selects_everything(*ds.selector));
}

const model::Text* target_node(const model::Pod& pod) {
  if (is_bound(pod)) return &pod.node_name;
  if (!pod.node_affinity) return nullptr;
  for (const model::NodeSelectorTerm& term : pod.node_affinity->terms) {
    for (const model::NodeSelectorRequirement& field : term.match_fields) {
      if (field.key != "metadata.name" || field.op != "In") continue;
      // The first such entry decides, even if it cannot be used.
      return field.values.size() == 1 ? &field.values.front() : nullptr;
    }
  }
  return nullptr;
}

bool is_terminal(const model::Pod& pod) {
  return pod.phase == "Failed" || pod.phase == "Succeeded";
}

bool is_ready(const model::Pod& pod) {
  const auto ready = model::find_condition(pod.conditions, "Ready");
  return ready != nullptr && ready->status == "True";
}

std::chrono::seconds min_ready_time(std::int64_t min_ready_seconds) {
  return std::chrono::seconds(
      std::clamp<std::int64_t>(min_ready_seconds, 0, std::numeric_limits<std::int32_t>::max()));
}

bool is_available(const model::Pod& pod, std::int64_t min_ready_seconds, model::Time now,
                  const ControllerBehaviour& behaviour) {
  if (!is_ready(pod)) return false;
  if (min_ready_seconds <= 0) return true;
  const auto since = model::find_condition(pod.conditions, "Ready")->last_transition;
  if (!since) return false;
  const model::Time from = *since + min_ready_time(min_ready_seconds);
  return behaviour.available_at_boundary ? from <= now : from < now;
}

bool stands_before(const model::Pod& a, const model::Pod& b) {
  const auto rank = [](const model::Pod& pod) {
    return std::tuple(!is_bound(pod), pod.meta.created.value_or(model::Time{}));
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return a.meta.name < b.meta.name;
}

bool is_live(const model::Pod& pod) { return !is_terminating(pod) && !is_terminal(pod); }

std::string_view revision_hash(const model::ObjectMeta& meta) {
  const model::Text* hash = meta.labels.find(hash_label);
  return hash == nullptr ? std::string_view() : hash->view();
}

std::string_view revision_hash(const model::Pod& pod) { return revision_hash(pod.meta); }

bool was_made_by(const model::Pod& pod, std::string_view name) {
  if (const auto& owner = pod.meta.controller) {
    return model::is_daemon_set(*owner) && owner->name == name;
  }
  constexpr std::size_t random_letters = 5;
  const std::string_view own = pod.meta.name;
  return !revision_hash(pod).empty() && own.size() == name.size() + 1 + random_letters &&
         own.starts_with(name) && own[name.size()] == '-';
}

bool is_surge_pair(const std::vector<const model::Pod*>& live) {
  return live.size() == 2 && revision_hash(*live[0]) != revision_hash(*live[1]);
}

const ContainerStarts::Count& ContainerStarts::of(const std::vector<const model::Pod*>& owned,
                                                  const model::Pod& pod, std::string_view container,
                                                  ReasonOf reason_of) const {
  auto at = by_container_.find(container);
  if (at == by_container_.end()) {
    at = by_container_.try_emplace(std::string(container)).first;
    for (const model::Pod* one : owned) {
      if (!is_live(*one)) continue;
      auto status = model::find_status(one->statuses, container);
      if (status == nullptr) status = model::find_status(one->init_statuses, container);
      if (status == nullptr) continue;
      Count& count = at->second[revision_key(*one)];
      if (const std::string reason = reason_of(*one, *status); !reason.empty()) {
        ++count.refused[reason];
      } else if (has_started(*status)) {
        ++count.started;
      }
    }
  }
  return at->second[revision_key(pod)];
}

bool is_named_owner(const model::DaemonSet& ds, const model::Pod& pod) {
  const auto& owner = pod.meta.controller;
  return owner && model::is_daemon_set(*owner) && owner->name == ds.meta.name &&
         pod.meta.ns == ds.meta.ns;
}

RevisionIndex::RevisionIndex(const std::vector<model::ControllerRevision>& revisions) {
  for (const model::ControllerRevision& one : revisions) {
    const auto& owner = one.meta.controller;
    if (!owner || !model::is_daemon_set(*owner)) continue;
    by_owner_[{one.meta.ns, owner->name}].push_back(&one);
  }
}

const RevisionIndex::Revisions& RevisionIndex::of(std::string_view ns,
                                                  std::string_view name) const {
  static const Revisions none;
  const auto at = by_owner_.find({ns, name});
  return at == by_owner_.end() ? none : at->second;
}

std::string_view program_of(std::string_view image) {
  const std::size_t digest = image.find('@');
  if (const std::size_t slash = image.substr(0, digest).rfind('/'); slash != image.npos) {
    image.remove_prefix(slash + 1);
  }
  const std::size_t tag = image.find(':');
  const std::size_t at = image.find('@');
  return at < tag ? image : image.substr(0, tag);
}

ProgramIndex::ProgramIndex(const model::Cluster& cluster) {
  const auto add = [this](auto Users::*list, const auto& containers, const auto* user) {
    for (const model::Container& container : containers) {
      auto& users = by_program_[program_of(container.image)].*list;
      if (users.empty() || users.back() != user) users.push_back(user);
    }
  };
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    add(&Users::daemon_sets, ds.pod_template.spec.containers, &ds);
  }
  by_program_.erase(std::string_view());  // images that are not known
  for (const auto& [program, users] : by_program_) {
    if (users.daemon_sets.size() < 2) continue;
    for (const model::DaemonSet* ds : users.daemon_sets) pods_[{ds->meta.ns, ds->meta.name}];
  }
  for (const model::Pod& pod : cluster.pods) {
    if (!is_bound(pod) || !is_live(pod)) continue;
    if (pod.mirror) add(&Users::static_pods, pod.spec->containers, &pod);
    if (pods_.empty() || !pod.meta.controller) continue;
    const auto owner = pods_.find({pod.meta.ns, pod.meta.controller->name});
    if (owner != pods_.end() && model::is_daemon_set(*pod.meta.controller)) {
      owner->second.emplace(pod.node_name, &pod);
    }
  }
}

const ProgramIndex::Users& ProgramIndex::of(std::string_view program) const {
  static const Users none;
  const auto at = by_program_.find(program);
  return program.empty() || at == by_program_.end() ? none : at->second;
}

const ProgramIndex::PodsByNode& ProgramIndex::pods_of(const model::DaemonSet& ds) const {
  static const PodsByNode none;
  const auto at = pods_.find({ds.meta.ns, ds.meta.name});
  return at == pods_.end() ? none : at->second;
}

TemplateRevision::TemplateRevision(const model::DaemonSet& ds, const model::Cluster& cluster,
                                   const std::vector<const model::Pod*>& owned)
    : TemplateRevision(ds, cluster, all_of(cluster.revisions), owned) {}

TemplateRevision::TemplateRevision(const model::DaemonSet& ds, const model::Cluster& cluster,
                                   const RevisionIndex::Revisions& revisions,
                                   const std::vector<const model::Pod*>& owned) {
  const model::ControllerRevision* current = nullptr;
  for (const model::ControllerRevision* candidate : revisions) {
    if (candidate->meta.ns != ds.meta.ns || !candidate->meta.controller) continue;
    if (!refers_to(candidate->meta, ds, false)) continue;
    // Fingerprints that are not known (0) are not equal.
    if (ds.template_fingerprint == 0) break;
    if (candidate->template_fingerprint != ds.template_fingerprint) continue;
    if (current == nullptr || candidate->revision > current->revision) current = candidate;
  }
  if (current != nullptr) {
    if (const model::Text* hash = current->meta.labels.find(hash_label)) hash_ = *hash;
  }
  if (const model::Text* text = ds.annotations.find(model::template_generation_annotation)) {
    const auto value = base::to_number<std::int64_t>(*text);
    if (value) generation_ = std::to_string(*value);
  }
  // After a rollback pods of older generations are up to date, which only the hash of a revision
  // shows: do not judge by generation.
  const bool counts_updated_pods =
      ds.observed_generation >= ds.generation && ds.reported.updated_number_scheduled > 0;
  const auto is_of_generation = [this](const auto* pod) { return has_current_generation(*pod); };
  if (current == nullptr && !cluster.known.revisions && counts_updated_pods &&
      std::ranges::none_of(owned, is_of_generation)) {
    generation_.reset();
  }
}

bool TemplateRevision::has_current_generation(const model::Pod& pod) const {
  const model::Text* generation = pod.meta.labels.find(generation_label);
  return generation_ && generation != nullptr && *generation == *generation_;
}

bool TemplateRevision::has_current_hash(const model::Pod& pod) const {
  return !hash_.empty() && revision_hash(pod) == hash_.view();
}

bool TemplateRevision::is_current(const model::Pod& pod) const {
  return has_current_hash(pod) || has_current_generation(pod);
}

}  // namespace dsdoctor::diagnosis
