// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/refusal_story.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "diagnosis/catalogue/findings/kubelet.h"
#include "diagnosis/causes/pods/kubelet_words.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/ranking.h"
#include "diagnosis/report/refusal_reason.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/node_affinity.h"
#include "placement/tolerates.h"
#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

/// The kubelet counts cpu in thousandths and sizes in bytes.
std::string amount(std::string_view resource, std::int64_t value) {
  if (resource == "cpu") return fmt::format("{}m", value);
  const bool bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  constexpr std::int64_t mebi = 1'048'576;
  if (!bytes) return std::to_string(value);
  return value % mebi == 0 ? fmt::format("{}Mi", value / mebi) : fmt::format("{} bytes", value);
}

/// Whether the node's labels and taints were read.
bool was_read(const NodeCase& c) {
  return model::find_node(c.of.facts.cluster(), c.node.meta.name) != nullptr;
}

/// The kubelet's own message.
Message said(const KubeletRefusal& refusal) {
  const std::string words = excerpt(own_words(refusal.message));
  if (words.empty()) return phrase::KubeletWithoutWords{};
  return phrase::KubeletWords{.words = words};
}

RefusalStory shortage(const NodeCase& c, const KubeletRefusal& refusal) {
  const std::string_view resource = refusal.reason.substr(short_of.size());
  const auto requested = number_after(refusal.message, "requested: ");
  const auto used = number_after(refusal.message, "used: ");
  const auto capacity = number_after(refusal.message, "capacity: ");
  RefusalStory story;
  story.group = fmt::format("{}|{}", resource, requested.value_or(0));
  if (!requested || !used || !capacity) {
    if (!own_words(refusal.message).empty()) story.clauses = {said(refusal)};
    return story;
  }
  story.clauses = {phrase::RefusedForShortage{.capacity = amount(resource, *capacity),
                                              .requested = amount(resource, *requested),
                                              .used = amount(resource, *used)}};
  if (resource == "pods" && c.of.facts.has_every_pod_on(c.node.meta.name)) {
    const auto& pods = c.of.facts.pods_on(c.node.meta.name);
    const auto mirrors = std::ranges::count_if(pods, [](const auto* pod) { return pod->mirror; });
    story.clauses.push_back(phrase::PodsOnNodeNow{.pods = pods.size(), .static_pods = mirrors});
  }
  if (const model::Text* now = c.node.allocatable.find(resource)) {
    story.evidence.emplace_back(ref_of(c.node), fmt::format("status.allocatable['{}']", resource),
                                now->str());
  }
  return story;
}

std::string label_path(std::string_view key) { return fmt::format("metadata.labels['{}']", key); }

/// The parts of the pod's own node selector and affinity that the node does not meet now.
struct Unmet {
  std::vector<Message> requirements;
  std::vector<Evidence> evidence;
  std::string first;

  /// `have`: the node's value; null if it has none.
  void add(const model::Node& node, std::string path, std::string requirement, Message words,
           const model::Text* have) {
    if (requirements.empty()) first = std::move(requirement);
    requirements.push_back(std::move(words));
    evidence.emplace_back(ref_of(node), std::move(path),
                          have == nullptr ? std::string() : have->str());
  }
};

Unmet unmet_requirements(const model::Pod& pod, const model::Node& node) {
  Unmet result;
  for (const auto& [key, want] : pod.node_selector) {
    const model::Text* have = node.meta.labels.find(key);
    if (have != nullptr && *have == want) continue;
    result.add(node, label_path(key), fmt::format("{}={}", key.view(), want.view()),
               phrase::LabelWasRequired{.have = have == nullptr ? model::Text() : *have,
                                        .is_there = have != nullptr,
                                        .key = key,
                                        .value = want},
               have);
  }
  if (!pod.node_affinity) return result;
  const placement::NodeAffinity affinity(*pod.node_affinity);
  if (affinity.matches(node)) return result;
  for (const placement::RequirementFailure& failure : affinity.failures(node)) {
    const auto& term = pod.node_affinity->terms[failure.term];
    const auto& requirement =
        (failure.in_fields ? term.match_fields : term.match_expressions)[failure.index];
    const model::Text* have = placement::value_for(requirement, failure.in_fields, node);
    Argument::Names values;
    for (const model::Text& value : requirement.values) values.push_back(value.str());
    result.add(node, failure.in_fields ? requirement.key.str() : label_path(requirement.key),
               fmt::format("{} {} {}", requirement.key.view(), requirement.op.view(),
                           fmt::join(values, ",")),
               phrase::ExpressionWasRequired{.have = have == nullptr ? model::Text() : *have,
                                             .is_there = have != nullptr,
                                             .key = requirement.key,
                                             .op = requirement.op,
                                             .values = values},
               have);
  }
  return result;
}

RefusalStory affinity_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (refusal.object == nullptr) return {{phrase::RefusedByLabels{}}};
  if (!was_read(c)) {
    return {{phrase::RefusedByLabelsOnce{}, phrase::RefusingNodeUnread{}}, "unread"};
  }
  Unmet unmet = unmet_requirements(*refusal.object, c.node);
  if (unmet.requirements.empty()) {
    return {.clauses = {phrase::RefusedByLabelsOnce{}, phrase::LabelsMatchAgain{}},
            .group = "now",
            .is_over = true};
  }
  return {{phrase::RefusedByChangedLabel{.requirements = std::move(unmet.requirements)}},
          std::move(unmet.first),
          std::move(unmet.evidence)};
}

/// Evidence from the field in the pod's spec that names this host port.
Evidence port_evidence(const model::Pod& pod, const scheduling::HostPort& held) {
  for (const bool is_init : {false, true}) {
    const auto& list = is_init ? pod.spec->init_containers : pod.spec->containers;
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t k = 0; k < list[i].ports.size(); ++k) {
        const model::ContainerPort& port = list[i].ports[k];
        const bool by_default = port.host_port == 0;
        if ((by_default ? port.container_port : port.host_port) != held.port) continue;
        return {ref_of(pod),
                fmt::format("spec.{}[{}].ports[{}].{}", is_init ? "initContainers" : "containers",
                            i, k, by_default ? "containerPort" : "hostPort"),
                std::to_string(held.port)};
      }
    }
  }
  return {ref_of(pod), "spec.containers"};
}

RefusalStory held_port_story(const model::Pod& holder, const scheduling::HostPort& wanted,
                             const scheduling::HostPort& held) {
  std::string owner = "pod";
  if (holder.meta.controller) {
    owner = fmt::format("{}/{}", holder.meta.controller->kind.view(),
                        holder.meta.controller->name.view());
  }
  if (holder.mirror) owner = "static";
  return {{phrase::RefusedByHeldPort{.holder = ref_of(holder),
                                     .is_static = holder.mirror,
                                     .port = wanted.port,
                                     .protocol = wanted.protocol}},
          fmt::format("{}/{}|{}", wanted.port, wanted.protocol.view(), owner),
          {port_evidence(holder, held)}};
}

RefusalStory ports_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (refusal.object == nullptr) return {{phrase::RefusedByHostPort{}}};
  const auto ports_of = [](const model::Pod& pod) {
    return scheduling::admitted_host_ports(*pod.spec, pod.host_network);
  };
  for (const scheduling::HostPort& wanted : ports_of(*refusal.object)) {
    for (const model::Pod* pod : c.of.facts.pods_on(c.node.meta.name)) {
      if (pod == refusal.object) continue;
      for (const scheduling::HostPort& held : ports_of(*pod)) {
        if (conflict(wanted, held)) return held_port_story(*pod, wanted, held);
      }
    }
  }
  if (c.of.facts.has_every_pod_on(c.node.meta.name)) {
    return {.clauses = {phrase::RefusedByHostPort{}, phrase::HostPortIsFree{}}, .is_over = true};
  }
  if (!c.of.facts.knows_all_pods_on(c.node.meta.name)) {
    return {{phrase::RefusedByHostPort{}, phrase::HoldersPartlyRead{}}};
  }
  return {{phrase::RefusedByHostPort{},
           phrase::HoldersOfOneNamespace{.pods_of = refusal.object->meta.ns}}};
}

RefusalStory taint_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (!was_read(c)) {
    return {{phrase::RefusedByUnreadTaint{}, phrase::RefusingNodeUnread{}}, "unread"};
  }
  const auto tolerations =
      refusal.object != nullptr && !refusal.object->tolerations->empty()
          ? *refusal.object->tolerations
          : placement::effective_tolerations(c.of.ds.pod_template.tolerations,
                                             c.of.ds.pod_template.host_network);
  const auto refused_by = [&](const model::Taint& taint) {
    return RefusalStory{{phrase::RefusedByTaint{
                            .taint = fmt::format("{}:{}", taint.key.view(), taint.effect.view())}},
                        taint.key.str(),
                        {taint_evidence(c.node, taint)}};
  };
  const model::Taint* by_gate = nullptr;  // tolerated only if the kubelet has the gate
  for (const model::Taint& taint : c.node.taints) {
    if (taint.effect != model::effect::no_execute) continue;
    if (placement::first_tolerating(tolerations, taint, c.of.gates) == nullptr) {
      return refused_by(taint);
    }
    if (placement::first_tolerating(tolerations, taint, {}) == nullptr) by_gate = &taint;
  }
  if (by_gate != nullptr) {
    RefusalStory story = refused_by(*by_gate);
    story.clauses.push_back(phrase::KubeletLacksGate{});
    return story;
  }
  return {.clauses = {phrase::RefusedByRemovedTaint{}}, .is_over = true};
}

RefusalStory shutdown_story(const NodeCase& c, const KubeletRefusal& refusal) {
  RefusalStory story;
  if (refusal.reason == "NodeShutdown") {
    story.clauses = {phrase::RefusedInShutdown{.moment = refusal.at}};
  } else {
    story.clauses = {phrase::EndedByShutdown{.moment = refusal.at}};
  }
  story.is_over = is_ready(c.node);
  story.group = story.is_over ? "back" : "down";
  if (!story.is_over) return story;
  const model::Condition& ready = *model::find_condition(c.node.conditions, "Ready");
  story.ended = ready.last_transition;
  if (story.ended) {
    story.clauses.push_back(phrase::NodeReadySince{.ready = story.ended});
  } else {
    story.clauses.push_back(phrase::NodeReadyNow{});
  }
  story.evidence.push_back(condition_evidence(c.node, ready));
  return story;
}

/// Adds the pod's QoS class and priority, which decide how early kubelets evict it, if known.
void add_rank_of(const model::Pod* pod, RefusalStory& story) {
  if (pod == nullptr) return;
  const auto& priority = pod->spec->priority;
  if (!pod->qos_class.empty()) {
    story.clauses.push_back(phrase::ClassOfPod{.priority = priority, .qos = pod->qos_class});
  } else if (priority) {
    story.clauses.push_back(phrase::PriorityOfPod{.priority = priority});
  }
}

RefusalStory eviction_story(const KubeletRefusal& refusal) {
  const std::string_view resource = starved_resource(refusal.message);
  RefusalStory story{{said(refusal)},
                     resource.empty() ? std::string(evicted_by_own_limit) : excerpt(resource)};
  add_rank_of(refusal.object, story);
  return story;
}

/// Whether the node has at least one of `conditions`, such as "DiskPressure, PIDPressure", and all
/// that it has are False.
bool has_ended(const model::Node& node, std::string_view conditions) {
  bool is_known = false;
  for (const model::Condition& condition : node.conditions) {
    if (condition.type.empty() || !mentions(conditions, condition.type)) continue;
    if (condition.status != "False") return false;
    is_known = true;
  }
  return is_known;
}

RefusalStory pressure_story(const NodeCase& c, const KubeletRefusal& refusal) {
  const std::string conditions = excerpt(bracketed(refusal.message));
  const bool is_over = has_ended(c.node, conditions);
  RefusalStory story{
      .clauses = {phrase::RefusedUnderPressure{.conditions = conditions, .is_over = is_over}},
      .group = conditions,
      .is_over = is_over};
  add_rank_of(refusal.object, story);
  return story;
}

/// The kubelet compares the pod's label with the node's; the pod's spec.os is not used.
std::optional<RefusalStory> os_label_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (refusal.reason != "PodOSSelectorNodeLabelDoesNotMatch") return std::nullopt;
  const model::Labels& labels =
      refusal.object != nullptr ? refusal.object->meta.labels : c.of.ds.pod_template.labels;
  const model::Text* label = labels.find("kubernetes.io/os");
  if (label == nullptr || label->empty()) return std::nullopt;
  return RefusalStory{{phrase::RefusedByOsLabel{.os = c.node.os, .wanted = *label}},
                      c.node.os.str()};
}

RefusalStory os_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (auto story = os_label_story(c, refusal)) return *std::move(story);
  std::string_view wanted =
      refusal.object != nullptr ? refusal.object->spec->os.view() : std::string_view();
  if (wanted.empty()) wanted = c.of.ds.pod_template.spec.os;
  if (wanted.empty()) return {{phrase::RefusedByOtherOs{.os = c.node.os}}, c.node.os.str()};
  return {{phrase::RefusedByOs{.os = c.node.os, .wanted = wanted}}, c.node.os.str()};
}

RefusalStory feature_story(const NodeCase& c, const KubeletRefusal& refusal) {
  RefusalStory story{{said(refusal)}, std::string(refusal.reason)};
  FeatureGap gap = refused_features(c, refusal);
  if (!gap.is_empty()) {
    story.clauses.insert(story.clauses.end(), gap.clauses.begin(), gap.clauses.end());
    story.evidence = std::move(gap.evidence);
    story.group = std::move(gap.group);
    return story;
  }
  if (c.node.kubelet_version.empty()) return story;
  story.clauses.push_back(phrase::VersionsOnNode{.kubelet = c.node.kubelet_version,
                                                 .runtime = c.node.container_runtime});
  return story;
}

RefusalStory verbatim(const KubeletRefusal& refusal) {
  return {{said(refusal)},
          refusal.reason.empty() ? std::string("no reason given") : excerpt(refusal.reason)};
}

RefusalStory volume_limit_story(const NodeCase& c, const KubeletRefusal& refusal) {
  RefusalStory story = verbatim(refusal);
  const model::CsiNode* csi = c.of.facts.csi_node(c.node.meta.name);
  if (csi == nullptr) return story;
  for (std::size_t i = 0; i < csi->drivers.size(); ++i) {
    if (!csi->drivers[i].limit) continue;
    story.evidence.emplace_back(ObjectRef{"CSINode", "", c.node.meta.name.str()},
                                fmt::format("spec.drivers[{}].allocatable.count", i),
                                std::to_string(*csi->drivers[i].limit));
  }
  return story;
}

RefusalStory name_story(const NodeCase& c, const KubeletRefusal& refusal) {
  return {{phrase::RefusedByName{
      .bound_to = refusal.object == nullptr ? c.node.meta.name : refusal.object->node_name}}};
}

}  // namespace

FeatureGap refused_features(const NodeCase& c, const KubeletRefusal& refusal) {
  constexpr std::string_view words = "requires node features that are not available: ";
  const std::string_view message = refusal.message;
  const std::size_t at = message.find(words);
  if (at == message.npos) return {};
  const bool is_there = refusal.object != nullptr;
  const model::PodTemplate& of = c.of.ds.pod_template;
  const scheduling::FeatureNeeds needs = scheduling::required_features(
      is_there ? *refusal.object->spec : of.spec,
      is_there ? refusal.object->host_network : of.host_network, c.of.facts.release().release);
  scheduling::FeatureNeeds lacking;
  for (const std::string_view name : base::split(message.substr(at + words.size()), ", ")) {
    const scheduling::NodeFeature* feature = scheduling::find_node_feature(name);
    if (feature == nullptr) continue;
    const auto need = std::ranges::find(needs, feature, &scheduling::FeatureNeed::feature);
    lacking.push_back(need != needs.end() ? *need : scheduling::FeatureNeed{feature, {}, {}});
  }
  return feature_gap(c.node, is_there ? ref_of(*refusal.object) : ref_of(c.of.ds), lacking);
}

RefusalStory story_of(const NodeCase& c, const KubeletRefusal& refusal, FindingId id) {
  if (refusal.reason.starts_with(short_of)) return shortage(c, refusal);
  if (id == FindingId::KubeletNodeAffinity) return affinity_story(c, refusal);
  if (id == FindingId::KubeletNodePorts) return ports_story(c, refusal);
  if (id == FindingId::KubeletNodeName) return name_story(c, refusal);
  if (id == FindingId::KubeletTaint) return taint_story(c, refusal);
  if (id == FindingId::KubeletShutdown) return shutdown_story(c, refusal);
  if (id == FindingId::KubeletPressureRefused) return pressure_story(c, refusal);
  if (id == FindingId::KubeletEvicted) return eviction_story(refusal);
  if (id == FindingId::KubeletPreempted) return {{phrase::PreemptedForCritical{}}};
  if (id == FindingId::KubeletOsRefused) return os_story(c, refusal);
  if (id == FindingId::KubeletFeatureRefused) return feature_story(c, refusal);
  if (id == FindingId::KubeletVolumeLimit) return volume_limit_story(c, refusal);
  return verbatim(refusal);
}

}  // namespace dsdoctor::diagnosis
