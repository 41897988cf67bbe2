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
// As groups have it: an attribute sets nodes apart if at most a fourth as many others share it.
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
  std::ranges::sort(result, {}, &Place::node);  // as the cluster has them
  return result;
}

struct Saying {
  std::string text;
  Evidence evidence;
};

/// The first text of the pod's containers and of warnings about them that `fits`.
std::optional<Saying> said(const DaemonSetCase& c, const model::Pod& pod,
                           const std::function<bool(std::string_view)>& fits) {
  for (const auto* statuses : {&pod.init_statuses, &pod.statuses}) {
    for (const model::ContainerStatus& status : *statuses) {
      std::vector<std::string_view> texts;
      if (status.waiting) texts.emplace_back(status.waiting->message);
      if (status.terminated) texts.emplace_back(status.terminated->message);
      if (status.last_terminated) texts.emplace_back(status.last_terminated->message);
      for (const std::string_view text : texts) {
        if (!fits(text)) continue;
        return Saying{error_excerpt(text),
                      Evidence(pod_field(pod, fmt::format("status of container {}: {}",
                                                          status.name.view(), wording::whole(text))))};
      }
    }
  }
  for (const model::Event* event : events_of(c.facts, pod)) {
    // What fails there is a program or an image of the node's own.
    if (event->type == "Normal" || event->reason == "FailedCreatePodSandBox") continue;
    if (!fits(event->message)) continue;
    return Saying{error_excerpt(event->message), event_evidence(*event)};
  }
  return std::nullopt;
}

std::optional<Saying> said(const DaemonSetCase& c, const model::Pod& pod, Words words) {
  return said(c, pod, [&](std::string_view text) { return mentions_any(text, words); });
}

/// A runtime or a registry that has the image, but not for the platform.
std::optional<Saying> said_of_platform(const DaemonSetCase& c, const model::Pod& pod) {
  return said(c, pod,
              {"no match for platform", "no matching manifest for",
               "no image found in manifest list for architecture",
               "no image found in image index for architecture"});
}

/// The image of the container in trouble, else of the first one.
std::string image_of(const model::Pod& pod) {
  for (const model::ContainerStatus& status : pod.statuses) {
    if (status.ready) continue;
    const model::Container* container = find_container(pod, status.name);
    if (container != nullptr) return container->image.str();
  }
  return pod.spec->containers.empty() ? std::string() : pod.spec->containers.front().image.str();
}

bool crashes_at_start(const model::Pod& pod) {
  return std::ranges::any_of(pod.statuses, [](const model::ContainerStatus& status) {
    const auto failed = [](const model::SharedOptional<model::TerminatedState>& state) {
      return state && state->reason == "StartError";
    };
    // Memory has nothing to do with the architecture.
    const bool oom = status.last_terminated && status.last_terminated->reason == "OOMKilled";
    return (status.waiting && status.waiting->reason == "CrashLoopBackOff" && !oom) ||
           failed(status.terminated) || failed(status.last_terminated);
  });
}

// ---- what else the failing nodes have in common

std::string_view label_of(const model::Node& node, std::string_view key) {
  const model::Text* value = node.meta.labels.find(key);
  return value == nullptr ? std::string_view() : value->view();
}

/// Attributes that say something else than the architecture does. The instance type is none: it
/// decides the architecture.
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

/// Of one architecture: who fails, and whether by crashes alone the architecture is suspect.
Finding architecture_finding(const DaemonSetCase& c, const Place& place, std::int64_t count,
                             const std::optional<Saying>& words) {
  const std::string image = image_of(*place.pod);
  const std::string_view architecture = place.node->architecture;
  std::string message =
      words
          ? fmt::format("image {} is not built for {}: {}: {}", image, architecture,
                        wording::counted(count, "node"), words->text)
          : fmt::format(
                "image {} is possibly not built for {}: all {} of it crash, other architectures do "
                "not",
                image, architecture, wording::counted(count, "node"));
  std::vector<Evidence> evidence = {fmt::format("Node/{} status.nodeInfo.architecture: {}",
                                                   place.node->meta.name.view(), architecture)};
  evidence.push_back(words ? words->evidence
                           : pod_field(*place.pod, "status.containerStatuses[].state"));
  Finding finding = make_said_finding(finding::NodeArchMismatch{.arch = architecture, .image = image},
                                 std::move(message), std::move(evidence), names_of(c));
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

bool uses_linux_only_fields(const model::PodTemplate& of) {
  if (of.spec.host_pid || of.spec.host_ipc) return true;
  return std::ranges::any_of(of.spec.volumes, [](const model::Volume& volume) {
    return volume.kind == "hostPath" && volume.source.view().starts_with("/proc");
  });
}

/// The one operating system of all nodes where the pods are fine; empty if there is not one.
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

/// The operating system that the pods are made for; empty where nothing tells.
std::string_view os_of_pods(const DaemonSetCase& c, const std::vector<Place>& places) {
  const std::string_view stated = c.ds.pod_template.spec.os;
  return stated.empty() ? proven_os(places) : stated;
}

bool is_of_other_os(const Place& place, std::string_view wanted) {
  const std::string_view os = os_of(*place.node);
  return !os.empty() && !wanted.empty() && os != wanted;
}

/// A ready pod runs the image of this place on a node of the same architecture.
bool is_refuted(const Place& place, const std::vector<Place>& fine) {
  const std::string image = image_of(*place.pod);
  return std::ranges::any_of(fine, [&](const Place& other) {
    return other.node->architecture == place.node->architecture &&
           std::ranges::find(other.pod->spec->containers, image, [](const auto& container) {
             return container.image.view();
           }) != other.pod->spec->containers.end();
  });
}

/// Words that name the architecture for the trouble. A registry says the same of an operating
/// system that the image is not made for.
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

/// What shows that the pod is not made for the node's operating system; absent where nothing does.
/// With no word of the one that it is made for, only the registry's words show it.
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
    return pod_field(*place.pod, fmt::format("status.reason: {}", place.pod->reason.view()));
  }
  const bool create_error =
      std::ranges::any_of(place.pod->statuses, [](const model::ContainerStatus& status) {
        return is_one_of(waiting_reason(status), {"CreateContainerError", "RunContainerError",
                                                  "CreateContainerConfigError"});
      });
  if (create_error) return pod_field(*place.pod, "status.containerStatuses[].state.waiting");
  if (wanted == "linux" && uses_linux_only_fields(c.ds.pod_template)) {
    return fmt::format("DaemonSet/{} spec.template.spec: fields that only Linux has",
                       c.ds.meta.name.view());
  }
  return std::nullopt;
}

Finding os_finding(const DaemonSetCase& c, const Place& place, std::string_view wanted,
                   std::int64_t count, Evidence evidence) {
  const std::string_view os = os_of(*place.node);
  Finding finding = make_said_finding(  // Into a JSON patch goes only what needs no quoting.
      finding::NodeOsMismatch{
          .os_of_the_pods = wanted == "linux" || wanted == "windows" ? wanted : std::string_view(),
          .os_without_image = wanted.empty() ? os : std::string_view()},
      fmt::format(
          "{} {} {}, but the pod is {}", wording::counted(count, "node"),
          count == 1 ? "runs" : "run", os,
          wanted.empty() ? std::string("not built for it") : fmt::format("built for {}", wanted)),
      {fmt::format("Node/{} {}: {}", place.node->meta.name.view(),
                   label_of(*place.node, os_label).empty() ? "status.nodeInfo.operatingSystem"
                                                           : "metadata.labels[kubernetes.io/os]",
                   os),
       std::move(evidence)},
      names_of(c));
  finding.group = fmt::format("{}|{}", os, wanted);
  return finding;
}

/// Nodes that the template's own clause about the operating system leaves out.
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
          make_said_finding(finding::NodeOsMismatch{.os_of_the_pods = "", .os_without_image = ""},
                       fmt::format("the node runs {}, the pods are built for {}",
                                   selector->have->view(), selector->want.view()),
                       {fmt::format("Node/{} metadata.labels[kubernetes.io/os]: {}",
                                    report.name.view(), selector->have->view())});
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
        std::ranges::none_of(fine, same) &&
        std::ranges::all_of(group, [](const Place& p) { return crashes_at_start(*p.pod); });
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
