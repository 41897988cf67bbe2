// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pending/pending_needs.h"

#include <algorithm>

#include "model/release.h"
#include "scheduling/fit.h"

namespace dsdoctor::diagnosis {
namespace {

/// Whether the API server's release does not have the version of the API that is read.
bool lacks_device_api(const model::Cluster& cluster) {
  const model::ClusterRelease of = model::release_of(cluster);
  return of.source == model::ReleaseSource::Server &&
         !applies(model::ReleaseRule::DeviceClassesV1, of.release);
}

}  // namespace

void add_claims(const model::DaemonSet& ds, const std::vector<const model::Pod*>& unbound,
                model::DetailQuery& query) {
  for (const model::Volume& volume : ds.pod_template.spec.volumes) {
    if (volume.kind == "persistentVolumeClaim") {
      query.claims.insert({ds.meta.ns.str(), volume.source.str()});
    }
  }
  // An ephemeral volume's claim is named after its pod.
  for (const model::Pod* pod : unbound) {
    if (pod->meta.ns != ds.meta.ns || pod->meta.controller->name != ds.meta.name) continue;
    for (const model::Volume& volume : pod->spec->volumes) {
      if (volume.kind != "ephemeral") continue;
      query.claims.insert({ds.meta.ns.str(), pod->meta.name.str() + "-" + volume.name.str()});
    }
  }
}

bool lacks_a_slot(const model::Cluster& cluster, const model::DaemonSet& ds,
                  const NodeReport& node) {
  return std::ranges::any_of(node.pods(), [&](const PodReport& each) {
    const model::Pod* pod = model::find_pod(cluster, ds.meta.ns, each.name);
    if (pod == nullptr) return false;
    const auto said = model::find_condition(pod->conditions, "PodScheduled");
    return said != nullptr && said->message.view().find("Too many pods") != std::string_view::npos;
  });
}

void add_device_classes(const model::Cluster& cluster, const model::DaemonSet& ds,
                        const NodeReport& report, model::DetailQuery& query) {
  const model::Node* node = model::find_node(cluster, report.name);
  if (node == nullptr || lacks_device_api(cluster)) return;
  const auto lacks = [&](const model::Labels& requests) {
    return std::ranges::any_of(requests, [&](const auto& entry) {
      const model::Text* offer = node->allocatable.find(entry.first);
      return scheduling::is_extended_resource(entry.first) && (offer == nullptr || *offer == "0");
    });
  };
  const auto any_lacks = [&](const std::vector<model::Container>& containers) {
    return std::ranges::any_of(
        containers, [&](const auto& one) { return lacks(one.requests) || lacks(one.limits); });
  };
  const model::PodSpec& spec = ds.pod_template.spec;
  if (any_lacks(spec.containers) || any_lacks(spec.init_containers)) query.device_classes = true;
}

void add_pod_groups(const model::Cluster& cluster, const model::DaemonSet& ds,
                    const NodeReport& node, model::DetailQuery& query) {
  for (const PodReport& each : node.pods()) {
    const model::Pod* pod = model::find_pod(cluster, ds.meta.ns, each.name);
    if (pod == nullptr || !pod->node_name.empty() || pod->spec->pod_group.empty()) continue;
    query.pod_groups.insert({ds.meta.ns.str(), pod->spec->pod_group.str()});
  }
}

void add_pod_groups(const model::DaemonSet& ds, const std::vector<const model::Pod*>& unbound,
                    model::DetailQuery& query) {
  const auto add = [&](const model::PodSpec& spec) {
    if (!spec.pod_group.empty()) query.pod_groups.insert({ds.meta.ns.str(), spec.pod_group.str()});
  };
  add(ds.pod_template.spec);
  for (const model::Pod* pod : unbound) {
    if (pod->meta.ns == ds.meta.ns && pod->meta.controller->name == ds.meta.name) add(*pod->spec);
  }
}

void add_device_taints(const model::Cluster& cluster, const model::DaemonSet& ds,
                       model::DetailQuery& query) {
  if (ds.pod_template.spec.resource_claims.empty() || lacks_device_api(cluster)) return;
  query.claim_namespaces.insert(ds.meta.ns.str());
}

}  // namespace dsdoctor::diagnosis
