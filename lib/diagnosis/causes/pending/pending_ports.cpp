// Host ports that another pod of the node holds.

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/catalogue/findings/scheduling.h"
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
  if (!controller || controller->kind != "DaemonSet" || holder.meta.ns != ds.meta.ns) return false;
  return ds.meta.uid.empty() ? controller->name == ds.meta.name : controller->uid == ds.meta.uid;
}

/// Of a DaemonSet that had this one's name before it.
bool is_of_former_self(const PendingCase& c, const model::Pod& holder) {
  const auto& controller = holder.meta.controller;
  const model::DaemonSet& ds = c.of.of.ds;
  return controller && controller->kind == "DaemonSet" && holder.meta.ns == ds.meta.ns &&
         controller->name == ds.meta.name && !is_ours(c, holder);
}

bool shares_image(const model::Pod& a, const model::Pod& b) {
  return std::ranges::any_of(a.spec->containers, [&](const model::Container& one) {
    return !one.image.empty() && std::ranges::any_of(b.spec->containers, [&](const auto& other) {
      return other.image == one.image;
    });
  });
}

std::string holder_class(const PendingCase& c, const model::Pod& holder) {
  if (is_ours(c, holder)) {
    if (holder.meta.deleted) return "this DaemonSet's own old pod";
    return is_surge(c.of.of.ds) ? "this DaemonSet's own older pod; with maxSurge both pods "
                                  "need the port"
                                : "this DaemonSet's own older pod";
  }
  if (holder.mirror) return "a static pod of the node";
  if (!holder.meta.controller) return "a pod without an owner";
  if (is_of_former_self(c, holder)) return "orphan of an earlier DaemonSet of this name";
  if (holder.meta.controller->kind == "DaemonSet" && shares_image(c.pod, holder)) {
    return owner_text(holder) + ", which runs the same image";
  }
  return owner_text(holder);
}

std::string state_of(const model::Pod& holder) {
  if (!holder.meta.deleted) return holder.phase.empty() ? "bound" : holder.phase.str();
  return "terminating until " + format_utc(*holder.meta.deleted);
}

std::string port_text(const HostPort& port) {
  return fmt::format("{}/{} on {}", port.port, port.protocol.view(), port.ip.view());
}

Blocker blocker_of(const PendingCase& c, const HostPort& wanted,
                   const std::vector<const PortConflict*>& conflicts) {
  std::string held;
  Blocker blocker;
  std::vector<Evidence> evidence;
  Facts::Pods holders;
  for (const PortConflict* conflict : conflicts) {
    const model::Pod& holder = *conflict->holder;
    held += fmt::format("{}{}/{} ({}, {})", held.empty() ? "" : ", ", holder.meta.ns.view(),
                        holder.meta.name.view(), holder_class(c, holder), state_of(holder));
    evidence.push_back(
        fmt::format("{} holds hostPort {}", pod_place(holder), port_text(conflict->held)));
    holders.push_back(&holder);
  }
  if (terminating_of(holders).size() == holders.size()) blocker.clears_with = holders;
  const model::Pod& first = *holders.front();
  // Only a pod that nobody creates again may simply be deleted.
  const bool orphan = (!first.meta.controller && !first.mirror) || is_of_former_self(c, first);
  blocker.finding =
      pending_finding(c,
                      finding::SchedHostPort{.holder = first.meta.name,
                                             .holder_namespace = first.meta.ns,
                                             .nothing_makes_the_holder_again = orphan},
                      fmt::format("host port conflict: {} of {} is held by {}", port_text(wanted),
                                  c.node.meta.name.view(), held),
                      std::move(evidence));
  const std::string owner = is_ours(c, first) ? "itself" : owner_text(first);
  blocker.finding.group = fmt::format("{}/{} {}", wanted.port, wanted.protocol.view(), owner);
  return blocker;
}

/// A DaemonSet that is gone, is being deleted or excludes the node lets go of its pod there.
bool keeps_its_pod(const PendingCase& c, const model::Pod& pod) {
  const model::Cluster& cluster = c.facts.cluster();
  const model::DaemonSet* owner =
      model::find_daemon_set(cluster, pod.meta.ns, pod.meta.controller->name);
  if (owner == nullptr) return !cluster.known.every_daemon_set;
  if (owner->meta.deleted) return false;
  const placement::Evaluator evaluator(owner->pod_template, c.of.of.gates);
  return evaluator.decide(c.node) != placement::Decision::Exclude;
}

/// A static pod, or one that another DaemonSet creates again.
bool stays_on_its_node(const PendingCase& c, const model::Pod& pod) {
  if (pod.meta.deleted || is_ours(c, pod)) return false;
  return pod.mirror || (pod.meta.controller && pod.meta.controller->kind == "DaemonSet" &&
                        !is_of_former_self(c, pod) && keeps_its_pod(c, pod));
}

}  // namespace

bool is_port_held_for_good(const PendingCase& c) {
  return std::ranges::any_of(
      scheduling::port_conflicts(c.pod, c.here),
      [&](const PortConflict& conflict) { return stays_on_its_node(c, *conflict.holder); });
}

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
