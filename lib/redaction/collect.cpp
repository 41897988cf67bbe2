#include <fmt/format.h>

#include <set>
#include <string>

#include "redaction/fields.h"

namespace dsdoctor::redaction {
namespace {

using Names = std::set<std::string>;

void add(Names& into, const model::Text& name) {
  if (!name.empty()) into.insert(name.str());
}

template <typename Object>
void add_all(Names& into, const std::vector<Object>& objects) {
  for (const Object& object : objects) add(into, object.meta.name);
}

void add_node_fields(Names& into, const std::optional<model::NodeSelector>& selector) {
  if (!selector) return;
  for (const model::NodeSelectorTerm& term : selector->terms) {
    for (const auto& requirement : term.match_fields) {
      for (const model::Text& value : requirement.values) add(into, value);
    }
  }
}

/// Those that exist, and those that something is bound to or asks for.
Names node_names(const model::Cluster& cluster) {
  Names names;
  add_all(names, cluster.nodes);
  add_all(names, cluster.csi_nodes);
  for (const model::Pod& pod : cluster.pods) {
    add(names, pod.node_name);
    add(names, pod.nominated_node);
    add_node_fields(names, pod.node_affinity);
  }
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    add(names, ds.pod_template.node_name);
    add_node_fields(names, ds.pod_template.node_affinity);
  }
  for (const model::Event& event : cluster.events) {
    if (event.kind == "Node") add(names, event.name);
    add(names, event.host);
  }
  for (const auto& claim : cluster.claims) add(names, claim.selected_node);
  return names;
}

Names host_names(const model::Cluster& cluster) {
  Names names;
  for (const model::Node& node : cluster.nodes) {
    if (const model::Text* host = node.meta.labels.find("kubernetes.io/hostname")) {
      add(names, *host);
    }
  }
  return names;
}

template <typename Object>
void add_namespaces(Names& into, const std::vector<Object>& objects) {
  for (const Object& object : objects) add(into, object.meta.ns);
}

Names namespace_names(const model::Cluster& cluster) {
  Names names;
  add_all(names, cluster.namespaces);
  add_namespaces(names, cluster.daemon_sets);
  add_namespaces(names, cluster.pods);
  add_namespaces(names, cluster.revisions);
  add_namespaces(names, cluster.events);
  add_namespaces(names, cluster.service_accounts);
  for (const auto& binding : cluster.cluster_role_bindings) {
    for (const auto& subject : binding.subjects) add(names, subject.ns);
  }
  std::erase_if(names, [](const std::string& name) { return name.starts_with("kube-"); });
  return names;
}

Names daemon_set_names(const model::Cluster& cluster) {
  Names names;
  add_all(names, cluster.daemon_sets);
  const auto add_owner = [&](const model::ObjectMeta& meta) {
    if (meta.controller && meta.controller->kind == "DaemonSet") add(names, meta.controller->name);
  };
  for (const model::Pod& pod : cluster.pods) add_owner(pod.meta);
  for (const auto& revision : cluster.revisions) add_owner(revision.meta);
  for (const model::Event& event : cluster.events) {
    if (event.kind == "DaemonSet") add(names, event.name);
  }
  return names;
}

Names other_owners(const model::Cluster& cluster) {
  Names names;
  for (const model::Pod& pod : cluster.pods) {
    if (pod.meta.controller && pod.meta.controller->kind != "DaemonSet") {
      add(names, pod.meta.controller->name);
    }
  }
  return names;
}

/// A pod is named after its DaemonSet, with a number in place of the random letters.
void add_daemon_pods(const model::Cluster& cluster, Pseudonyms& into) {
  const std::size_t width = std::to_string(cluster.pods.size()).size();
  std::size_t number = 0;
  for (const model::Pod& pod : cluster.pods) {
    ++number;
    if (!pod.meta.controller || pod.meta.controller->kind != "DaemonSet") continue;
    into.add_as(
        pod.meta.name.str(),
        fmt::format("{}-p{:0{}}", into.name(pod.meta.controller->name).view(), number, width));
  }
}

Names other_names(const model::Cluster& cluster) {
  Names names;
  add_all(names, cluster.resource_quotas);
  add_all(names, cluster.limit_ranges);
  add_all(names, cluster.priority_classes);
  add_all(names, cluster.runtime_classes);
  add_all(names, cluster.service_accounts);
  add_all(names, cluster.claims);
  add_all(names, cluster.volumes);
  add_all(names, cluster.storage_classes);
  add_all(names, cluster.leases);
  add_all(names, cluster.cluster_roles);
  add_all(names, cluster.cluster_role_bindings);
  const auto add_spec = [&](const model::PodSpec& spec) {
    add(names, spec.service_account);
    add(names, spec.priority_class);
    add(names, spec.runtime_class);
    for (const model::Text& name : spec.image_pull_secrets) add(names, name);
    for (const model::Volume& volume : spec.volumes) {
      const bool refers = volume.kind == "secret" || volume.kind == "configMap" ||
                          volume.kind == "persistentVolumeClaim";
      if (refers) add(names, volume.source);
    }
  };
  for (const model::Pod& pod : cluster.pods) add_spec(*pod.spec);
  for (const model::DaemonSet& ds : cluster.daemon_sets) add_spec(ds.pod_template.spec);
  for (const auto& account : cluster.service_accounts) {
    for (const model::Text& name : account.image_pull_secrets) add(names, name);
  }
  return names;
}

}  // namespace

Pseudonyms pseudonyms_for(const model::Cluster& cluster) {
  Pseudonyms result;
  result.add("node", node_names(cluster));
  result.add("host", host_names(cluster));
  result.add("namespace", namespace_names(cluster));
  result.add("daemonset", daemon_set_names(cluster));
  result.add("workload", other_owners(cluster));
  add_daemon_pods(cluster, result);
  Names pods;
  add_all(pods, cluster.pods);
  for (const model::Event& event : cluster.events) {
    if (event.kind == "Pod") add(pods, event.name);
  }
  result.add("pod", pods);
  result.add("object", other_names(cluster));
  return result;
}

}  // namespace dsdoctor::redaction
