// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/platform_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view os_label = "kubernetes.io/os";
constexpr std::size_t enough_healthy = 2;
// Like groups: an attribute distinguishes nodes if at most a quarter as many other nodes share it.
constexpr std::size_t tolerated_strangers = 4;

/// One node with a live pod of the DaemonSet.
struct Place {
  const model::Node* node = nullptr;
  const model::Pod* pod = nullptr;
  bool fine = false;
};

std::vector<Place> places_of(const DaemonSetCase& c) {
  std::unordered_map<std::string_view, Place> places;
  for (const auto* pods : {&c.claimed.owned, &c.claimed.adoptable}) {
    for (const model::Pod* pod : *pods) {
      if (!is_bound(*pod) || is_terminating(*pod)) continue;
      Place& place = places[pod->node_name];
      const bool fine = is_ready(*pod) && !is_terminal(*pod);
      if (place.pod == nullptr || (fine && !place.fine)) place.pod = pod;
      place.fine |= fine;
    }
  }
  std::vector<Place> result;
  for (auto& [name, place] : places) {
    place.node = model::find_node(c.facts.cluster(), name);
    if (place.node != nullptr) result.push_back(place);
  }
  std::ranges::sort(result, {}, &Place::node);  // in the cluster's order
  return result;
}

struct Saying {
  std::string text;
  Evidence evidence;
};

/// A text in a container's status, and its field.
struct StatusText {
  std::string_view field;
  std::string_view text;
};

std::vector<StatusText> texts_of(const model::ContainerStatus& status) {
  std::vector<StatusText> result;
  if (status.waiting) result.push_back({"state.waiting.message", status.waiting->message});
  if (status.terminated) {
    result.push_back({"state.terminated.message", status.terminated->message});
  }
  if (status.last_terminated) {
    result.push_back({"lastState.terminated.message", status.last_terminated->message});
  }
  return result;
}

/// The first text of the pod's containers or of their warning events that `fits`.
std::optional<Saying> said(const DaemonSetCase& c, const model::Pod& pod,
                           const std::function<bool(std::string_view)>& fits) {
  for (const auto* statuses : {&pod.init_statuses, &pod.statuses}) {
    for (const model::ContainerStatus& status : *statuses) {
      for (const auto& [field, text] : texts_of(status)) {
        if (fits(text))
          return Saying{error_excerpt(text), status_evidence(pod, status, field, text)};
      }
    }
  }
  for (const model::Event* event : events_of(c.facts, pod)) {
    // A failing sandbox is about the node's own programs and images.
    if (event->type == "Normal" || event->reason == "FailedCreatePodSandBox") continue;
    if (!fits(event->message)) continue;
    return Saying{error_excerpt(event->message), event_evidence(*event)};
  }
  return std::nullopt;
}

std::optional<Saying> said(const DaemonSetCase& c, const model::Pod& pod, TextList words) {
  return said(c, pod, [&](std::string_view text) { return mentions_any(text, words); });
}

/// The message of a runtime or a registry that has the image, but not for the platform.
std::optional<Saying> said_of_platform(const DaemonSetCase& c, const model::Pod& pod) {
  return said(c, pod,
              {"no match for platform", "no matching manifest for",
               "no image found in manifest list for architecture",
               "no image found in image index for architecture"});
}

/// The image of the first container that is not ready, else of the first container.
std::string image_of(const model::Pod& pod) {
  for (const model::ContainerStatus& status : pod.statuses) {
    if (status.ready) continue;
    const model::Container* container = find_container(pod, status.name);
    if (container != nullptr) return container->image.str();
  }
  return pod.spec->containers.empty() ? std::string() : pod.spec->containers.front().image.str();
}

/// Evidence that a container of the pod crashes at its start; absent if it does not.
std::optional<Evidence> crash_at_start(const model::Pod& pod) {
  const auto failed = [](const model::SharedOptional<model::TerminatedState>& state) {
    return state && state->reason == "StartError";
  };
  for (const model::ContainerStatus& status : pod.statuses) {
    const auto shown = [&](std::string_view field, std::string_view reason) {
      return status_evidence(pod, status, field, reason);
    };
    // Running out of memory is unrelated to the architecture.
    const bool oom = status.last_terminated && status.last_terminated->reason == "OOMKilled";
    const std::string_view waits = waiting_reason(status);
    if (waits == "CrashLoopBackOff" && !oom) return shown("state.waiting.reason", waits);
    if (failed(status.terminated)) return shown("state.terminated.reason", "StartError");
    if (failed(status.last_terminated)) return shown("lastState.terminated.reason", "StartError");
  }
  return std::nullopt;
}

// ---- other attributes that the failing nodes share

std::string_view label_of(const model::Node& node, std::string_view key) {
  const model::Text* value = node.meta.labels.find(key);
  return value == nullptr ? std::string_view() : value->view();
}

/// Attributes that do not follow from the architecture. The instance type is not one of them: it
/// determines the architecture.
std::vector<std::string_view> other_attributes(const model::Node& node) {
  std::vector<std::string_view> result;
  for (const std::string_view key :
       {"karpenter.sh/nodepool", "eks.amazonaws.com/nodegroup", "cloud.google.com/gke-nodepool",
        "kubernetes.azure.com/agentpool", "topology.kubernetes.io/zone"}) {
    result.push_back(label_of(node, key));
  }
  for (const model::Text* text : {&node.os, &node.kubelet_version, &node.container_runtime,
                                  &node.os_image, &node.kernel_version}) {
    result.push_back(text->view());
  }
  return result;
}

bool something_else_sets_apart(const std::vector<Place>& failing, const std::vector<Place>& fine) {
  const auto first = other_attributes(*failing.front().node);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].empty()) continue;
    const auto same = [&](const Place& place) {
      return other_attributes(*place.node)[i] == first[i];
    };
    if (!std::ranges::all_of(failing, same)) continue;
    const auto strangers = static_cast<std::size_t>(std::ranges::count_if(fine, same));
    if (strangers * tolerated_strangers <= failing.size()) return true;
  }
  return false;
}

bool constrains(const model::PodTemplate& of, std::string_view key) {
  if (of.node_selector.find(key) != nullptr) return true;
  if (!of.node_affinity) return false;
  return std::ranges::any_of(of.node_affinity->terms, [&](const model::NodeSelectorTerm& term) {
    return std::ranges::any_of(term.match_expressions,
                               [&](const auto& requirement) { return requirement.key == key; });
  });
}

/// The finding for one architecture; without `words` it is suspected from crashes alone.
Finding architecture_finding(const DaemonSetCase& c, const Place& place, std::int64_t count,
                             const std::optional<Saying>& words) {
  const std::string image = image_of(*place.pod);
  const std::string_view architecture = place.node->architecture;
  std::vector<Evidence> evidence = {
      {ref_of(*place.node), "status.nodeInfo.architecture", std::string(architecture)}};
  if (auto shown = words ? words->evidence : crash_at_start(*place.pod)) {
    evidence.push_back(*std::move(shown));
  }
  Finding finding = make_finding(
      finding::NodeArchMismatch{.arch = architecture,
                                .image = image,
                                .nodes = count,
                                .proven = words.has_value(),
                                .said = words ? std::string_view(words->text) : std::string_view()},
      std::move(evidence), names_of(c));
  finding.group = fmt::format("{}|{}", architecture, image);
  if (!words) {
    finding.severity = Severity::Warning;
    finding.basis = Basis::Suspected;
  }
  return finding;
}

// ---- operating systems

std::string_view os_of(const model::Node& node) {
  const std::string_view label = label_of(node, os_label);
  return label.empty() ? node.os.view() : label;
}

/// Evidence for the node's operating system.
Evidence node_os_evidence(const model::Node& node) {
  const std::string_view label = label_of(node, os_label);
  if (label.empty()) return {ref_of(node), "status.nodeInfo.operatingSystem", node.os.str()};
  return {ref_of(node), "metadata.labels['kubernetes.io/os']", std::string(label)};
}

/// Evidence from a template field that only Linux supports.
std::optional<Evidence> linux_only_field(const model::DaemonSet& ds) {
  const model::PodSpec& spec = ds.pod_template.spec;
  if (spec.host_pid) return Evidence(ref_of(ds), "spec.template.spec.hostPID", "true");
  if (spec.host_ipc) return Evidence(ref_of(ds), "spec.template.spec.hostIPC", "true");
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) {
    const model::Volume& volume = spec.volumes[i];
    if (volume.kind != "hostPath" || !volume.source.view().starts_with("/proc")) continue;
    return Evidence(ref_of(ds), fmt::format("spec.template.spec.volumes[{}].hostPath.path", i),
                    volume.source.str());
  }
  return std::nullopt;
}

/// The operating system that all nodes with healthy pods share; empty if they differ.
std::string_view proven_os(const std::vector<Place>& places) {
  std::string_view result;
  for (const Place& place : places) {
    if (!place.fine) continue;
    const std::string_view os = os_of(*place.node);
    if (os.empty() || (!result.empty() && result != os)) return {};
    result = os;
  }
  return result;
}

/// The operating system that the pods are built for; empty if unknown.
std::string_view os_of_pods(const DaemonSetCase& c, const std::vector<Place>& places) {
  const std::string_view stated = c.ds.pod_template.spec.os;
  return stated.empty() ? proven_os(places) : stated;
}

bool is_of_other_os(const Place& place, std::string_view wanted) {
  const std::string_view os = os_of(*place.node);
  return !os.empty() && !wanted.empty() && os != wanted;
}

/// True if a ready pod runs this pod's image on a node of the same architecture.
bool is_refuted(const Place& place, const std::vector<Place>& fine) {
  const std::string image = image_of(*place.pod);
  return std::ranges::any_of(fine, [&](const Place& other) {
    return other.node->architecture == place.node->architecture &&
           std::ranges::find(other.pod->spec->containers, image, [](const auto& container) {
             return container.image.view();
           }) != other.pod->spec->containers.end();
  });
}

/// A message that blames the architecture. A registry reports the same for an operating system that
/// the image is not built for.
std::optional<Saying> said_of_architecture(const DaemonSetCase& c, const Place& place,
                                           const std::vector<Place>& fine,
                                           std::string_view os_wanted) {
  if (auto words = said(c, *place.pod, is_of_program_format); words && !is_refuted(place, fine)) {
    return words;
  }
  if (is_of_other_os(place, os_wanted) || said(c, *place.pod, {"no matching manifest for windows"}))
    return std::nullopt;
  return said_of_platform(c, *place.pod);
}

/// Evidence that the pod is not built for the node's operating system; absent if nothing shows it.
/// If the pod's own operating system is unknown, only the registry's message shows it.
std::optional<Evidence> os_evidence(const DaemonSetCase& c, const Place& place,
                                    std::string_view wanted) {
  if (auto words = said(c, *place.pod, {"no matching manifest for windows"})) {
    return std::move(words->evidence);
  }
  if (wanted.empty()) return std::nullopt;
  if (auto words = said_of_platform(c, *place.pod)) {
    return std::move(words->evidence);
  }
  if (place.pod->reason.view().starts_with("PodOS")) {
    return Evidence(ref_of(*place.pod), "status.reason", place.pod->reason.str());
  }
  const auto failed =
      std::ranges::find_if(place.pod->statuses, [](const model::ContainerStatus& status) {
        return is_one_of(waiting_reason(status), {"CreateContainerError", "RunContainerError",
                                                  "CreateContainerConfigError"});
      });
  if (failed != place.pod->statuses.end()) return waiting_evidence(*place.pod, *failed);
  return wanted == "linux" ? linux_only_field(c.ds) : std::nullopt;
}

Finding os_finding(const DaemonSetCase& c, const Place& place, std::string_view wanted,
                   std::int64_t count, Evidence evidence) {
  const std::string_view os = os_of(*place.node);
  // A JSON patch gets only values that need no quoting.
  const bool is_plain_word = wanted == "linux" || wanted == "windows";
  Finding finding = make_finding(
      finding::NodeOsMismatch{.built_for = wanted,
                              .nodes = count,
                              .os = os,
                              .os_of_the_pods = is_plain_word ? wanted : std::string_view(),
                              .os_without_image = wanted.empty() ? os : std::string_view()},
      {node_os_evidence(*place.node), std::move(evidence)}, names_of(c));
  finding.group = fmt::format("{}|{}", os, wanted);
  return finding;
}

/// Reports nodes that the template's own operating system selector excludes.
void add_left_out(const DaemonSetCase& c, FindingsByNode& findings) {
  const auto other_os = [](const placement::Reason& reason) {
    const auto* selector = std::get_if<placement::NodeSelectorMismatch>(&reason);
    return selector != nullptr && selector->key == os_label && selector->have ? selector : nullptr;
  };
  const auto left_out = c.report.nodes.where(
      [&](const NodeState& state) { return std::ranges::any_of(state.reasons, other_os); });
  for (const std::size_t i : left_out) {
    const NodeReport report = c.report.nodes[i];
    for (const placement::Reason& reason : report.reasons()) {
      const auto* selector = other_os(reason);
      if (selector == nullptr) continue;
      Finding finding =
          make_finding(finding::NodeOsMismatch{.built_for = selector->want,
                                               .nodes = std::optional<std::int64_t>(),
                                               .os = *selector->have,
                                               .os_of_the_pods = "",
                                               .os_without_image = ""},
                       {Evidence(ObjectRef{"Node", "", report.name.str()},
                                 "metadata.labels['kubernetes.io/os']", selector->have->str())});
      finding.severity = Severity::Info;
      finding.standing = Standing::Context;
      finding.group = fmt::format("{}|{}", selector->have->view(), selector->want.view());
      findings.emplace(report.name.str(), std::move(finding));
    }
  }
}

}  // namespace

FindingsByNode architecture_findings(const DaemonSetCase& c) {
  FindingsByNode findings;
  const std::vector<Place> places = places_of(c);
  const std::string_view os_wanted = os_of_pods(c, places);
  std::map<std::string_view, std::vector<Place>> failing;
  std::vector<Place> fine;
  for (const Place& place : places) {
    if (place.fine)
      fine.push_back(place);
    else if (!place.node->architecture.empty())
      failing[place.node->architecture].push_back(place);
  }
  for (const auto& entry : failing) {
    const std::string_view architecture = entry.first;
    const std::vector<Place>& group = entry.second;
    std::vector<std::pair<const Place*, std::optional<Saying>>> proven;
    for (const Place& place : group) {
      auto words = said_of_architecture(c, place, fine, os_wanted);
      if (words) proven.emplace_back(&place, std::move(words));
    }
    for (const auto& [place, words] : proven) {
      findings.emplace(place->node->meta.name.str(),
                       architecture_finding(c, *place, std::ssize(proven), words));
    }
    if (!proven.empty()) continue;
    const auto same = [&](const Place& place) { return place.node->architecture == architecture; };
    const auto others = std::ranges::count_if(
        fine, [&](const Place& p) { return !same(p) && !p.node->architecture.empty(); });
    const bool all_crash =
        std::ranges::none_of(fine, same) && std::ranges::all_of(group, [](const Place& p) {
          return crash_at_start(*p.pod).has_value();
        });
    if (!all_crash || static_cast<std::size_t>(others) < enough_healthy) continue;
    if (something_else_sets_apart(group, fine)) continue;
    for (const Place& place : group) {
      findings.emplace(place.node->meta.name.str(),
                       architecture_finding(c, place, std::ssize(group), std::nullopt));
    }
  }
  return findings;
}

FindingsByNode operating_system_findings(const DaemonSetCase& c) {
  FindingsByNode findings;
  add_left_out(c, findings);
  if (constrains(c.ds.pod_template, os_label)) return findings;
  const std::vector<Place> places = places_of(c);
  const std::string_view wanted = os_of_pods(c, places);
  std::vector<std::pair<const Place*, Evidence>> found;
  for (const Place& place : places) {
    const std::string_view os = os_of(*place.node);
    const auto fine_there = [&](const Place& p) { return p.fine && os_of(*p.node) == os; };
    if (place.fine || os.empty() || os == wanted) continue;
    if (wanted.empty() && std::ranges::any_of(places, fine_there)) continue;
    auto evidence = os_evidence(c, place, wanted);
    if (evidence) found.emplace_back(&place, std::move(*evidence));
  }
  for (auto& [place, evidence] : found) {
    findings.insert_or_assign(
        place->node->meta.name.str(),
        os_finding(c, *place, wanted, std::ssize(found), std::move(evidence)));
  }
  return findings;
}

}  // namespace dsdoctor::diagnosis
