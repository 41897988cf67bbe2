#include "diagnosis/causes/pods/refusal_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "diagnosis/causes/pods/kubelet_words.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"
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

/// Its labels and taints are known.
bool was_read(const NodeCase& c) {
  return model::find_node(c.of.facts.cluster(), c.node.meta.name) != nullptr;
}

RefusalStory shortage(const NodeCase& c, const KubeletRefusal& refusal) {
  const std::string_view resource = refusal.reason.substr(short_of.size());
  const auto requested = number_after(refusal.message, "requested: ");
  const auto used = number_after(refusal.message, "used: ");
  const auto capacity = number_after(refusal.message, "capacity: ");
  RefusalStory story;
  story.group = fmt::format("{}|{}", resource, requested.value_or(0));
  if (!requested || !used || !capacity) {
    story.text = excerpt(own_words(refusal.message));
    return story;
  }
  story.text = fmt::format("requested {}, used {}, capacity {}", amount(resource, *requested),
                           amount(resource, *used), amount(resource, *capacity));
  if (resource == "pods" && c.of.facts.has_every_pod_on(c.node.meta.name)) {
    const auto& pods = c.of.facts.pods_on(c.node.meta.name);
    const auto mirrors = static_cast<std::size_t>(
        std::ranges::count_if(pods, [](const auto* pod) { return pod->mirror; }));
    story.text +=
        fmt::format("; {} on the node now, {} of them static",
                    wording::counted(static_cast<std::int64_t>(pods.size()), "pod"), mirrors);
  }
  if (const model::Text* now = c.node.allocatable.find(resource)) {
    story.evidence.push_back(fmt::format("Node/{} status.allocatable[{}]: {}",
                                         c.node.meta.name.view(), resource, now->view()));
  }
  return story;
}

std::string have_text(const model::Text* have) {
  return have == nullptr ? std::string("the node has no such label")
                         : fmt::format("the node has \"{}\"", have->view());
}

/// What of the pod's own node selector and affinity the node fails now.
std::vector<std::string> unmet_requirements(const model::Pod& pod, const model::Node& node) {
  std::vector<std::string> result;
  for (const auto& [key, want] : pod.node_selector) {
    const model::Text* have = node.meta.labels.find(key);
    if (have != nullptr && *have == want) continue;
    result.push_back(
        fmt::format("{}={} is required, {}", key.view(), want.view(), have_text(have)));
  }
  if (!pod.node_affinity) return result;
  const placement::NodeAffinity affinity(*pod.node_affinity);
  if (affinity.matches(node)) return result;
  for (const placement::RequirementFailure& failure : affinity.failures(node)) {
    const auto& term = pod.node_affinity->terms[failure.term];
    const auto& requirement =
        (failure.in_fields ? term.match_fields : term.match_expressions)[failure.index];
    result.push_back(fmt::format(
        "{} {} [{}] is required, {}", requirement.key.view(), requirement.op.view(),
        fmt::join(
            std::vector<std::string_view>(requirement.values.begin(), requirement.values.end()),
            ", "),
        have_text(placement::value_for(requirement, failure.in_fields, node))));
  }
  return result;
}

RefusalStory affinity_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (refusal.object == nullptr) {
    return {
        "the labels of the node no longer matched the selector or affinity of the pod at its start",
        {}};
  }
  if (!was_read(c)) {
    return {.text = "the labels of the node did not match at that moment; the node was not read",
            .group = "unread"};
  }
  const auto unmet = unmet_requirements(*refusal.object, c.node);
  if (unmet.empty()) {
    return {.text = "the labels of the node did not match at that moment; they match now",
            .group = "now",
            .is_over = true};
  }
  const std::string first = unmet.front().substr(0, unmet.front().find(','));
  return {fmt::format("a label changed between binding and start: {}",
                      excerpt(fmt::format("{}", fmt::join(unmet, "; ")))),
          first};
}

RefusalStory ports_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (refusal.object == nullptr) return {"a host port of the pod was in use", {}};
  const auto ports_of = [](const model::Pod& pod) {
    return scheduling::admitted_host_ports(*pod.spec, pod.host_network);
  };
  for (const scheduling::HostPort& wanted : ports_of(*refusal.object)) {
    for (const model::Pod* pod : c.of.facts.pods_on(c.node.meta.name)) {
      if (pod == refusal.object) continue;
      for (const scheduling::HostPort& held : ports_of(*pod)) {
        if (!conflict(wanted, held)) continue;
        const std::string port = fmt::format("{}/{}", wanted.port, wanted.protocol.view());
        const std::string holder = pod->meta.controller
                                       ? fmt::format("{}/{}", pod->meta.controller->kind.view(),
                                                     pod->meta.controller->name.view())
                                       : std::string("pod");
        return {fmt::format("host port {} is held by pod {}/{}{}", port, pod->meta.ns.view(),
                            pod->meta.name.view(), pod->mirror ? " (static)" : ""),
                port + "|" + (pod->mirror ? "static" : holder),
                {fmt::format("Pod/{} spec.containers[].ports", pod->meta.name.view())}};
      }
    }
  }
  const std::string text = "a host port of the pod was in use; ";
  if (c.of.facts.has_every_pod_on(c.node.meta.name)) {
    return {.text = text + "no pod on the node holds one of them now", .is_over = true};
  }
  if (!c.of.facts.knows_all_pods_on(c.node.meta.name)) {
    return {.text = text + "not all pods on the node were read"};
  }
  return {.text = text + fmt::format("the input has pods of namespace {} only",
                                     refusal.object->meta.ns.view())};
}

RefusalStory taint_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (!was_read(c)) {
    return {.text =
                "the node had a NoExecute taint that the pod does not tolerate; the node was "
                "not read",
            .group = "unread"};
  }
  const auto tolerations =
      refusal.object != nullptr && !refusal.object->tolerations->empty()
          ? *refusal.object->tolerations
          : placement::effective_tolerations(c.of.ds.pod_template.tolerations,
                                             c.of.ds.pod_template.host_network);
  for (std::size_t i = 0; i < c.node.taints.size(); ++i) {
    const model::Taint& taint = c.node.taints[i];
    if (taint.effect != model::effect::no_execute) continue;
    const bool tolerated = std::ranges::any_of(tolerations, [&](const model::Toleration& t) {
      return placement::tolerates(t, taint, c.of.gates);
    });
    if (tolerated) continue;
    return {fmt::format("the pod does not tolerate the node's taint {}:{}", taint.key.view(),
                        taint.effect.view()),
            taint.key.str(),
            {fmt::format("Node/{} spec.taints[{}]", c.node.meta.name.view(), i)}};
  }
  return {.text = "the node had a NoExecute taint, which has been removed", .is_over = true};
}

RefusalStory shutdown_story(const NodeCase& c, const KubeletRefusal& refusal) {
  std::string text = refusal.reason == "NodeShutdown"
                         ? "the node was shutting down"
                         : "the pod was terminated by a shutdown of the node";
  if (refusal.at) text += fmt::format(" at {}", format_utc(*refusal.at));
  if (!is_ready(c.node)) return {.text = std::move(text), .group = "down"};
  const model::OptionalTime since =
      model::find_condition(c.node.conditions, "Ready")->last_transition;
  text += "; the node is ready" + (since ? since_text(since) : std::string(" now"));
  return {.text = std::move(text), .group = "back", .is_over = true, .ended = since};
}

std::string pod_rank(const model::Pod* pod) {
  if (pod == nullptr) return {};
  std::string result = pod->qos_class.empty()
                           ? std::string()
                           : fmt::format("; the pod is {}", pod->qos_class.view());
  if (pod->spec->priority) {
    result += fmt::format("{} priority {}", result.empty() ? "; the pod has" : " with",
                          *pod->spec->priority);
  }
  return result;
}

RefusalStory eviction_story(const KubeletRefusal& refusal) {
  const std::string_view resource = starved_resource(refusal.message);
  return {fmt::format("{}{}", excerpt(refusal.message), pod_rank(refusal.object)),
          resource.empty() ? std::string("own limit") : excerpt(resource)};
}

/// The node has some of the conditions, "DiskPressure, PIDPressure", and none of them holds any
/// more.
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
  return {.text = fmt::format("the node had {}{}{}", conditions.empty() ? "pressure" : conditions,
                              is_over ? ", which has ended" : "", pod_rank(refusal.object)),
          .group = conditions,
          .is_over = is_over};
}

/// The kubelet compares the pod's label with the node's: the pod's spec.os plays no part.
std::optional<RefusalStory> os_label_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (refusal.reason != "PodOSSelectorNodeLabelDoesNotMatch") return std::nullopt;
  const model::Labels& labels =
      refusal.object != nullptr ? refusal.object->meta.labels : c.of.ds.pod_template.labels;
  const model::Text* label = labels.find("kubernetes.io/os");
  if (label == nullptr) return std::nullopt;
  return RefusalStory{
      fmt::format("label kubernetes.io/os of the pod is {}, the node runs {}", label->view(),
                  c.node.os.empty() ? "another operating system" : c.node.os.view()),
      c.node.os.str()};
}

RefusalStory os_story(const NodeCase& c, const KubeletRefusal& refusal) {
  if (auto story = os_label_story(c, refusal)) return *std::move(story);
  std::string_view wanted =
      refusal.object != nullptr ? refusal.object->spec->os.view() : std::string_view();
  if (wanted.empty()) wanted = c.of.ds.pod_template.spec.os;
  if (wanted.empty()) {
    return {fmt::format("the pod is for another operating system than the node's{}{}",
                        c.node.os.empty() ? "" : ", ", c.node.os.view()),
            c.node.os.str()};
  }
  return {fmt::format("the pod is for operating system {}, the node runs {}", wanted,
                      c.node.os.empty() ? "another one" : c.node.os.view()),
          c.node.os.str()};
}

RefusalStory feature_story(const NodeCase& c, const KubeletRefusal& refusal) {
  std::string text = excerpt(own_words(refusal.message));
  if (!c.node.kubelet_version.empty()) {
    text += fmt::format("; kubelet {}", c.node.kubelet_version.view());
  }
  if (!c.node.container_runtime.empty()) {
    text += fmt::format(", runtime {}", c.node.container_runtime.view());
  }
  return {text, std::string(refusal.reason)};
}

RefusalStory verbatim(const KubeletRefusal& refusal) {
  const std::string words = excerpt(own_words(refusal.message));
  const std::string reason =
      refusal.reason.empty() ? std::string("no reason given") : excerpt(refusal.reason);
  return {words.empty() ? "the kubelet gives no message" : words, reason};
}

RefusalStory volume_limit_story(const NodeCase& c, const KubeletRefusal& refusal) {
  RefusalStory story = verbatim(refusal);
  const model::CsiNode* csi = c.of.facts.csi_node(c.node.meta.name);
  if (csi == nullptr) return story;
  for (const model::CsiDriverOnNode& driver : csi->drivers) {
    if (!driver.limit) continue;
    story.evidence.push_back(fmt::format("CSINode/{} spec.drivers[{}].allocatable.count: {}",
                                         c.node.meta.name.view(), driver.name.view(),
                                         *driver.limit));
  }
  return story;
}

RefusalStory name_story(const NodeCase& c, const KubeletRefusal& refusal) {
  const model::Text* bound = refusal.object == nullptr ? nullptr : &refusal.object->node_name;
  return {fmt::format("the pod is bound to {}, whose kubelet has another name",
                      bound == nullptr ? c.node.meta.name.view() : bound->view()),
          {}};
}

}  // namespace

RefusalStory story_of(const NodeCase& c, const KubeletRefusal& refusal, FindingId id) {
  if (refusal.reason.starts_with(short_of)) return shortage(c, refusal);
  if (id == FindingId::KubeletNodeAffinity) return affinity_story(c, refusal);
  if (id == FindingId::KubeletNodePorts) return ports_story(c, refusal);
  if (id == FindingId::KubeletNodeName) return name_story(c, refusal);
  if (id == FindingId::KubeletTaint) return taint_story(c, refusal);
  if (id == FindingId::KubeletShutdown) return shutdown_story(c, refusal);
  if (id == FindingId::KubeletPressureRefused) return pressure_story(c, refusal);
  if (id == FindingId::KubeletEvicted) return eviction_story(refusal);
  if (id == FindingId::KubeletPreempted) return {"the pod was preempted for a critical pod", {}};
  if (id == FindingId::KubeletOsRefused) return os_story(c, refusal);
  if (id == FindingId::KubeletFeatureRefused) return feature_story(c, refusal);
  if (id == FindingId::KubeletVolumeLimit) return volume_limit_story(c, refusal);
  return verbatim(refusal);
}

}  // namespace dsdoctor::diagnosis
