// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/pod_drift.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/template/label_texts.h"
#include "model/release.h"
#include "placement/namespace_selector.h"
#include "placement/tolerates.h"
#include "scheduling/quantity.h"

namespace dsdoctor::diagnosis {
namespace {

using Names = std::vector<std::string>;

struct Difference {
  std::string field;
  std::string path;   // in the pod
  std::string value;  // the pod's value
  std::vector<Message> changes;
  bool decides = false;
  bool may_block = true;  // may be the reason why a pod is not bound
  std::string container = {};
};

bool has(const model::Labels& labels, const model::Labels::Entry& pair) {
  const model::Text* value = labels.find(pair.first);
  return value != nullptr && *value == pair.second;
}

/// True for "1000m" and "1".
bool same_amount(const model::Text& a, const model::Text& b) {
  if (a == b) return true;
  const auto of_a = scheduling::Quantity::parse(a);
  return of_a && of_a == scheduling::Quantity::parse(b);
}

bool is_equal(const model::Toleration& toleration) {
  return toleration.op.empty() || toleration.op == "Equal";
}

/// Whether `other` tolerates everything that `wanted` tolerates, for at least as long.
bool covers(const model::Toleration& other, const model::Toleration& wanted) {
  if (!other.key.empty() && other.key != wanted.key) return false;
  if (!other.effect.empty() && other.effect != wanted.effect) return false;
  const bool same_values = other.value == wanted.value &&
                           (other.op == wanted.op || (is_equal(other) && is_equal(wanted)));
  if (other.op != "Exists" && (other.key.empty() || !same_values)) return false;
  if (!other.toleration_seconds) return true;
  return wanted.toleration_seconds && *wanted.toleration_seconds <= *other.toleration_seconds;
}

std::string text_of(const model::Labels::Entry& pair) {
  return fmt::format("{}={}", pair.first.view(), pair.second.view());
}

std::string toleration_text(const model::Toleration& toleration) {
  std::string text = toleration.key.empty() ? "any key" : toleration.key.str();
  if (!toleration.value.empty()) text += "=" + toleration.value.str();
  if (!toleration.effect.empty()) text += ":" + toleration.effect.str();
  return text;
}

/// Compares the pods of one DaemonSet with their template.
class Comparison {
 public:
  explicit Comparison(const DaemonSetCase& c) : c_(c), template_(c.ds.pod_template) {
    if (!template_.spec.runtime_class.empty()) {
      runtime_class_ = c.facts.runtime_class(template_.spec.runtime_class);
    }
    automatic_ = placement::automatic_tolerations(template_.host_network);
    expected_ = placement::effective_tolerations(template_.tolerations, template_.host_network);
    if (runtime_class_ != nullptr) {
      expected_.insert(expected_.end(), runtime_class_->tolerations.begin(),
                       runtime_class_->tolerations.end());
    }
    const model::Namespace* ns = c.facts.ns(c.ds.meta.ns);
    const model::Text* added =
        ns ? ns->annotations.find(placement::heeded_annotation(*ns)) : nullptr;
    if (added != nullptr)
      of_namespace_ = placement::parse_equalities(*added).value_or(model::Labels{});
  }

  [[nodiscard]] std::vector<Difference> with(const model::Pod& pod) const {
    std::vector<Difference> result;
    compare_selector(pod, result);
    compare_tolerations(pod, result);
    compare_names(pod, result);
    compare_requests(pod, result);
    return result;
  }

 private:
  void compare_selector(const model::Pod& pod, std::vector<Difference>& result) const {
    Names added;
    Names missing;
    for (const auto& pair : pod.node_selector) {
      const bool explained = has(template_.node_selector, pair) || has(of_namespace_, pair) ||
                             (runtime_class_ && has(runtime_class_->node_selector, pair));
      if (!explained) added.push_back(text_of(pair));
    }
    for (const auto& pair : template_.node_selector) {
      if (pod.node_selector.find(pair.first) == nullptr) missing.push_back(text_of(pair));
    }
    if (added.empty() && missing.empty()) return;
    std::vector<Message> changes;
    if (!added.empty()) changes.push_back(phrase::DriftAdded{.values = added});
    if (!missing.empty()) changes.push_back(phrase::DriftMissing{.values = missing});
    result.push_back({"nodeSelector", "spec.nodeSelector",
                      evidence_value(label_text(pod.node_selector)), std::move(changes),
                      !admits_all_nodes(pod)});
  }

  /// Whether each eligible node satisfies the pod's own selector.
  [[nodiscard]] bool admits_all_nodes(const model::Pod& pod) const {
    return std::ranges::all_of(c_.report.nodes, [&](const NodeReport& entry) {
      if (!placement::should_run(entry.decision())) return true;
      const model::Node* node = model::find_node(c_.facts.cluster(), entry.name);
      return node == nullptr || std::ranges::all_of(pod.node_selector, [&](const auto& pair) {
               return has(node->meta.labels, pair);
             });
    });
  }

  /// An admission plug-in adds tolerations for taints named like a resource that the pod requests.
  static bool is_for_resource(const model::Toleration& toleration, const model::Pod& pod) {
    return std::ranges::any_of(pod.spec->containers, [&](const model::Container& container) {
      return container.requests.find(toleration.key) || container.limits.find(toleration.key);
    });
  }

  [[nodiscard]] static bool same_place(const model::Toleration& a, const model::Toleration& b) {
    return a.key == b.key && a.value == b.value && a.effect == b.effect &&
           (a.op == "Exists") == (b.op == "Exists");
  }

  /// Controllers of old releases add fewer tolerations. If the release is unknown, the pods decide:
  /// a toleration that no daemon pod has was never added, so it was not removed.
  [[nodiscard]] bool is_added_here(const model::Toleration& automatic) const {
    const model::Cluster& cluster = c_.facts.cluster();
    if (c_.facts.is_known_to_apply(model::ReleaseRule::AddsAllTolerations)) return true;
    return std::ranges::any_of(cluster.pods, [&](const model::Pod& pod) {
      const auto& owner = pod.meta.controller;
      if (!owner || !model::is_daemon_set(*owner) || !has_place(*pod.tolerations, automatic)) {
        return false;
      }
      const auto maker = std::ranges::find_if(cluster.daemon_sets, [&](const model::DaemonSet& ds) {
        return ds.meta.ns == pod.meta.ns && ds.meta.name == owner->name;
      });
      return maker != cluster.daemon_sets.end() &&
             !has_place(maker->pod_template.tolerations, automatic);
    });
  }

  [[nodiscard]] static bool has_place(const std::vector<model::Toleration>& all,
                                      const model::Toleration& one) {
    return std::ranges::any_of(all, [&](const auto& other) { return same_place(one, other); });
  }

  /// Whether a node has a matching taint, or Kubernetes itself adds such taints to nodes.
  [[nodiscard]] bool is_in_effect(const model::Toleration& toleration, bool automatic) const {
    return automatic || std::ranges::any_of(c_.facts.cluster().nodes, [&](const model::Node& node) {
             return std::ranges::any_of(node.taints, [&](const model::Taint& taint) {
               return placement::is_blocking(taint) &&
                      placement::tolerates(toleration, taint, c_.gates);
             });
           });
  }

  void compare_tolerations(const model::Pod& pod, std::vector<Difference>& result) const {
    Names missing;
    Names added;
    bool in_effect = false;
    for (const model::Toleration& toleration : expected_) {
      const auto covering = [&](const auto& other) { return covers(other, toleration); };
      if (std::ranges::any_of(*pod.tolerations, covering)) continue;
      const bool automatic = has_place(automatic_, toleration);
      if (automatic && !has_place(template_.tolerations, toleration) &&
          !is_added_here(toleration)) {
        continue;
      }
      missing.push_back(toleration_text(toleration));
      in_effect = in_effect || is_in_effect(toleration, automatic);
    }
    for (const model::Toleration& toleration : *pod.tolerations) {
      if (has_place(expected_, toleration) || is_for_resource(toleration, pod)) continue;
      // The controller adds this toleration only with NoSchedule; admission can add it again.
      if (toleration.key == "node.kubernetes.io/memory-pressure") continue;
      added.push_back(toleration_text(toleration));
    }
    if (missing.empty() && added.empty()) return;
    Names all;
    for (const model::Toleration& toleration : *pod.tolerations) {
      all.push_back(toleration_text(toleration));
    }
    const Message change = missing.empty() ? Message(phrase::DriftAdded{.values = added})
                                           : phrase::DriftMissing{.values = missing};
    result.push_back({"tolerations",
                      "spec.tolerations",
                      evidence_value(fmt::format("{}", fmt::join(all, ","))),
                      {change},
                      in_effect,
                      !missing.empty()});
  }

  void compare_names(const model::Pod& pod, std::vector<Difference>& result) const {
    const auto compare = [&](const std::string& field, std::string_view of_template,
                             std::string_view of_pods) {
      if (of_template == of_pods) return;
      const Message change =
          phrase::DriftOfValue{.of_pods = of_pods, .of_template = of_template, .resource = ""};
      result.push_back({field, "spec." + field, std::string(of_pods), {change}});
    };
    const auto scheduler = [](const model::PodSpec& spec) {
      return spec.scheduler_name.empty() ? "default-scheduler" : spec.scheduler_name.view();
    };
    const auto boolean = [](bool value) { return value ? "true" : "false"; };
    compare("hostNetwork", boolean(template_.host_network), boolean(pod.host_network));
    compare("schedulerName", scheduler(template_.spec), scheduler(*pod.spec));
    const std::string_view wanted = template_.spec.priority_class;
    // Without a class in the template the cluster's default class fills it in.
    if (!wanted.empty()) compare("priorityClassName", wanted, pod.spec->priority_class);
  }

  void compare_requests(const model::Pod& pod, std::vector<Difference>& result) const {
    for (const model::Container& wanted : template_.spec.containers) {
      const auto found =
          std::ranges::find(pod.spec->containers, wanted.name, &model::Container::name);
      if (found == pod.spec->containers.end()) continue;
      std::vector<Message> changes;
      for (const auto& [resource, quantity] : wanted.requests) {
        const model::Text* has = found->requests.find(resource);
        if (has != nullptr && same_amount(*has, quantity)) continue;
        changes.push_back(phrase::DriftOfValue{
            .of_pods = has ? has->view() : "", .of_template = quantity, .resource = resource});
      }
      if (changes.empty()) continue;
      const std::string path = fmt::format("spec.containers[{}].resources.requests",
                                           found - pod.spec->containers.begin());
      result.push_back({.field = "requests",
                        .path = path,
                        .value = evidence_value(label_text(found->requests)),
                        .changes = std::move(changes),
                        .container = wanted.name.str()});
    }
  }

  const DaemonSetCase& c_;
  const model::PodTemplate& template_;
  const model::RuntimeClass* runtime_class_ = nullptr;  // null: none, or not read
  model::Labels of_namespace_;
  std::vector<model::Toleration> automatic_;
  std::vector<model::Toleration> expected_;
};

/// A pod from the API always has tolerations and containers; a pod in a shortened file may lack
/// them.
bool is_complete(const model::Pod& pod) {
  return !pod.tolerations->empty() && !pod.spec->containers.empty();
}

bool waits_for_node(const model::Pod& pod) {
  const auto scheduled = model::find_condition(pod.conditions, "PodScheduled");
  return !is_bound(pod) && scheduled != nullptr && scheduled->status == "False";
}

void merge(std::vector<PodDrift>& drifts, const Difference& difference, const model::Pod& pod) {
  auto at = std::ranges::find_if(drifts, [&](const PodDrift& drift) {
    return drift.field == difference.field && drift.container == difference.container;
  });
  if (at == drifts.end()) {
    at = drifts.insert(at, PodDrift{.field = difference.field,
                                    .container = difference.container,
                                    .changes = difference.changes,
                                    .evidence = {ref_of(pod), difference.path, difference.value}});
  }
  ++at->pods;
  at->decides = at->decides || difference.decides;
  at->unscheduled = at->unscheduled || (difference.may_block && waits_for_node(pod));
}

}  // namespace

std::vector<PodDrift> pod_drifts(const DaemonSetCase& c) {
  const Comparison comparison(c);
  std::vector<PodDrift> drifts;
  // Pods of one DaemonSet mostly share their values, so the previous result is reused.
  const model::Pod* before = nullptr;
  std::vector<Difference> differences;
  for (const model::Pod* pod : c.claimed.owned) {
    const bool current =
        c.revision.hash().empty() ? c.revision.is_current(*pod) : c.revision.has_current_hash(*pod);
    if (!current || is_terminating(*pod) || !is_complete(*pod)) continue;
    const bool alike = before != nullptr && &*before->tolerations == &*pod->tolerations &&
                       &*before->spec == &*pod->spec &&
                       before->node_selector == pod->node_selector &&
                       before->host_network == pod->host_network;
    if (!alike) differences = comparison.with(*pod);
    before = pod;
    for (const Difference& difference : differences) merge(drifts, difference, *pod);
  }
  return drifts;
}

}  // namespace dsdoctor::diagnosis
