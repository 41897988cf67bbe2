#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>

#include "redaction/fields.h"
#include "redaction/image_name.h"
#include "redaction/mentions.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {
namespace {

using Names = std::set<std::string>;

void add(Names& into, std::string_view name) {
  if (!name.empty()) into.emplace(name);
}

void add(Names& into, const std::vector<model::Text>& names) {
  for (const model::Text& name : names) add(into, name);
}

template <typename Object>
void add_all(Names& into, const std::vector<Object>& objects) {
  for (const Object& object : objects) add(into, object.meta.name);
}

/// Of the objects around nodes, DaemonSets and pods. Of events only what they are about has a name.
void each_meta_around(const model::Cluster& cluster, const auto& visit) {
  const auto all = [&](const auto& objects) {
    for (const auto& object : objects) visit(object.meta);
  };
  all(cluster.resource_quotas);
  all(cluster.limit_ranges);
  all(cluster.priority_classes);
  all(cluster.runtime_classes);
  all(cluster.service_accounts);
  all(cluster.claims);
  all(cluster.volumes);
  all(cluster.storage_classes);
  all(cluster.leases);
  all(cluster.cluster_roles);
  all(cluster.cluster_role_bindings);
}

void each_meta(const model::Cluster& cluster, const auto& visit) {
  const auto all = [&](const auto& objects) {
    for (const auto& object : objects) visit(object.meta);
  };
  all(cluster.nodes);
  all(cluster.daemon_sets);
  all(cluster.pods);
  all(cluster.revisions);
  all(cluster.events);
  all(cluster.namespaces);
  all(cluster.csi_nodes);
  each_meta_around(cluster, visit);
}

/// Those of templates and pods; each once, though thousands of pods share it.
void each_spec(const model::Cluster& cluster, const auto& visit) {
  for (const model::DaemonSet& ds : cluster.daemon_sets) visit(ds.pod_template.spec);
  std::unordered_set<const model::PodSpec*> seen;
  for (const model::Pod& pod : cluster.pods) {
    if (seen.insert(&*pod.spec).second) visit(*pod.spec);
  }
}

void each_container(const model::PodSpec& spec, const auto& visit) {
  for (const auto* list : {&spec.containers, &spec.init_containers}) {
    for (const model::Container& container : *list) visit(container);
  }
}

void add_node_fields(Names& into, const std::vector<model::NodeSelectorTerm>& terms) {
  for (const model::NodeSelectorTerm& term : terms) {
    for (const auto& requirement : term.match_fields) add(into, requirement.values);
  }
}

void add_node_fields(Names& into, const std::optional<model::NodeSelector>& selector) {
  if (selector) add_node_fields(into, selector->terms);
}

/// Those that exist, and those that something is bound to or asks for.
Names node_names(const model::Cluster& cluster) {
  Names names;
  add_all(names, cluster.nodes);
  add_all(names, cluster.csi_nodes);
  add(names, cluster.crowded_nodes);
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
  for (const auto& volume : cluster.volumes) add_node_fields(names, volume.node_affinity);
  for (const auto& storage : cluster.storage_classes) {
    add_node_fields(names, storage.allowed_topologies);
  }
  return names;
}

/// "host_0a1b.." holds a lease.
Names host_names(const model::Cluster& cluster) {
  Names names;
  for (const model::Node& node : cluster.nodes) {
    if (const model::Text* host = node.meta.labels.find("kubernetes.io/hostname")) {
      add(names, *host);
    }
  }
  for (const model::Lease& lease : cluster.leases) {
    const std::string_view holder = lease.holder;
    add(names, holder.substr(0, holder.find('_')));
  }
  return names;
}

/// What a cloud calls a node: the end of its provider id.
Names instance_names(const model::Cluster& cluster) {
  constexpr std::size_t told_from_words = 4;  // Azure numbers them: ".../virtualMachines/0"
  Names names;
  for (const model::Node& node : cluster.nodes) {
    const std::string_view id = node.provider_id;
    const std::string_view end = id.substr(id.rfind('/') + 1);
    if (end.size() >= told_from_words) add(names, end);
  }
  return names;
}

Names namespace_names(const model::Cluster& cluster) {
  Names names;
  add_all(names, cluster.namespaces);
  each_meta(cluster, [&](const model::ObjectMeta& meta) { add(names, meta.ns); });
  for (const model::Event& event : cluster.events) add(names, event.ns);
  for (const auto& volume : cluster.volumes) add(names, volume.claim_ns);
  for (const auto& binding : cluster.cluster_role_bindings) {
    for (const auto& subject : binding.subjects) add(names, subject.ns);
  }
  each_spec(cluster, [&](const model::PodSpec& spec) {
    for (const auto* terms : {&spec.pod_affinity, &spec.pod_anti_affinity}) {
      for (const model::PodAffinityTerm& term : *terms) add(names, term.namespaces);
    }
  });
  return names;
}

Names daemon_set_names(const model::Cluster& cluster) {
  Names names;
  add_all(names, cluster.daemon_sets);
  each_meta(cluster, [&](const model::ObjectMeta& meta) {
    if (meta.controller && meta.controller->kind == "DaemonSet") add(names, meta.controller->name);
  });
  for (const auto& revision : cluster.revisions) {  // "agent-7d9f6c8b5"
    add(names, revision.meta.name.view().substr(0, revision.meta.name.view().rfind('-')));
  }
  for (const model::Event& event : cluster.events) {
    if (event.kind == "DaemonSet") add(names, event.name);
  }
  return names;
}

Names other_owners(const model::Cluster& cluster) {
  Names names;
  each_meta(cluster, [&](const model::ObjectMeta& meta) {
    if (meta.controller && meta.controller->kind != "DaemonSet") add(names, meta.controller->name);
  });
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

/// Pods without their owner, and those that only events still tell of, keep the form of a name by
/// which they are known for a DaemonSet's: its own, a dash and five random letters.
void add_lost_pods(const model::Cluster& cluster, const Names& daemon_sets, Pseudonyms& into) {
  const auto add_generated = [&](std::string_view name) {
    constexpr std::size_t random_letters = 5;
    const std::size_t dash = name.rfind('-');
    if (dash == name.npos || name.size() - dash - 1 != random_letters) return;
    const std::string owner(name.substr(0, dash));
    if (!daemon_sets.contains(owner)) return;
    into.add_as(std::string(name),
                into.name(model::Text(owner)).str() + std::string(name.substr(dash)));
  };
  for (const model::Pod& pod : cluster.pods) {
    if (!pod.meta.controller) add_generated(pod.meta.name);
  }
  for (const model::Event& event : cluster.events) {
    if (event.kind == "Pod") add_generated(event.name);
  }
}

/// The claim of an ephemeral volume is found by the names of pod and volume.
void add_ephemeral_claims(const model::Cluster& cluster, Pseudonyms& into) {
  for (const model::Pod& pod : cluster.pods) {
    for (const model::Volume& volume : pod.spec->volumes) {
      if (volume.kind != "ephemeral") continue;
      into.add_as(pod.meta.name.str() + "-" + volume.name.str(),
                  into.name(pod.meta.name).str() + "-" + into.value(volume.name).str());
    }
  }
}

/// What of a volume's source is a name, and no path.
bool is_object(const model::Volume& volume) {
  return volume.kind != "hostPath" && volume.kind != "nfs" && volume.kind != "cephfs" &&
         volume.kind != "glusterfs" && volume.kind != "csi" && volume.kind != "flexVolume";
}

void add_references(Names& names, const model::PodSpec& spec) {
  add(names, spec.service_account);
  add(names, spec.priority_class);
  add(names, spec.runtime_class);
  add(names, spec.image_pull_secrets);
  for (const model::Volume& volume : spec.volumes) {
    if (is_object(volume)) add(names, volume.source);
  }
  for (const model::PodResourceClaim& claim : spec.resource_claims) {
    add(names, claim.name);
    add(names, claim.claim_name);
    add(names, claim.template_name);
  }
}

Names other_names(const model::Cluster& cluster) {
  Names names;
  each_meta_around(cluster, [&](const model::ObjectMeta& meta) { add(names, meta.name); });
  for (const model::Event& event : cluster.events) {
    const bool named = event.kind == "Pod" || event.kind == "Node" || event.kind == "DaemonSet";
    if (!named) add(names, event.name);
  }
  each_spec(cluster, [&](const model::PodSpec& spec) { add_references(names, spec); });
  for (const auto& quota : cluster.resource_quotas) {
    for (const auto& requirement : quota.scope_selector) add(names, requirement.values);
  }
  for (const auto& account : cluster.service_accounts) add(names, account.image_pull_secrets);
  for (const auto& claim : cluster.claims) {
    add(names, claim.volume_name);
    add(names, claim.storage_class);
  }
  for (const auto& volume : cluster.volumes) {
    add(names, volume.storage_class);
    add(names, volume.claim_name);
  }
  for (const auto& role : cluster.cluster_roles) {
    for (const auto& rule : role.rules) add(names, rule.resource_names);
  }
  for (const auto& binding : cluster.cluster_role_bindings) add(names, binding.role);
  return names;
}

Names user_names(const model::Cluster& cluster, const Mentions& mentioned) {
  Names names = mentioned.users;
  for (const auto& binding : cluster.cluster_role_bindings) {
    for (const auto& subject : binding.subjects) add(names, subject.name);
  }
  // Of these the parts are redacted.
  std::erase_if(names, [](const std::string& name) { return name.starts_with("system:"); });
  return names;
}

/// Who writes fields, reports events or schedules.
Names program_names(const model::Cluster& cluster) {
  Names names;
  each_meta(cluster, [&](const model::ObjectMeta& meta) {
    for (const model::FieldManager& entry : meta.managers) add(names, entry.manager);
  });
  for (const model::Event& event : cluster.events) add(names, event.component);
  each_spec(cluster, [&](const model::PodSpec& spec) { add(names, spec.scheduler_name); });
  std::erase_if(names, is_known_program);
  return names;
}

Names driver_names(const model::Cluster& cluster) {
  Names names;
  for (const auto& volume : cluster.volumes) add(names, volume.driver);
  for (const auto& storage : cluster.storage_classes) add(names, storage.provisioner);
  for (const auto& node : cluster.csi_nodes) {
    for (const auto& driver : node.drivers) add(names, driver.name);
  }
  each_spec(cluster, [&](const model::PodSpec& spec) {
    for (const model::Volume& volume : spec.volumes) {
      if (volume.kind == "csi" || volume.kind == "flexVolume") add(names, volume.source);
    }
  });
  std::erase_if(names, is_known_driver);
  return names;
}

Names handler_names(const model::Cluster& cluster) {
  Names names;
  for (const auto& runtime : cluster.runtime_classes) add(names, runtime.handler);
  std::erase_if(names, is_known_handler);
  return names;
}

Names container_names(const model::Cluster& cluster) {
  Names names;
  each_spec(cluster, [&](const model::PodSpec& spec) {
    each_container(spec, [&](const model::Container& container) { add(names, container.name); });
  });
  for (const model::Pod& pod : cluster.pods) {
    for (const auto* statuses : {&pod.init_statuses, &pod.statuses}) {
      for (const model::ContainerStatus& status : *statuses) add(names, status.name);
    }
  }
  return names;
}

Names volume_names(const model::Cluster& cluster) {
  Names names;
  each_spec(cluster, [&](const model::PodSpec& spec) {
    for (const model::Volume& volume : spec.volumes) add(names, volume.name);
  });
  return names;
}

/// Whom a node waits for, by the key of its taint: "cilium" of "node.cilium.io/agent-not-ready",
/// "ebs-csi" of "ebs.csi.aws.com/agent-not-ready". Empty where the key names nobody.
std::string agent_of(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == key.npos) return {};
  const std::string_view domain = key.substr(0, slash);
  if (domain.ends_with("-taint.cluster-autoscaler.kubernetes.io")) {
    return std::string(key.substr(slash + 1));
  }
  if (!key.ends_with("not-ready")) return {};
  if (const std::size_t csi = domain.find(".csi."); csi != domain.npos) {
    return std::string(domain.substr(0, csi)) + "-csi";
  }
  const std::string_view product = domain.substr(0, domain.rfind('.'));
  return std::string(product.substr(product.rfind('.') + 1));
}

/// Keys stay, so that the image of such an agent may go on telling that it is the one.
void keep_agents(const model::Cluster& cluster, Pseudonyms& into) {
  Names agents;
  for (const model::Node& node : cluster.nodes) {
    for (const model::Taint& taint : node.taints) add(agents, agent_of(taint.key));
  }
  for (const std::string& agent : agents) into.keep_in_images(agent);
}

/// Registries, and the folders in them.
struct ImageParts {
  Names registries;
  Names folders;
};

void add_parts(const std::string& image, ImageParts& into) {
  constexpr std::size_t told_from_words = 4;
  const ImageName name = ImageName::parse(image);
  if (!name.host.empty() && !is_known_server(name.host)) add(into.registries, name.host);
  for (std::string_view rest = name.path; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    // An image without any folder or tag is known by this name alone.
    const bool whole = slash == name.bare.size();
    if (whole || slash >= told_from_words) add(into.folders, rest.substr(0, slash));
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
}

void add_images(const model::Cluster& cluster, const Mentions& mentioned, const Names& nodes,
                Pseudonyms& into) {
  keep_agents(cluster, into);
  Names images;
  each_spec(cluster, [&](const model::PodSpec& spec) {
    each_container(spec, [&](const model::Container& container) { add(images, container.image); });
  });
  ImageParts parts{mentioned.servers, {}};
  // A node in its domain is told by the node's name.
  std::erase_if(parts.registries, [&](const std::string& host) {
    return nodes.contains(host.substr(0, host.find('.')));
  });
  for (const std::string& image : images) add_parts(image, parts);
  for (const std::string& image : mentioned.images) add_parts(image, parts);
  into.add("server", parts.registries);
  into.add("repository", parts.folders);
  for (const std::string& image : images) (void)into.image(model::Text(image));
  for (const std::string& image : mentioned.images) into.add_mentioned_image(image);
}

}  // namespace

Pseudonyms pseudonyms_for(const model::Cluster& cluster, const Mentions& mentioned) {
  const auto both = [](Names names, const Names& others) {
    names.insert(others.begin(), others.end());
    return names;
  };
  Pseudonyms result;
  const Names nodes = both(node_names(cluster), mentioned.nodes);
  result.add("node", nodes);
  result.add("host", host_names(cluster));
  result.add("namespace", both(namespace_names(cluster), mentioned.namespaces));
  const Names daemon_sets = daemon_set_names(cluster);
  result.add("daemonset", daemon_sets);
  result.add("workload", other_owners(cluster));
  add_daemon_pods(cluster, result);
  add_lost_pods(cluster, daemon_sets, result);
  Names pods;
  add_all(pods, cluster.pods);
  for (const model::Event& event : cluster.events) {
    if (event.kind == "Pod") add(pods, event.name);
  }
  result.add("pod", pods);
  result.add("container", container_names(cluster));
  result.add("volume", volume_names(cluster));
  add_ephemeral_claims(cluster, result);
  result.add("object", both(other_names(cluster), mentioned.objects));
  result.add("instance", instance_names(cluster));
  result.add("program", program_names(cluster));
  result.add("driver", driver_names(cluster));
  result.add("handler", handler_names(cluster));
  result.add("user", user_names(cluster, mentioned));
  result.add("webhook", mentioned.webhooks);
  add_images(cluster, mentioned, nodes, result);
  return result;
}

}  // namespace dsdoctor::redaction
