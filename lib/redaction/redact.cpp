#include "redaction/redact.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "redaction/fields.h"
#include "redaction/mentions.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {
namespace {

void redact_label_selector(std::optional<model::LabelSelector>& selector, Pseudonyms& names) {
  if (!selector) return;
  redact_values(selector->match_labels, names);
  redact_requirements(selector->match_expressions, names);
}

void redact_affinity(std::vector<model::PodAffinityTerm>& terms, Pseudonyms& names) {
  for (model::PodAffinityTerm& term : terms) {
    redact_label_selector(term.label_selector, names);
    redact_label_selector(term.namespace_selector, names);
    redact_names(term.namespaces, names);
  }
}

void redact_containers(std::vector<model::Container>& containers, Pseudonyms& names) {
  for (model::Container& container : containers) {
    container.name = names.value(container.name);
    container.image = names.image(container.image);
    for (model::ContainerPort& port : container.ports) port.host_ip = names.address(port.host_ip);
    for (auto* probe :
         {&container.startup_probe, &container.readiness_probe, &container.liveness_probe}) {
      if (*probe) (*probe)->handler = names.text((*probe)->handler);
    }
  }
}

void redact_spec(model::PodSpec& spec, Pseudonyms& names) {
  redact_containers(spec.containers, names);
  redact_containers(spec.init_containers, names);
  for (model::Volume& volume : spec.volumes) {
    volume.name = names.value(volume.name);
    const bool has_driver = volume.kind == "csi" || volume.kind == "flexVolume";
    volume.source = has_driver ? redact_driver(volume.source, names) : names.name(volume.source);
  }
  redact_affinity(spec.pod_affinity, names);
  redact_affinity(spec.pod_anti_affinity, names);
  for (auto& constraint : spec.topology_spread) {
    redact_label_selector(constraint.label_selector, names);
  }
  for (model::PodResourceClaim& claim : spec.resource_claims) {
    claim.name = names.name(claim.name);
    claim.claim_name = names.name(claim.claim_name);
    claim.template_name = names.name(claim.template_name);
  }
  redact_names(spec.image_pull_secrets, names);
  spec.scheduler_name = redact_program(spec.scheduler_name, names);
  spec.service_account = names.name(spec.service_account);
  spec.priority_class = names.name(spec.priority_class);
  spec.runtime_class = names.name(spec.runtime_class);
}

void redact_conditions(std::vector<model::Condition>& conditions, Pseudonyms& names) {
  for (model::Condition& condition : conditions) condition.message = names.text(condition.message);
}

void redact_statuses(std::vector<model::ContainerStatus>& statuses, Pseudonyms& names) {
  for (model::ContainerStatus& status : statuses) {
    status.name = names.value(status.name);
    if (status.waiting) status.waiting->message = names.text(status.waiting->message);
    for (auto* state : {&status.terminated, &status.last_terminated}) {
      if (*state) (*state)->message = names.text((*state)->message);
    }
  }
}

void redact_node(model::Node& node, Pseudonyms& names) {
  redact_meta(node.meta, names);
  for (model::Taint& taint : node.taints) taint.value = names.value(taint.value);
  redact_conditions(node.conditions, names);
  if (!node.provider_id.empty()) node.provider_id = model::Text("anon:///" + node.meta.name.str());
}

void redact_daemon_set(model::DaemonSet& ds, Pseudonyms& names) {
  redact_meta(ds.meta, names);
  redact_annotations(ds.annotations, names);
  redact_label_selector(ds.selector, names);
  for (model::SpecEdit& edit : ds.edits) {
    edit.path = names.words(edit.path);
    if (!edit.applied.empty()) edit.applied = "(not shown)";
    if (!edit.live.empty()) edit.live = "(not shown)";
  }
  model::PodTemplate& of = ds.pod_template;
  redact_values(of.labels, names);
  of.node_name = names.name(of.node_name);
  redact_values(of.node_selector, names);
  redact_selector(of.node_affinity, names);
  redact_tolerations(of.tolerations, names);
  redact_spec(of.spec, names);
}

/// Pods that share a spec go on sharing it.
class PodRedactor {
 public:
  explicit PodRedactor(Pseudonyms& names) : names_(names) {}

  void redact(model::Pod& pod) {
    pod.spec = shared(pod.spec, specs_, [&](model::PodSpec& spec) { redact_spec(spec, names_); });
    pod.tolerations = shared(pod.tolerations, tolerations_,
                             [&](auto& tolerations) { redact_tolerations(tolerations, names_); });
    redact_meta(pod.meta, names_);
    pod.node_name = names_.name(pod.node_name);
    pod.nominated_node = names_.name(pod.nominated_node);
    redact_selector(pod.node_affinity, names_);
    redact_values(pod.node_selector, names_);
    pod.message = names_.text(pod.message);
    redact_conditions(pod.conditions, names_);
    redact_statuses(pod.init_statuses, names_);
    redact_statuses(pod.statuses, names_);
  }

 private:
  template <typename T>
  using Done = std::map<const T*, std::pair<model::Shared<T>, model::Shared<T>>>;

  /// `done` keeps the originals, so that no address is used twice.
  template <typename T, typename Redact>
  static model::Shared<T> shared(const model::Shared<T>& original, Done<T>& done, Redact&& redact) {
    const auto [at, first] = done.try_emplace(&*original);
    if (first) {
      T copy = *original;
      redact(copy);
      at->second = {original, model::Shared<T>(std::move(copy))};
    }
    return at->second.second;
  }

  Pseudonyms& names_;
  Done<model::PodSpec> specs_;
  Done<std::vector<model::Toleration>> tolerations_;
};

template <typename Object>
void sort_by_name(std::vector<Object>& objects) {
  std::ranges::stable_sort(objects, {}, [](const Object& object) {
    return std::tuple(object.meta.ns.view(), object.meta.name.view());
  });
}

void sort_all(model::Cluster& cluster) {
  sort_by_name(cluster.nodes);
  sort_by_name(cluster.daemon_sets);
  sort_by_name(cluster.pods);
  sort_by_name(cluster.revisions);
  sort_by_name(cluster.events);
  sort_by_name(cluster.namespaces);
  sort_by_name(cluster.resource_quotas);
  sort_by_name(cluster.limit_ranges);
  sort_by_name(cluster.priority_classes);
  sort_by_name(cluster.runtime_classes);
  sort_by_name(cluster.service_accounts);
  sort_by_name(cluster.claims);
  sort_by_name(cluster.volumes);
  sort_by_name(cluster.storage_classes);
  sort_by_name(cluster.csi_nodes);
  sort_by_name(cluster.leases);
  sort_by_name(cluster.cluster_roles);
  sort_by_name(cluster.cluster_role_bindings);
  std::ranges::sort(cluster.crowded_nodes);
}

model::Cluster redact_cluster(model::Cluster cluster, Pseudonyms& names) {
  for (model::Node& node : cluster.nodes) redact_node(node, names);
  for (model::DaemonSet& ds : cluster.daemon_sets) redact_daemon_set(ds, names);
  PodRedactor pods(names);
  for (model::Pod& pod : cluster.pods) pods.redact(pod);
  for (auto& revision : cluster.revisions) redact_meta(revision.meta, names);
  redact_surroundings(cluster, names);
  redact_names(cluster.crowded_nodes, names);
  sort_all(cluster);
  return cluster;
}

model::SourceInfo redact_source(model::SourceInfo source) {
  if (!source.context.empty()) source.context = "anon-cluster";
  if (!source.server.empty()) source.server = "https://anon-cluster";
  source.paths.clear();
  return source;
}

/// Where a warning says which file of the user's it is about, it says no more than that.
std::string redact_place(std::string_view where, Pseudonyms& names) {
  const std::string_view object = object_in(where);
  return object.empty() ? "input" : "input " + names.words(object);
}

}  // namespace

void redact_meta(model::ObjectMeta& meta, Pseudonyms& names) {
  meta.name = names.name(meta.name);
  meta.ns = names.name(meta.ns);
  meta.uid = names.uid(meta.uid);
  redact_values(meta.labels, names);
  if (meta.controller) {
    meta.controller->name = names.name(meta.controller->name);
    meta.controller->uid = names.uid(meta.controller->uid);
  }
  for (model::FieldManager& entry : meta.managers) {
    entry.manager = redact_program(entry.manager, names);
  }
}

model::Text redact_program(const model::Text& name, Pseudonyms& names) {
  return is_known_program(name) ? name : names.name(name);
}

model::Text redact_driver(const model::Text& name, Pseudonyms& names) {
  return is_known_driver(name) ? name : names.name(name);
}

void redact_names(std::vector<model::Text>& texts, Pseudonyms& names) {
  for (model::Text& text : texts) text = names.name(text);
}

void redact_values(model::Labels& labels, Pseudonyms& names) {
  std::vector<model::Labels::Entry> entries(labels.begin(), labels.end());
  for (auto& [key, value] : entries) value = names.value(value);
  labels = model::Labels(std::move(entries));
}

void redact_tolerations(std::vector<model::Toleration>& tolerations, Pseudonyms& names) {
  for (model::Toleration& toleration : tolerations)
    toleration.value = names.value(toleration.value);
}

void redact_requirements(std::vector<model::NodeSelectorRequirement>& list, Pseudonyms& names) {
  for (model::NodeSelectorRequirement& requirement : list) {
    for (model::Text& value : requirement.values) value = names.value(value);
  }
}

void redact_terms(std::vector<model::NodeSelectorTerm>& terms, Pseudonyms& names) {
  for (model::NodeSelectorTerm& term : terms) {
    redact_requirements(term.match_expressions, names);
    for (auto& requirement : term.match_fields) redact_names(requirement.values, names);
  }
}

void redact_selector(std::optional<model::NodeSelector>& selector, Pseudonyms& names) {
  if (selector) redact_terms(selector->terms, names);
}

Redacted redact(const Redacted& original) {
  Pseudonyms names = pseudonyms_for(
      original.cluster, mentions_in(original.cluster, original.omissions, original.warnings));
  Redacted result{redact_cluster(original.cluster, names), redact_source(original.source),
                  original.omissions, original.warnings};
  for (model::Omission& omission : result.omissions) {
    omission.ns = names.name(model::Text(omission.ns)).str();
    omission.message = names.words(omission.message);
    omission.consequence = names.words(omission.consequence);
  }
  for (model::Warning& warning : result.warnings) {
    warning.where = redact_place(warning.where, names);
    warning.what = names.words(warning.what);
  }
  return result;
}

}  // namespace dsdoctor::redaction
