// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/twin_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/report/pod_signs.h"
#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view helm_release = "meta.helm.sh/release-name";
constexpr std::string_view helm_namespace = "meta.helm.sh/release-namespace";

using Programs = std::set<std::string_view>;

Programs programs_of(const model::PodSpec& spec) {
  Programs result;
  for (const model::Container& container : spec.containers) {
    if (const auto name = program_of(container.image); !name.empty()) result.insert(name);
  }
  return result;
}

/// A container that several programs have beside them, such as a proxy, makes no twins.
bool are_twins(const Programs& a, const Programs& b) {
  if (a.empty() || b.empty()) return false;
  return std::ranges::includes(a, b) || std::ranges::includes(b, a);
}

/// The host port that both need, or that both use the network of the node, on which the same
/// program needs the same ports.
struct SharedPorts {
  bool network = false;
  std::optional<scheduling::HostPort> port;

  [[nodiscard]] bool any() const { return network || port; }
};

SharedPorts shared_ports(const model::PodSpec& a, bool a_on_host, const model::PodSpec& b,
                         bool b_on_host) {
  const auto mine = scheduling::admitted_host_ports(a, a_on_host);
  const auto others = scheduling::admitted_host_ports(b, b_on_host);
  SharedPorts result{.network = a_on_host && b_on_host, .port = std::nullopt};
  for (const scheduling::HostPort& port : mine) {
    const bool taken =
        std::ranges::any_of(others, [&](const auto& other) { return conflict(port, other); });
    if (taken) result.port = port;
    if (taken) break;
  }
  return result;
}

SharedPorts shared_ports(const model::PodTemplate& mine, const model::Pod& other) {
  return shared_ports(mine.spec, mine.host_network, *other.spec, other.host_network);
}

/// The first of the pod's containers that ended with an error and has not become ready since;
/// absent if there is none.
std::optional<model::ContainerStatus> failing_container(const model::Pod& pod) {
  if (is_ready(pod)) return std::nullopt;
  for (const model::ContainerStatus& status : pod.statuses) {
    const model::TerminatedState* end = last_end(status);
    if (end != nullptr && end->exit_code != 0 && !status.ready) return status;
  }
  return std::nullopt;
}

/// Whether a program says that it cannot use its port.
bool is_about_a_taken_port(std::string_view said) {
  return mentions_any(
      said, {"address already in use", "EADDRINUSE", "Only one usage of each socket address"});
}

/// The value of the annotation; empty if the DaemonSet does not have it.
std::string_view annotation_of(const model::DaemonSet& ds, std::string_view annotation) {
  const model::Text* value = ds.annotations.find(annotation);
  return value == nullptr ? std::string_view() : value->view();
}

ObjectRef ref_of_twin(const model::Pod& pod) {
  const auto& owner = pod.meta.controller;
  if (pod.mirror || !owner) return ref_of(pod);
  return {"DaemonSet", pod.meta.ns.str(), owner->name.str()};
}

std::string name_in_namespace(const ObjectRef& object) {
  return fmt::format("{}/{}", object.ns, object.name);
}

/// The pod on the node, of another owner, that runs the same program and needs the same ports; null
/// if there is none.
const model::Pod* rival_on(const NodeCase& c) {
  const model::PodTemplate& wanted = c.of.ds.pod_template;
  const Programs mine = programs_of(wanted.spec);
  for (const model::Pod* pod : c.of.facts.pods_on(c.node.meta.name)) {
    const bool is_of_daemon_set =
        pod->meta.controller && model::is_daemon_set(*pod->meta.controller);
    if (!pod->mirror && (!is_of_daemon_set || is_named_owner(c.of.ds, *pod))) continue;
    if (is_terminating(*pod) || !shared_ports(wanted, *pod).any()) continue;
    if (are_twins(mine, programs_of(*pod->spec))) return pod;
  }
  return nullptr;
}

std::optional<Finding> conflict_on(const NodeCase& c) {
  const auto own = std::ranges::find_if(
      c.pods, [](const model::Pod* pod) { return is_live(*pod) && failing_container(*pod); });
  if (own == c.pods.end()) return std::nullopt;
  const model::Pod* rival = rival_on(c);
  // Both fail: then something else is wrong as well, and neither holds the port.
  if (rival == nullptr || failing_container(*rival)) return std::nullopt;
  const model::ContainerStatus status = *failing_container(**own);
  const std::string_view said = last_end(status)->message;
  const SharedPorts ports = shared_ports(c.of.ds.pod_template, *rival);
  const std::string_view release = annotation_of(c.of.ds, helm_release);
  Finding finding = make_finding(
      finding::PodProgramConflict{
          .container = status.name,
          .helm_did_not_install_it = rival->mirror && release.empty(),
          .helm_installed_it = rival->mirror && !release.empty(),
          .it_is_a_static_pod = rival->mirror,
          .other = name_in_namespace(ref_of_twin(*rival)),
          .port = ports.port ? std::optional(ports.port->port) : std::nullopt,
          .program = std::string(*programs_of(*rival->spec).begin()),
          .protocol = ports.port ? ports.port->protocol : model::Text(),
          .release = release,
          .release_ns = annotation_of(c.of.ds, helm_namespace),
          .said = excerpt(said),
          .twin = ref_of_twin(*rival)},
      {{ref_of(**own), "spec.containers[*].image"}, {ref_of(*rival), "spec.containers[*].image"}},
      names_of(c, (*own)->meta.name));
  // The same program can fail for a reason of its own.
  if (!ports.port && !is_about_a_taken_port(said)) {
    finding.basis = Basis::Suspected;
    finding.severity = Severity::Info;
    finding.standing = Standing::Context;
  }
  finding.group = rival->mirror ? "static" : std::string(rival->meta.controller->name.view());
  return finding;
}

// ---- static pods, for information

/// The pod's first image whose program the template runs as well; empty if it shares none.
std::string_view image_shared_with(const Programs& mine, const model::Pod& pod) {
  for (const model::Container& container : pod.spec->containers) {
    if (mine.contains(program_of(container.image))) return container.image;
  }
  return {};
}

void add_static_shadow(const NodeCase& c, std::vector<Finding>& findings) {
  const model::PodTemplate& wanted = c.of.ds.pod_template;
  const Programs mine = programs_of(wanted.spec);
  for (const model::Pod* pod : c.of.facts.pods_on(c.node.meta.name)) {
    if (!pod->mirror) continue;
    const std::string_view image = image_shared_with(mine, *pod);
    // A port that excludes the pod from its node is reported by the scheduler's filter.
    const bool is_reported = c.report.verdict() == NodeVerdict::Pending;
    const auto port = is_reported ? std::nullopt : shared_ports(wanted, *pod).port;
    if (image.empty() && !port) continue;
    using PortNumber = std::optional<std::int64_t>;
    const bool is_same = !image.empty();
    Finding finding = make_finding(
        finding::PodStaticShadow{.image = image,
                                 .port = is_same ? PortNumber() : port->port,
                                 .protocol = is_same ? model::Text() : port->protocol,
                                 .static_pod = ref_of(*pod)},
        {{ref_of(*pod), "metadata.annotations['kubernetes.io/config.mirror']"}}, names_of(c));
    finding.standing = Standing::Context;
    finding.group = image.empty() ? fmt::format("{}/{}", port->port, port->protocol.view())
                                  : std::string(image);
    findings.push_back(std::move(finding));
  }
}

// ---- on all nodes

/// The second instances of a program.
struct Twin {
  std::string_view image;                           // of one of its pods
  std::string_view program;                         // that both run
  std::map<std::string, const model::Pod*> pods{};  // by node
};

/// Without failing pods, which are reported on their nodes.
ProgramIndex::PodsByNode own_pods(const DaemonSetCase& c) {
  ProgramIndex::PodsByNode result;
  for (const model::Pod* pod : c.claimed.owned) {
    if (!is_bound(*pod) || !is_live(*pod) || failing_container(*pod)) continue;
    result.emplace(pod->node_name, pod);
  }
  return result;
}

std::string_view image_of(const model::PodSpec& spec, std::string_view program) {
  for (const model::Container& container : spec.containers) {
    if (program_of(container.image) == program) return container.image;
  }
  return {};
}

Finding twin_finding(const DaemonSetCase& c, const Twin& twin, const ObjectRef& other) {
  const model::Pod& first = *twin.pods.begin()->second;
  const bool is_static = first.mirror;
  std::vector<std::string> failing;
  for (const auto& [node, pod] : twin.pods) {
    if (is_static && failing_container(*pod)) failing.push_back(pod->meta.name.str());
  }
  const std::string_view release = annotation_of(c.ds, helm_release);
  const bool fails = !failing.empty();
  Finding finding = make_finding(
      finding::DaemonsetProgramTwice{
          .failing = std::move(failing),
          .helm_did_not_install_it = is_static && release.empty(),
          .helm_installed_it = is_static && !release.empty(),
          .image = twin.image,
          .it_is_a_static_pod = is_static,
          .nodes = twin.pods.size(),
          .other = name_in_namespace(other),
          .own_image = image_of(c.ds.pod_template.spec, twin.program),
          .program = twin.program,
          .release = release,
          .release_ns = annotation_of(c.ds, helm_namespace),
          .static_pods = is_static ? std::optional<std::int64_t>(twin.pods.size()) : std::nullopt,
          .twin = is_static ? ObjectRef() : other},
      {{ref_of(c.ds), "spec.template.spec.containers[*].image"},
       {ref_of(first), "spec.containers[*].image"}},
      names_of(c));
  if (fails) finding.severity = Severity::Error;
  finding.standing = fails ? Standing::Also : Standing::Context;
  for (const auto& [node, pod] : twin.pods) finding.nodes.push_back(node);
  return finding;
}

void add_static_twins(const DaemonSetCase& c, const Programs& mine,
                      const ProgramIndex::PodsByNode& own, std::vector<Finding>& findings) {
  Twin twin;
  for (const std::string_view program : mine) {
    for (const model::Pod* pod : c.facts.programs().of(program).static_pods) {
      if (!own.contains(pod->node_name) || !are_twins(mine, programs_of(*pod->spec))) continue;
      twin.pods.emplace(pod->node_name.str(), pod);
      if (!twin.program.empty()) continue;
      twin.program = program;
      twin.image = image_of(*pod->spec, program);
    }
  }
  if (!twin.pods.empty()) findings.push_back(twin_finding(c, twin, {}));
}

/// Only the DaemonSets that come first: one report is enough to look at the program.
constexpr std::size_t most_twins = 4;

/// The nodes on which both DaemonSets run the program; no pods if they are not twins.
Twin twin_in(const DaemonSetCase& c, const Programs& mine, const ProgramIndex::PodsByNode& own,
             const model::DaemonSet& other, std::string_view program) {
  const model::PodTemplate& wanted = c.ds.pod_template;
  const model::PodTemplate& theirs = other.pod_template;
  Twin twin{.image = image_of(theirs.spec, program), .program = program};
  const SharedPorts ports =
      shared_ports(wanted.spec, wanted.host_network, theirs.spec, theirs.host_network);
  if (!ports.any() || !are_twins(mine, programs_of(theirs.spec))) return twin;
  for (const auto& [node, pod] : c.facts.programs().pods_of(other)) {
    if (own.contains(node) && !failing_container(*pod)) twin.pods.emplace(node, pod);
  }
  return twin;
}

void add_daemon_set_twins(const DaemonSetCase& c, const Programs& mine,
                          const ProgramIndex::PodsByNode& own, std::vector<Finding>& findings) {
  std::set<const model::DaemonSet*> asked = {&c.ds};
  for (const std::string_view program : mine) {
    for (const model::DaemonSet* other : c.facts.programs().of(program).daemon_sets) {
      if (asked.size() > most_twins) return;
      // The parts of a product share its image and its namespace.
      if (other->meta.ns == c.ds.meta.ns || !asked.insert(other).second) continue;
      const Twin twin = twin_in(c, mine, own, *other, program);
      if (!twin.pods.empty()) findings.push_back(twin_finding(c, twin, ref_of(*other)));
    }
  }
}

}  // namespace

std::vector<Finding> twin_findings_on(const NodeCase& c) {
  std::vector<Finding> findings;
  if (auto conflict = conflict_on(c)) {
    findings.push_back(*std::move(conflict));
  } else {
    add_static_shadow(c, findings);
  }
  return findings;
}

std::vector<Finding> twin_findings(const DaemonSetCase& c) {
  std::vector<Finding> findings;
  const Programs mine = programs_of(c.ds.pod_template.spec);
  const ProgramIndex& programs = c.facts.programs();
  const bool is_alone = std::ranges::none_of(mine, [&](std::string_view program) {
    const ProgramIndex::Users& users = programs.of(program);
    return !users.static_pods.empty() || users.daemon_sets.size() > 1;
  });
  if (is_alone) return findings;
  const ProgramIndex::PodsByNode own = own_pods(c);
  add_static_twins(c, mine, own, findings);
  add_daemon_set_twins(c, mine, own, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
