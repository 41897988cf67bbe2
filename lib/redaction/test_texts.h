#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/cluster.h"

/// Visits every text of a cluster with the path of its field. A field that is new in the model does
/// not compile here before it is named.
namespace dsdoctor::redaction::testing {

inline void fields(model::Taint& of, const auto& visit) {
  auto& [key, value, effect, time_added] = of;
  visit("key value effect time_added", key, value, effect, time_added);
}
inline void fields(model::Toleration& of, const auto& visit) {
  auto& [key, op, value, effect, toleration_seconds] = of;
  visit("key op value effect toleration_seconds", key, op, value, effect, toleration_seconds);
}
inline void fields(model::NodeSelectorRequirement& of, const auto& visit) {
  auto& [key, op, values] = of;
  visit("key op values", key, op, values);
}
inline void fields(model::NodeSelectorTerm& of, const auto& visit) {
  auto& [match_expressions, match_fields] = of;
  visit("match_expressions match_fields", match_expressions, match_fields);
}
inline void fields(model::NodeSelector& of, const auto& visit) {
  auto& [terms] = of;
  visit("terms", terms);
}
inline void fields(model::ControllerRef& of, const auto& visit) {
  auto& [kind, name, uid] = of;
  visit("kind name uid", kind, name, uid);
}
inline void fields(model::FieldManager& of, const auto& visit) {
  auto& [manager, operation, subresource, time, labels, spec, taints, unschedulable, tolerations] =
      of;
  visit("manager operation subresource time labels spec taints unschedulable tolerations", manager,
        operation, subresource, time, labels, spec, taints, unschedulable, tolerations);
}
inline void fields(model::ObjectMeta& of, const auto& visit) {
  auto& [ns, name, uid, resource_version, labels, created, deleted, controller, grace_seconds,
         finalizers, managers] = of;
  visit(
      "ns name uid resource_version labels created deleted controller grace_seconds finalizers "
      "managers",
      ns, name, uid, resource_version, labels, created, deleted, controller, grace_seconds,
      finalizers, managers);
}
inline void fields(model::Condition& of, const auto& visit) {
  auto& [type, status, reason, message, last_transition, last_heartbeat] = of;
  visit("type status reason message last_transition last_heartbeat", type, status, reason, message,
        last_transition, last_heartbeat);
}
inline void fields(model::LabelSelector& of, const auto& visit) {
  auto& [match_labels, match_expressions] = of;
  visit("match_labels match_expressions", match_labels, match_expressions);
}
inline void fields(model::ContainerPort& of, const auto& visit) {
  auto& [container_port, host_port, protocol, host_ip] = of;
  visit("container_port host_port protocol host_ip", container_port, host_port, protocol, host_ip);
}
inline void fields(model::Probe& of, const auto& visit) {
  auto& [handler, initial_delay, period, success_threshold, failure_threshold] = of;
  visit("handler initial_delay period success_threshold failure_threshold", handler, initial_delay,
        period, success_threshold, failure_threshold);
}
inline void fields(model::Container& of, const auto& visit) {
  auto& [name, image, image_pull_policy, restart_policy, requests, limits, ports, startup_probe,
         readiness_probe, liveness_probe, privileged] = of;
  visit(
      "name image image_pull_policy restart_policy requests limits ports startup_probe "
      "readiness_probe liveness_probe privileged",
      name, image, image_pull_policy, restart_policy, requests, limits, ports, startup_probe,
      readiness_probe, liveness_probe, privileged);
}
inline void fields(model::Volume& of, const auto& visit) {
  auto& [name, kind, source, read_only, optional] = of;
  visit("name kind source read_only optional", name, kind, source, read_only, optional);
}
inline void fields(model::PodAffinityTerm& of, const auto& visit) {
  auto& [label_selector, topology_key, namespaces, namespace_selector, match_label_keys,
         mismatch_label_keys] = of;
  visit(
      "label_selector topology_key namespaces namespace_selector match_label_keys "
      "mismatch_label_keys",
      label_selector, topology_key, namespaces, namespace_selector, match_label_keys,
      mismatch_label_keys);
}
inline void fields(model::TopologySpreadConstraint& of, const auto& visit) {
  auto& [topology_key, max_skew, when_unsatisfiable, label_selector, min_domains,
         node_affinity_policy, node_taints_policy, match_label_keys] = of;
  visit(
      "topology_key max_skew when_unsatisfiable label_selector min_domains node_affinity_policy "
      "node_taints_policy match_label_keys",
      topology_key, max_skew, when_unsatisfiable, label_selector, min_domains, node_affinity_policy,
      node_taints_policy, match_label_keys);
}
inline void fields(model::PodResourceClaim& of, const auto& visit) {
  auto& [name, claim_name, template_name] = of;
  visit("name claim_name template_name", name, claim_name, template_name);
}
inline void fields(model::PodSpec& of, const auto& visit) {
  auto& [containers, init_containers, volumes, overhead, requests, limits, pod_affinity,
         pod_anti_affinity, topology_spread, resource_claims, scheduling_gates, readiness_gates,
         image_pull_secrets, service_account, scheduler_name, runtime_class, priority_class,
         preemption_policy, priority, grace_seconds, os, host_pid, host_ipc] = of;
  visit(
      "containers init_containers volumes overhead requests limits pod_affinity pod_anti_affinity "
      "topology_spread resource_claims scheduling_gates readiness_gates image_pull_secrets "
      "service_account scheduler_name runtime_class priority_class preemption_policy priority "
      "grace_seconds os host_pid host_ipc",
      containers, init_containers, volumes, overhead, requests, limits, pod_affinity,
      pod_anti_affinity, topology_spread, resource_claims, scheduling_gates, readiness_gates,
      image_pull_secrets, service_account, scheduler_name, runtime_class, priority_class,
      preemption_policy, priority, grace_seconds, os, host_pid, host_ipc);
}
inline void fields(model::TerminatedState& of, const auto& visit) {
  auto& [exit_code, signal, reason, message, started, finished] = of;
  visit("exit_code signal reason message started finished", exit_code, signal, reason, message,
        started, finished);
}
inline void fields(model::WaitingState& of, const auto& visit) {
  auto& [reason, message] = of;
  visit("reason message", reason, message);
}
inline void fields(model::ContainerStatus& of, const auto& visit) {
  auto& [name, ready, started, restart_count, waiting, running_since, running, terminated,
         last_terminated, requests, allocated_resources] = of;
  visit(
      "name ready started restart_count waiting running_since running terminated last_terminated "
      "requests allocated_resources",
      name, ready, started, restart_count, waiting, running_since, running, terminated,
      last_terminated, requests, allocated_resources);
}
inline void fields(model::Node& of, const auto& visit) {
  auto& [meta, taints, unschedulable, conditions, allocatable, capacity, kubelet_version, os,
         architecture, os_image, kernel_version, container_runtime, provider_id, feature_labels] =
      of;
  visit(
      "meta taints unschedulable conditions allocatable capacity kubelet_version os architecture "
      "os_image kernel_version container_runtime provider_id feature_labels",
      meta, taints, unschedulable, conditions, allocatable, capacity, kubelet_version, os,
      architecture, os_image, kernel_version, container_runtime, provider_id, feature_labels);
}
inline void fields(model::Pod& of, const auto& visit) {
  auto& [meta, node_name, node_affinity, phase, reason, message, conditions, node_selector,
         tolerations, host_network, spec, mirror, nominated_node, qos_class, start_time,
         init_statuses, statuses, resized_requests, allocated_resources] = of;
  visit(
      "meta node_name node_affinity phase reason message conditions node_selector tolerations "
      "host_network spec mirror nominated_node qos_class start_time init_statuses statuses "
      "resized_requests allocated_resources",
      meta, node_name, node_affinity, phase, reason, message, conditions, node_selector,
      tolerations, host_network, spec, mirror, nominated_node, qos_class, start_time, init_statuses,
      statuses, resized_requests, allocated_resources);
}
inline void fields(model::PodTemplate& of, const auto& visit) {
  auto& [labels, node_name, node_selector, node_affinity, tolerations, host_network, spec] = of;
  visit("labels node_name node_selector node_affinity tolerations host_network spec", labels,
        node_name, node_selector, node_affinity, tolerations, host_network, spec);
}
inline void fields(model::SpecEdit& of, const auto& visit) {
  auto& [path, applied, live] = of;
  visit("path applied live", path, applied, live);
}
inline void fields(model::AppliedTemplate& of, const auto& visit) {
  auto& [tolerations, node_affinity] = of;
  visit("tolerations node_affinity", tolerations, node_affinity);
}
inline void fields(model::DaemonSet& of, const auto& visit) {
  auto& [meta, annotations, generation, selector, pod_template, template_fingerprint, edits,
         applied, min_ready_seconds, update_strategy, max_unavailable, max_surge, reported,
         observed_generation] = of;
  visit(
      "meta annotations generation selector pod_template template_fingerprint edits applied "
      "min_ready_seconds update_strategy max_unavailable max_surge reported observed_generation",
      meta, annotations, generation, selector, pod_template, template_fingerprint, edits, applied,
      min_ready_seconds, update_strategy, max_unavailable, max_surge, reported,
      observed_generation);
}
inline void fields(model::ControllerRevision& of, const auto& visit) {
  auto& [meta, revision, template_fingerprint] = of;
  visit("meta revision template_fingerprint", meta, revision, template_fingerprint);
}
inline void fields(model::Event& of, const auto& visit) {
  auto& [meta, kind, ns, name, uid, field_path, type, reason, message, component, host, first, last,
         count] = of;
  visit("meta kind ns name uid field_path type reason message component host first last count",
        meta, kind, ns, name, uid, field_path, type, reason, message, component, host, first, last,
        count);
}
inline void fields(model::Namespace& of, const auto& visit) {
  auto& [meta, annotations, phase, default_tolerations] = of;
  visit("meta annotations phase default_tolerations", meta, annotations, phase,
        default_tolerations);
}
inline void fields(model::ResourceQuota& of, const auto& visit) {
  auto& [meta, hard, used, scopes, scope_selector] = of;
  visit("meta hard used scopes scope_selector", meta, hard, used, scopes, scope_selector);
}
inline void fields(model::LimitRangeItem& of, const auto& visit) {
  auto& [type, min, max, default_limit, default_request, max_ratio] = of;
  visit("type min max default_limit default_request max_ratio", type, min, max, default_limit,
        default_request, max_ratio);
}
inline void fields(model::LimitRange& of, const auto& visit) {
  auto& [meta, limits] = of;
  visit("meta limits", meta, limits);
}
inline void fields(model::PriorityClass& of, const auto& visit) {
  auto& [meta, value, global_default, preemption_policy] = of;
  visit("meta value global_default preemption_policy", meta, value, global_default,
        preemption_policy);
}
inline void fields(model::RuntimeClass& of, const auto& visit) {
  auto& [meta, handler, overhead, node_selector, tolerations] = of;
  visit("meta handler overhead node_selector tolerations", meta, handler, overhead, node_selector,
        tolerations);
}
inline void fields(model::ServiceAccount& of, const auto& visit) {
  auto& [meta, image_pull_secrets] = of;
  visit("meta image_pull_secrets", meta, image_pull_secrets);
}
inline void fields(model::PersistentVolumeClaim& of, const auto& visit) {
  auto& [meta, access_modes, volume_name, storage_class, phase, selected_node, requests] = of;
  visit("meta access_modes volume_name storage_class phase selected_node requests", meta,
        access_modes, volume_name, storage_class, phase, selected_node, requests);
}
inline void fields(model::PersistentVolume& of, const auto& visit) {
  auto& [meta, node_affinity, access_modes, storage_class, phase, driver, claim_ns, claim_name,
         capacity] = of;
  visit("meta node_affinity access_modes storage_class phase driver claim_ns claim_name capacity",
        meta, node_affinity, access_modes, storage_class, phase, driver, claim_ns, claim_name,
        capacity);
}
inline void fields(model::StorageClass& of, const auto& visit) {
  auto& [meta, provisioner, binding_mode, allowed_topologies] = of;
  visit("meta provisioner binding_mode allowed_topologies", meta, provisioner, binding_mode,
        allowed_topologies);
}
inline void fields(model::CsiDriverOnNode& of, const auto& visit) {
  auto& [name, limit] = of;
  visit("name limit", name, limit);
}
inline void fields(model::CsiNode& of, const auto& visit) {
  auto& [meta, drivers] = of;
  visit("meta drivers", meta, drivers);
}
inline void fields(model::Lease& of, const auto& visit) {
  auto& [meta, holder, duration, renewed] = of;
  visit("meta holder duration renewed", meta, holder, duration, renewed);
}
inline void fields(model::PolicyRule& of, const auto& visit) {
  auto& [verbs, api_groups, resources, resource_names] = of;
  visit("verbs api_groups resources resource_names", verbs, api_groups, resources, resource_names);
}
inline void fields(model::ClusterRole& of, const auto& visit) {
  auto& [meta, rules] = of;
  visit("meta rules", meta, rules);
}
inline void fields(model::Subject& of, const auto& visit) {
  auto& [kind, ns, name] = of;
  visit("kind ns name", kind, ns, name);
}
inline void fields(model::ClusterRoleBinding& of, const auto& visit) {
  auto& [meta, role, subjects] = of;
  visit("meta role subjects", meta, role, subjects);
}
inline void fields(model::ServerVersion& of, const auto& visit) {
  auto& [major, minor, patch, git_version] = of;
  visit("major minor patch git_version", major, minor, patch, git_version);
}
inline void fields(model::Cluster& of, const auto& visit) {
  auto& [nodes, daemon_sets, pods, revisions, version, events, namespaces, resource_quotas,
         limit_ranges, priority_classes, runtime_classes, service_accounts, claims, volumes,
         storage_classes, csi_nodes, leases, cluster_roles, cluster_role_bindings, nodes_known,
         pods_known, revisions_known, known, all_pods_known, crowded_nodes] = of;
  visit(
      "nodes daemon_sets pods revisions version events namespaces resource_quotas limit_ranges "
      "priority_classes runtime_classes service_accounts claims volumes storage_classes csi_nodes "
      "leases cluster_roles cluster_role_bindings nodes_known pods_known revisions_known known "
      "all_pods_known crowded_nodes",
      nodes, daemon_sets, pods, revisions, version, events, namespaces, resource_quotas,
      limit_ranges, priority_classes, runtime_classes, service_accounts, claims, volumes,
      storage_classes, csi_nodes, leases, cluster_roles, cluster_role_bindings, nodes_known,
      pods_known, revisions_known, known, all_pods_known, crowded_nodes);
}
inline void fields(model::Omission& of, const auto& visit) {
  auto& [resource, ns, reason, message, consequence] = of;
  visit("resource ns reason message consequence", resource, ns, reason, message, consequence);
}
inline void fields(model::Warning& of, const auto& visit) {
  auto& [where, what] = of;
  visit("where what", where, what);
}
inline void fields(model::SourceInfo& of, const auto& visit) {
  auto& [kind, context, server, paths, server_version, read_at, saved_from] = of;
  visit("kind context server paths server_version read_at saved_from", kind, context, server, paths,
        server_version, read_at, saved_from);
}

/// Makes one element in every list, a value in every optional, and one entry in every map; then
/// replaces every text by what `text_for(path)` gives. Keys of maps end in ".key".
template <typename TextFor>
class Filler {
 public:
  explicit Filler(TextFor text_for) : text_for_(std::move(text_for)) {}

  template <typename T>
  void fill(T& value, const std::string& path) {
    if constexpr (std::is_same_v<T, model::Text> || std::is_same_v<T, std::string>) {
      value = T(text_for_(path));
    } else if constexpr (requires { fields(value, *this); }) {
      fields(value, [&](std::string_view names, auto&... members) {
        (fill(members, path + "." + next(names)), ...);
      });
    }
  }
  template <typename T>
  void fill(std::vector<T>& list, const std::string& path) {
    if (list.empty()) list.emplace_back();
    for (T& element : list) fill(element, path);
  }
  template <typename T>
  void fill(std::optional<T>& value, const std::string& path) {
    if constexpr (std::is_class_v<T>) fill(value ? *value : value.emplace(), path);
  }
  template <typename T>
  void fill(model::Shared<T>& shared, const std::string& path) {
    T copy = *shared;
    fill(copy, path);
    shared = std::move(copy);
  }
  void fill(model::Labels& labels, const std::string& path) {
    model::Text key(text_for_(path + ".key"));
    model::Text value(text_for_(path + ".value"));
    labels = {{std::move(key), std::move(value)}};
  }

 private:
  static std::string next(std::string_view& names) {
    const std::size_t end = std::min(names.find(' '), names.size());
    std::string first(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    return first;
  }

  TextFor text_for_;
};

}  // namespace dsdoctor::redaction::testing
