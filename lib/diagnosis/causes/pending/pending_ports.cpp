// SPDX-License-Identifier: Apache-2.0

// Host ports that another pod of the node holds.

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/verdict.h"
#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::HostPort;
using scheduling::PortConflict;

bool is_ours(const PendingCase& c, const model::Pod& holder) {
  const auto& controller = holder.meta.controller;
  const model::DaemonSet& ds = c.of.of.ds;
  if (!controller || !model::is_daemon_set(*controller) || holder.meta.ns != ds.meta.ns)
    return false;
  return ds.meta.uid.empty() ? controller->name == ds.meta.name : controller->uid == ds.meta.uid;
}

/// Whether the holder belongs to an earlier DaemonSet of the same name.
bool is_of_former_self(const PendingCase& c, const model::Pod& holder) {
  const auto& controller = holder.meta.controller;
  const model::DaemonSet& ds = c.of.of.ds;
  return controller && model::is_daemon_set(*controller) && holder.meta.ns == ds.meta.ns &&
         controller->name == ds.meta.name && !is_ours(c, holder);
}

bool shares_image(const model::Pod& a, const model::Pod& b) {
  return std::ranges::any_of(a.spec->containers, [&](const model::Container& one) {
    return !one.image.empty() && std::ranges::any_of(b.spec->containers, [&](const auto& other) {
      return other.image == one.image;
    });
  });
}

Message holder_owner(const PendingCase& c, const model::Pod& holder) {
  if (is_ours(c, holder)) {
    const bool is_terminating = holder.meta.deleted.has_value();
    return phrase::OwnOlderPod{.is_terminating = is_terminating,
                               .surges = !is_terminating && is_surge(c.of.of.ds)};
  }
  if (holder.mirror) return phrase::StaticPodOfNode{};
  if (!holder.meta.controller) return phrase::PodWithoutOwner{};
  if (is_of_former_self(c, holder)) return phrase::OrphanOfNamesake{};
  return owner_of(holder,
                  model::is_daemon_set(*holder.meta.controller) && shares_image(c.pod, holder));
}

/// Equal for pods with the same owner.
std::string owner_group(const PendingCase& c, const model::Pod& holder) {
  if (is_ours(c, holder)) return "itself";
  if (holder.mirror) return "static pods";
  if (!holder.meta.controller) return "pods without an owner";
  return fmt::format("{} {}/{}", holder.meta.controller->kind.view(), holder.meta.ns.view(),
                     holder.meta.controller->name.view());
}

Message holder_phrase(const PendingCase& c, const model::Pod& holder) {
  return phrase::PortHolder{.its_pod = ref_of(holder),
                            .owner = holder_owner(c, holder),
                            .phase = holder.phase,
                            .until = holder.meta.deleted};
}

std::string port_text(const HostPort& port) {
  return fmt::format("{}/{}", port.port, port.protocol.view());
}

Evidence port_evidence(const model::Pod& holder, const HostPort& held) {
  const std::pair<const char*, const std::vector<model::Container>&> lists[] = {
      {"containers", holder.spec->containers}, {"initContainers", holder.spec->init_containers}};
  for (const auto& [list, containers] : lists) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const auto& ports = containers[i].ports;
      const auto at = std::ranges::find(ports, held.port, &model::ContainerPort::host_port);
      if (at == ports.end()) continue;
      return {ref_of(holder),
              fmt::format("spec.{}[{}].ports[{}].hostPort", list, i, at - ports.begin()),
              std::to_string(held.port)};
    }
  }
  return {ref_of(holder), "spec.containers"};
}

/// False if the DaemonSet is missing, is being deleted or excludes the node: then its pod there is
/// deleted.
bool keeps_its_pod(const PendingCase& c, const model::Pod& pod) {
  const model::Cluster& cluster = c.facts.cluster();
  const model::DaemonSet* owner =
      model::find_daemon_set(cluster, pod.meta.ns, pod.meta.controller->name);
  if (owner == nullptr) return !cluster.known.every_daemon_set;
  if (owner->meta.deleted) return false;
  const placement::Evaluator evaluator(owner->pod_template, c.of.of.gates);
  return evaluator.decide(c.node) != placement::Decision::Exclude;
}

/// Whether a controller deletes the pod: the DaemonSet its own old pod, unless the new one must be
/// available first; the garbage collector a pod whose DaemonSet is gone.
bool leaves_its_node(const PendingCase& c, const model::Pod& pod) {
  if (pod.meta.deleted) return true;
  if (pod.mirror || !pod.meta.controller) return false;
  if (is_ours(c, pod)) return !is_surge(c.of.of.ds);
  return model::is_daemon_set(*pod.meta.controller) &&
         (is_of_former_self(c, pod) || !keeps_its_pod(c, pod));
}

/// The Service that this DaemonSet of k3s ServiceLB publishes on host ports, if the holder can be
/// one of its backends, which are pods of the same namespace; otherwise empty. Source:
/// pkg/cloudprovider/servicelb.go of k3s.
std::string service_of(const PendingCase& c, const model::Pod& holder) {
  const model::Labels& labels = c.of.of.ds.pod_template.labels;
  const model::Text* name = labels.find("svccontroller.k3s.cattle.io/svcname");
  const model::Text* ns = labels.find("svccontroller.k3s.cattle.io/svcnamespace");
  const bool is_backend = name != nullptr && ns != nullptr && *ns == holder.meta.ns;
  return is_backend ? fmt::format("{}/{}", ns->view(), name->view()) : std::string();
}

Blocker blocker_of(const PendingCase& c, const HostPort& wanted,
                   const std::vector<const PortConflict*>& conflicts) {
  Blocker blocker;
  std::vector<Message> held;
  std::vector<Evidence> evidence;
  Facts::Pods holders;
  for (const PortConflict* conflict : conflicts) {
    held.push_back(holder_phrase(c, *conflict->holder));
    evidence.push_back(port_evidence(*conflict->holder, conflict->held));
    holders.push_back(conflict->holder);
  }
  if (terminating_of(holders).size() == holders.size()) blocker.clears_with = holders;
  blocker.ends_soon = std::ranges::all_of(
      holders, [&](const model::Pod* holder) { return leaves_its_node(c, *holder); });
  const model::Pod& first = *holders.front();
  // Only a pod that no controller recreates can simply be deleted.
  const bool orphan = (!first.meta.controller && !first.mirror) || is_of_former_self(c, first);
  const std::string service = service_of(c, first);
  blocker.unresolvable = !service.empty();  // another node would have the conflict then
  blocker.finding = pending_finding(
      c,
      finding::SchedHostPort{.a_controller_makes_it_again = !orphan && service.empty(),
                             .holder = first.meta.name,
                             .holder_namespace = first.meta.ns,
                             .nothing_makes_the_holder_again = orphan && service.empty(),
                             .service = service,
                             .service_lb_publishes_it = !service.empty(),
                             .what = phrase::PortHeld{.address = wanted.ip,
                                                      .holders = std::move(held),
                                                      .on_node = c.node.meta.name,
                                                      .port = port_text(wanted)}},
      std::move(evidence));
  blocker.finding.group = fmt::format("{} {}", port_text(wanted), owner_group(c, first));
  return blocker;
}

}  // namespace

void add_port_blockers(const PendingCase& c, Blockers& into) {
  const std::vector<PortConflict> conflicts = scheduling::port_conflicts(c.pod, c.here);
  for (const HostPort& wanted : scheduling::host_ports(c.pod)) {
    std::vector<const PortConflict*> of_port;
    for (const PortConflict& conflict : conflicts) {
      if (conflict.wanted == wanted) of_port.push_back(&conflict);
    }
    if (!of_port.empty()) into.push_back(blocker_of(c, wanted, of_port));
  }
}

}  // namespace dsdoctor::diagnosis
