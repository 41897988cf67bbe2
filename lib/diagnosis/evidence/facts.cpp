// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "diagnosis/controller/control_leases.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/workload_kind.h"
#include "scheduling/messages.h"

namespace dsdoctor::diagnosis {
namespace {

const Facts::Pods no_pods;

template <typename Object>
const Object* find_named(const std::vector<Object>& objects, std::string_view ns,
                         std::string_view name) {
  const auto key = [](const Object& object) {
    return std::tuple(object.meta.ns.view(), object.meta.name.view());
  };
  const auto at = std::ranges::lower_bound(objects, std::tuple(ns, name), {}, key);
  return at != objects.end() && key(*at) == std::tuple(ns, name) ? &*at : nullptr;
}

bool is_about(const model::Event& event, std::string_view kind, std::string_view ns,
              std::string_view name) {
  return event.kind == kind && event.name == name && (kind == "Node" || event.ns == ns);
}

// Lengths in generated names. Source of truth: k8s.io/apiserver/pkg/storage/names/generate.go.
constexpr std::size_t random_suffix = 5;
constexpr std::size_t longest_prefix = 63 - random_suffix;

/// A key that is equal for nodes with the same room and the same text of allocatable resources.
std::string content_of(const model::Labels& allocatable, const scheduling::NodeRoom& room) {
  std::string result = std::to_string(room.pods);
  for (const auto& [name, amount] : allocatable) {
    result.append(1, '\n').append(name.view()).append(1, '=').append(amount.view());
  }
  for (const auto& [name, amount] : room.used) {
    result.append(1, '\t').append(name).append(1, '=').append(std::to_string(amount));
  }
  return result;
}

model::Time time_of(const model::Event& event) { return event.last.value_or(model::Time{}); }

}  // namespace

void sort_by_time(Facts::Events& events) {
  // The events are elements of one vector: the order of their addresses is that of the cluster.
  std::ranges::sort(events, {},
                    [](const auto* event) { return std::pair(time_of(*event), event); });
  events.erase(std::unique(events.begin(), events.end()), events.end());
}

Facts::Facts(const model::Cluster& cluster, model::Time now, bool is_earliest)
    : cluster_(cluster),
      now_(now),
      is_now_earliest_(is_earliest),
      neighbourhood_(
          cluster, [this](std::string_view node) -> const Pods& { return pods_on(node); },
          anti_affine_pods_) {
  for (const model::Pod& pod : cluster.pods) {
    const bool over = pod.phase == "Succeeded" || pod.phase == "Failed";
    if (over) continue;
    if (pod.node_name.empty()) {
      if (!pod.nominated_node.empty()) nominated_[pod.nominated_node].push_back(&pod);
      continue;
    }
    pods_by_node_[pod.node_name].push_back(&pod);
    if (!pod.spec->pod_anti_affinity.empty()) anti_affine_pods_.push_back(&pod);
  }
  for (const model::Event& event : cluster.events) {
    events_by_name_[event.name].push_back(&event);
    const std::string_view name = event.name;
    if (event.kind == "Pod" && name.size() > random_suffix) {
      pod_events_by_prefix_[name.substr(0, name.size() - random_suffix)].push_back(&event);
    }
  }
}

const Facts::Pods& Facts::pods_on(std::string_view node) const {
  const auto found = pods_by_node_.find(node);
  return found == pods_by_node_.end() ? no_pods : found->second;
}

std::size_t Facts::ready_replicas(const model::Pod& pod) const {
  const auto key_of = [](const model::Pod& of) {
    return fmt::format("{}/{}/{}", of.meta.ns.view(), of.meta.controller->kind.view(),
                       of.meta.controller->name.view());
  };
  if (!pod.meta.controller) return 0;
  if (!ready_by_controller_) {
    auto& counts = ready_by_controller_.emplace();
    for (const model::Pod& each : cluster_.pods) {
      if (each.meta.controller && !each.meta.deleted && is_ready(each)) ++counts[key_of(each)];
    }
  }
  const auto found = ready_by_controller_->find(key_of(pod));
  return found == ready_by_controller_->end() ? 0 : found->second;
}

model::OptionalTime Facts::last_killing_on(std::string_view node) const {
  if (!killings_) {
    auto& latest = killings_.emplace();
    for (const model::Event& event : cluster_.events) {
      if (event.host.empty() || event.reason != "Killing" || !event.last) continue;
      model::Time& last = latest.try_emplace(event.host.view(), *event.last).first->second;
      last = std::max(last, *event.last);
    }
  }
  const auto found = killings_->find(node);
  return found == killings_->end() ? std::nullopt : model::OptionalTime(found->second);
}

const model::ClusterRelease& Facts::release() const {
  if (!release_) release_ = model::release_of(cluster_);
  return *release_;
}

bool Facts::is_known_to_apply(model::ReleaseRule rule) const {
  return release().source != model::ReleaseSource::Unknown && applies(rule, release().release);
}

scheduling::CountedBy Facts::counted_by() const {
  return scheduling::counted_by(release().release);
}

std::optional<model::Time::duration> Facts::controller_manager_silence() const {
  if (!silence_) silence_ = diagnosis::controller_manager_silence(cluster_, now_);
  return *silence_;
}

bool Facts::is_controller_behind_on_all() const {
  if (is_behind_on_all_) return *is_behind_on_all_;
  const auto& all = cluster_.daemon_sets;
  const bool none = std::ranges::none_of(all, [&](const model::DaemonSet& ds) {
    const bool young = ds.meta.created && now_ - *ds.meta.created < slack_of_all;
    return young || ds.meta.uid.empty() || ds.generation <= ds.observed_generation;
  });
  const bool is_long = std::ranges::any_of(all, [&](const model::DaemonSet& ds) {
    const auto writer = spec_writer(ds.meta);
    const auto& changed = writer ? writer->not_later_than : ds.meta.created;
    return ds.observed_generation == 0 || !changed || now_ - *changed >= observing_slack;
  });
  is_behind_on_all_ = none && is_long && all.size() > 1;
  return *is_behind_on_all_;
}

std::size_t Facts::processed_daemon_sets() const {
  if (!processed_) {
    processed_ =
        static_cast<std::size_t>(std::ranges::count_if(cluster_.daemon_sets, is_processed));
  }
  return *processed_;
}

const std::vector<const model::DaemonSet*>& Facts::daemon_sets_in(std::string_view ns) const {
  static const std::vector<const model::DaemonSet*> none;
  if (daemon_sets_.empty()) {
    for (const model::DaemonSet& ds : cluster_.daemon_sets) daemon_sets_[ds.meta.ns].push_back(&ds);
  }
  const auto found = daemon_sets_.find(ns);
  return found == daemon_sets_.end() ? none : found->second;
}

const scheduling::NodeRoom& Facts::room_on(const model::Node& node) const {
  const std::vector<model::Node>& nodes = cluster_.nodes;
  const bool is_of_cluster = &node >= nodes.data() && &node < nodes.data() + nodes.size();
  rooms_by_node_.resize(nodes.size() + 1);
  const std::size_t index =
      is_of_cluster ? static_cast<std::size_t>(&node - nodes.data()) : nodes.size();
  const scheduling::NodeRoom*& known = rooms_by_node_[index];
  if (known == nullptr || !is_of_cluster) {
    scheduling::NodeRoom room = scheduling::room_of(node, pods_on(node.meta.name), counted_by());
    std::string key = content_of(node.allocatable, room);
    known = &rooms_.try_emplace(std::move(key), std::move(room)).first->second;
  }
  return *known;
}

const Facts::PlainNode& Facts::plain_node(const model::Node& node) const {
  plain_nodes_.resize(cluster_.nodes.size());
  auto& known = plain_nodes_[static_cast<std::size_t>(&node - cluster_.nodes.data())];
  if (!known) {
    const bool is_plain = !node.unschedulable && knows_all_pods_on(node.meta.name);
    known = {.is_sized = !node.allocatable.empty(), .room = is_plain ? &room_on(node) : nullptr};
  }
  return *known;
}

const std::vector<const model::DaemonSet*>& Facts::network_plugins() const {
  if (!network_plugins_) {
    auto& plugins = network_plugins_.emplace();
    for (const model::DaemonSet& ds : cluster_.daemon_sets) {
      if (!ds.meta.deleted && is_network_plugin(ds)) plugins.push_back(&ds);
    }
  }
  return *network_plugins_;
}

const RevisionIndex& Facts::revisions() const {
  if (!revisions_) revisions_.emplace(cluster_.revisions);
  return *revisions_;
}

const ProgramIndex& Facts::programs() const {
  if (!programs_) programs_.emplace(cluster_);
  return *programs_;
}

bool Facts::has_scheduled(const model::Text& scheduler) const {
  if (!schedulers_) {
    schedulers_.emplace();
    for (const model::Pod& pod : cluster_.pods) {
      const bool processed =
          is_bound(pod) || model::find_condition(pod.conditions, "PodScheduled") != nullptr;
      if (processed) schedulers_->insert(pod.spec->scheduler_name.view());
    }
  }
  return schedulers_->contains(scheduler.view());
}

model::OptionalTime Facts::last_creation() const {
  if (!last_creation_) {
    model::OptionalTime& latest = last_creation_.emplace();
    const auto keep = [&](const model::OptionalTime& time) {
      if (time && (!latest || *time > *latest)) latest = time;
    };
    for (const model::Pod& pod : cluster_.pods) {
      if (pod.meta.controller && model::is_daemon_set(*pod.meta.controller)) keep(pod.meta.created);
    }
    for (const model::Event& event : cluster_.events) {
      const bool is_creation = event.reason == "SuccessfulCreate" || event.reason == "FailedCreate";
      if (is_creation && event.kind == "DaemonSet") keep(event.last);
    }
  }
  return *last_creation_;
}

bool Facts::was_left_without_pods(const model::DaemonSet& ds) const {
  const model::OptionalTime& created = ds.meta.created;
  if (ds.meta.deleted || !is_processed(ds) || !created) return false;
  if (ds.reported.desired_number_scheduled == 0 || ds.reported.current_number_scheduled > 0) {
    return false;
  }
  const model::OptionalTime last = last_creation();
  return *created + creating_slack <= now_ && (!last || *last <= *created);
}

std::int64_t Facts::left_without_pods() const {
  if (!without_pods_) {
    without_pods_ = std::ranges::count_if(cluster_.daemon_sets, [this](const model::DaemonSet& ds) {
      return was_left_without_pods(ds);
    });
  }
  return *without_pods_;
}

const Facts::LabelsOfNodes& Facts::labels_of_nodes() const {
  if (!labels_of_nodes_) {
    labels_of_nodes_.emplace();
    for (const model::Node& node : cluster_.nodes) {
      for (const auto& [key, value] : node.meta.labels) {
        (*labels_of_nodes_)[key.view()].try_emplace(value.view(), &node);
      }
    }
  }
  return *labels_of_nodes_;
}

const Facts::Pods& Facts::nominated_to(std::string_view node) const {
  const auto found = nominated_.find(node);
  return found == nominated_.end() ? no_pods : found->second;
}

bool Facts::knows_all_pods_on(std::string_view node) const {
  return scheduling::knows_pods_on(cluster_, node);
}

bool Facts::has_pods_of_one_namespace() const {
  if (!cluster_.all_pods_known || !cluster_.all_pods_assumed) return false;
  if (!has_pods_of_one_namespace_) {
    const auto& pods = cluster_.pods;
    const auto is_of_first = [&](const model::Pod& pod) {
      return pod.meta.ns == pods.front().meta.ns;
    };
    has_pods_of_one_namespace_ = !pods.empty() && std::ranges::all_of(pods, is_of_first);
  }
  return *has_pods_of_one_namespace_;
}

bool Facts::has_every_pod_on(std::string_view node) const {
  return knows_all_pods_on(node) && !has_pods_of_one_namespace();
}

Facts::PodGroupMembers& Facts::members_of(std::string_view ns, std::string_view name) const {
  if (!pod_groups_) {
    pod_groups_.emplace();
    for (const model::Pod& pod : cluster_.pods) {
      const model::Text& group = pod.spec->pod_group;
      if (group.empty() || is_terminal(pod)) continue;
      (*pod_groups_)[{pod.meta.ns, group}].pods.push_back(&pod);
    }
  }
  return (*pod_groups_)[{ns, name}];
}

const Facts::Pods& Facts::pods_of_group(std::string_view ns, std::string_view name) const {
  return members_of(ns, name).pods;
}

PodGroupState Facts::pod_group_of(const model::Pod& pod) const {
  const model::Text& name = pod.spec->pod_group;
  PodGroupState state;
  if (!pod.spec->workload.empty()) state.hold = PodGroupHold::Unknown;  // Workloads are not read
  if (name.empty()) return state;
  state.group = find_named(cluster_.pod_groups, pod.meta.ns, name);
  state.pods = pods_of_group(pod.meta.ns, name).size();
  const bool knows_members = cluster_.all_pods_known || cluster_.known.pod_group_members;
  if (state.group == nullptr) {
    state.hold = cluster_.known.pod_groups ? PodGroupHold::Missing : PodGroupHold::Unknown;
  } else if (static_cast<std::int64_t>(state.pods) < state.group->min_count.value_or(0)) {
    state.hold = knows_members ? PodGroupHold::Short : PodGroupHold::Unknown;
  } else {
    state.hold = state.group->parent.empty() ? PodGroupHold::None : PodGroupHold::Unknown;
  }
  return state;
}

const model::Pod* Facts::first_rejected_of_group(std::string_view ns, std::string_view name) const {
  PodGroupMembers& members = members_of(ns, name);
  if (members.first_rejected) return *members.first_rejected;
  const auto is_rejected = [](const model::Pod* pod) {
    const auto said = model::find_condition(pod->conditions, "PodScheduled");
    return !is_bound(*pod) && said != nullptr && said->status == "False" &&
           !scheduling::parse_scheduler_message(said->message).reasons.empty();
  };
  const auto does_not_fit = [&](const model::Pod* pod) {
    const model::Text* target = is_bound(*pod) ? nullptr : target_node(*pod);
    const model::Node* node = target == nullptr ? nullptr : model::find_node(cluster_, *target);
    if (node == nullptr || !knows_all_pods_on(node->meta.name)) return false;
    return !scheduling::fits_in(scheduling::pod_requests(*pod, scheduling::CountedBy::Spec),
                                room_on(*node), cluster_.device_classes);
  };
  auto at = std::ranges::find_if(members.pods, is_rejected);
  if (at == members.pods.end()) at = std::ranges::find_if(members.pods, does_not_fit);
  members.first_rejected = at == members.pods.end() ? nullptr : *at;
  return *members.first_rejected;
}

Facts::Events Facts::events_of(std::string_view kind, std::string_view ns, std::string_view name,
                               const model::UniqueText& uid) const {
  Events result;
  const auto found = events_by_name_.find(name);
  if (found == events_by_name_.end()) return result;
  // In events of nodes the kubelet sets the UID to the node's name, or leaves it empty.
  const bool by_uid = kind != "Node" && !uid.empty();
  std::ranges::copy_if(found->second, std::back_inserter(result), [&](const model::Event* event) {
    if (!is_about(*event, kind, ns, name)) return false;
    return !by_uid || event->uid.empty() || event->uid == uid;
  });
  sort_by_time(result);
  return result;
}

Facts::Events Facts::events_of_pods(std::string_view ns, std::string_view prefix) const {
  Events result;
  for (const model::Event& event : cluster_.events) {
    if (event.kind == "Pod" && event.ns == ns && event.name.view().starts_with(prefix)) {
      result.push_back(&event);
    }
  }
  sort_by_time(result);
  return result;
}

Facts::Events Facts::events_of_generated_pods(std::string_view ns, std::string_view prefix) const {
  Events result;
  const auto found = pod_events_by_prefix_.find(prefix.substr(0, longest_prefix));
  if (found == pod_events_by_prefix_.end()) return result;
  std::ranges::copy_if(found->second, std::back_inserter(result), [&](const model::Event* event) {
    // "agent-b" + "-12345" is not generated from "agent-": a random suffix has no dash.
    const std::string_view suffix =
        event->name.view().substr(event->name.view().size() - random_suffix);
    return event->ns == ns && suffix.find('-') == std::string_view::npos;
  });
  sort_by_time(result);
  return result;
}

const model::Namespace* Facts::ns(std::string_view name) const {
  return find_named(cluster_.namespaces, "", name);
}
const model::PriorityClass* Facts::priority_class(std::string_view name) const {
  return find_named(cluster_.priority_classes, "", name);
}
const model::RuntimeClass* Facts::runtime_class(std::string_view name) const {
  return find_named(cluster_.runtime_classes, "", name);
}
const model::ServiceAccount* Facts::service_account(std::string_view ns,
                                                    std::string_view name) const {
  return find_named(cluster_.service_accounts, ns, name);
}
const model::PersistentVolumeClaim* Facts::claim(std::string_view ns, std::string_view name) const {
  return find_named(cluster_.claims, ns, name);
}
const model::PersistentVolume* Facts::volume(std::string_view name) const {
  return find_named(cluster_.volumes, "", name);
}
const model::StorageClass* Facts::storage_class(std::string_view name) const {
  return find_named(cluster_.storage_classes, "", name);
}
const model::CsiNode* Facts::csi_node(std::string_view name) const {
  return find_named(cluster_.csi_nodes, "", name);
}
const model::Lease* Facts::lease(std::string_view ns, std::string_view name) const {
  return find_named(cluster_.leases, ns, name);
}

}  // namespace dsdoctor::diagnosis
