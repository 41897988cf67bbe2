#include <fmt/format.h>

#include <algorithm>

#include "redaction/fields.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {
namespace {

/// "spec.containers{main}": the name of a container.
model::Text redact_field_path(const model::Text& path, Pseudonyms& names) {
  const std::string_view text = path.view();
  const std::size_t open = text.find('{');
  if (open == std::string_view::npos || !text.ends_with('}')) return path;
  const model::Text name(text.substr(open + 1, text.size() - open - 2));
  return {fmt::format("{}{{{}}}", text.substr(0, open), names.name(name).view())};
}

void redact_event(model::Event& event, std::size_t number, Pseudonyms& names) {
  redact_meta(event.meta, names);
  event.meta.name = model::Text(fmt::format("anon-event-{}", number));  // it has its object's name
  event.ns = names.name(event.ns);
  event.name = names.name(event.name);
  event.uid = names.uid(event.uid);
  event.field_path = redact_field_path(event.field_path, names);
  event.component = redact_program(event.component, names);
  event.host = names.name(event.host);
  event.message = names.text(event.message);
}

/// "host_0a1b..": whose process it is, and a UID.
model::Text redact_holder(const model::Text& holder, Pseudonyms& names) {
  const std::size_t end = std::min(holder.view().find('_'), holder.view().size());
  const model::Text host(holder.view().substr(0, end));
  return {names.name(host).str() + names.words(holder.view().substr(end))};
}

template <typename Object>
void redact_metas(std::vector<Object>& objects, Pseudonyms& names) {
  for (Object& object : objects) redact_meta(object.meta, names);
}

void redact_storage(model::Cluster& cluster, Pseudonyms& names) {
  redact_metas(cluster.storage_classes, names);
  for (auto& node : cluster.csi_nodes) {
    redact_meta(node.meta, names);
    for (auto& driver : node.drivers) driver.name = redact_driver(driver.name, names);
  }
  for (auto& claim : cluster.claims) {
    redact_meta(claim.meta, names);
    claim.volume_name = names.name(claim.volume_name);
    claim.storage_class = names.name(claim.storage_class);
    claim.selected_node = names.name(claim.selected_node);
  }
  for (auto& volume : cluster.volumes) {
    redact_meta(volume.meta, names);
    redact_selector(volume.node_affinity, names);
    volume.driver = redact_driver(volume.driver, names);
    volume.storage_class = names.name(volume.storage_class);
    volume.claim_ns = names.name(volume.claim_ns);
    volume.claim_name = names.name(volume.claim_name);
  }
  for (auto& storage : cluster.storage_classes) {
    storage.provisioner = redact_driver(storage.provisioner, names);
    redact_terms(storage.allowed_topologies, names);
  }
}

void redact_access(model::Cluster& cluster, Pseudonyms& names) {
  for (auto& role : cluster.cluster_roles) {
    redact_meta(role.meta, names);
    for (auto& rule : role.rules) redact_names(rule.resource_names, names);
  }
  for (auto& binding : cluster.cluster_role_bindings) {
    redact_meta(binding.meta, names);
    binding.role = names.name(binding.role);
    for (auto& subject : binding.subjects) {
      subject.ns = names.name(subject.ns);
      subject.name = names.name(subject.name);
    }
  }
}

}  // namespace

void redact_surroundings(model::Cluster& cluster, Pseudonyms& names) {
  std::size_t number = 1'000'000;  // as many digits for all: they stay in their order
  for (model::Event& event : cluster.events) redact_event(event, ++number, names);
  for (auto& ns : cluster.namespaces) {
    redact_meta(ns.meta, names);
    redact_annotations(ns.annotations, names);
    redact_tolerations(ns.default_tolerations, names);
  }
  for (auto& quota : cluster.resource_quotas) {
    redact_meta(quota.meta, names);
    for (auto& requirement : quota.scope_selector) redact_names(requirement.values, names);
  }
  redact_metas(cluster.limit_ranges, names);
  redact_metas(cluster.priority_classes, names);
  for (auto& runtime : cluster.runtime_classes) {
    redact_meta(runtime.meta, names);
    if (!is_known_handler(runtime.handler)) runtime.handler = names.name(runtime.handler);
    redact_values(runtime.node_selector, names);
    redact_tolerations(runtime.tolerations, names);
  }
  for (auto& account : cluster.service_accounts) {
    redact_meta(account.meta, names);
    redact_names(account.image_pull_secrets, names);
  }
  redact_storage(cluster, names);
  for (auto& lease : cluster.leases) {
    redact_meta(lease.meta, names);
    lease.holder = redact_holder(lease.holder, names);
  }
  redact_access(cluster, names);
}

}  // namespace dsdoctor::redaction
