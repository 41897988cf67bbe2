#include <fmt/format.h>

#include "redaction/fields.h"

namespace dsdoctor::redaction {
namespace {

/// Images that are pulled no more are named in messages alone.
void learn_images(const model::Text& message, Pseudonyms& names) {
  constexpr std::string_view before = "mage \"";  // Image, image
  const std::string_view text = message;
  for (std::size_t at = text.find(before); at != text.npos; at = text.find(before, at)) {
    at += before.size();
    const std::size_t end = text.find('"', at);
    if (end == text.npos) return;
    (void)names.image(model::Text(text.substr(at, end - at)));
    at = end;
  }
}

void redact_event(model::Event& event, std::size_t number, Pseudonyms& names) {
  redact_meta(event.meta, names);
  event.meta.name = model::Text(fmt::format("anon-event-{}", number));  // it has its object's name
  event.ns = names.name(event.ns);
  event.name = names.name(event.name);
  event.uid = names.uid(event.uid);
  event.host = names.name(event.host);
  event.message = names.text(event.message);
}

void redact_subject(model::Subject& subject, Pseudonyms& names) {
  subject.ns = names.name(subject.ns);
  if (subject.kind == "ServiceAccount" || Pseudonyms::is_reserved(subject.name)) {
    subject.name = names.name(subject.name);
  } else {
    subject.name = names.uid(subject.name);  // a person, or a group of them
  }
}

template <typename Object>
void redact_metas(std::vector<Object>& objects, Pseudonyms& names) {
  for (Object& object : objects) redact_meta(object.meta, names);
}

void redact_storage(model::Cluster& cluster, Pseudonyms& names) {
  redact_metas(cluster.storage_classes, names);
  redact_metas(cluster.csi_nodes, names);
  for (auto& claim : cluster.claims) {
    redact_meta(claim.meta, names);
    claim.volume_name = names.name(claim.volume_name);
    claim.storage_class = names.name(claim.storage_class);
    claim.selected_node = names.name(claim.selected_node);
  }
  for (auto& volume : cluster.volumes) {
    redact_meta(volume.meta, names);
    redact_selector(volume.node_affinity, names);
    volume.storage_class = names.name(volume.storage_class);
    volume.claim_ns = names.name(volume.claim_ns);
    volume.claim_name = names.name(volume.claim_name);
  }
  for (auto& storage : cluster.storage_classes) {
    for (auto& term : storage.allowed_topologies) {
      redact_requirements(term.match_expressions, names);
    }
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
    for (auto& subject : binding.subjects) redact_subject(subject, names);
  }
}

}  // namespace

void redact_surroundings(model::Cluster& cluster, Pseudonyms& names) {
  for (const model::Event& event : cluster.events) learn_images(event.message, names);
  std::size_t number = 1'000'000;  // as many digits for all: they stay in their order
  for (model::Event& event : cluster.events) redact_event(event, ++number, names);
  for (auto& ns : cluster.namespaces) {
    redact_meta(ns.meta, names);
    redact_annotations(ns.annotations, names);
    redact_tolerations(ns.default_tolerations, names);
  }
  for (auto& quota : cluster.resource_quotas) {
    redact_meta(quota.meta, names);
    redact_requirements(quota.scope_selector, names);
  }
  redact_metas(cluster.limit_ranges, names);
  redact_metas(cluster.priority_classes, names);
  for (auto& runtime : cluster.runtime_classes) {
    redact_meta(runtime.meta, names);
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
    lease.holder = names.text(lease.holder);
  }
  redact_access(cluster, names);
}

}  // namespace dsdoctor::redaction
