// SPDX-License-Identifier: Apache-2.0
#include "scheduling/synthetic_pod.h"

#include <algorithm>

#include "placement/tolerates.h"
#include "scheduling/pod_requests.h"

namespace dsdoctor::scheduling {
namespace {

constexpr std::int64_t cluster_critical = 2'000'000'000;
constexpr std::int64_t node_critical = 2'000'001'000;

template <typename Change>
void for_each_container(model::PodSpec& spec, Change change) {
  std::ranges::for_each(spec.containers, change);
  std::ranges::for_each(spec.init_containers, change);
}

void add_missing(model::Labels& to, const model::Labels& defaults) {
  for (const auto& [name, amount] : defaults) {
    if (to.find(name) == nullptr) to.set(name, amount);
  }
}

/// A resource with a limit but no request gets the limit as its request.
void default_requests(model::PodSpec& spec) {
  for_each_container(spec, [](model::Container& c) { add_missing(c.requests, c.limits); });
}

void default_pod_level_requests(model::PodSpec& spec) {
  if (!spec.limits) return;
  model::Pod containers_only;
  model::PodSpec bare = spec;
  bare.requests.reset();
  bare.overhead = {};
  containers_only.spec = bare;
  const Amounts sums = pod_requests(containers_only, CountedBy::Spec).amounts;
  model::Labels requests = spec.requests.value_or(model::Labels{});
  for (const auto& [name, limit] : *spec.limits) {
    if (!is_pod_level_resource(name) || requests.find(name) != nullptr) continue;
    const auto sum = sums.find(name.view());
    requests.set(name, sum == sums.end() ? limit : model::Text(to_string(sum->second)));
  }
  if (!requests.empty()) spec.requests = requests;
}

void default_host_ports(model::PodSpec& spec) {
  for_each_container(spec, [](model::Container& container) {
    for (model::ContainerPort& port : container.ports) {
      if (port.host_port == 0) port.host_port = port.container_port;
    }
  });
}

void apply_limit_ranges(model::PodSpec& spec, const std::vector<const model::LimitRange*>& ranges) {
  for (const model::LimitRange* range : ranges) {
    for (const model::LimitRangeItem& item : range->limits) {
      if (item.type != "Container") continue;
      for_each_container(spec, [&](model::Container& container) {
        add_missing(container.requests, item.default_request);
        add_missing(container.requests, item.default_limit);
        add_missing(container.limits, item.default_limit);
      });
    }
  }
}

void apply_runtime_class(model::Pod& pod, model::PodSpec& spec,
                         std::vector<model::Toleration>& tolerations,
                         const model::RuntimeClass* runtime_class) {
  if (runtime_class == nullptr) return;
  if (!runtime_class->overhead.empty()) spec.overhead = runtime_class->overhead;
  add_missing(pod.node_selector, runtime_class->node_selector);
  for (const model::Toleration& toleration : runtime_class->tolerations) {
    if (std::ranges::find(tolerations, toleration) == tolerations.end()) {
      tolerations.push_back(toleration);
    }
  }
}

void apply_priority_class(model::PodSpec& spec,
                          const std::vector<const model::PriorityClass*>& classes) {
  const auto found = std::ranges::find_if(classes, [&](const model::PriorityClass* entry) {
    return spec.priority_class.empty() ? entry->global_default
                                       : entry->meta.name == spec.priority_class;
  });
  if (found != classes.end()) {
    spec.priority = (*found)->value;
    if (spec.preemption_policy.empty()) spec.preemption_policy = (*found)->preemption_policy;
  } else if (spec.priority_class == "system-node-critical") {
    spec.priority = node_critical;
  } else if (spec.priority_class == "system-cluster-critical") {
    spec.priority = cluster_critical;
  } else if (!spec.priority) {
    spec.priority = 0;
  }
}

/// matchLabelKeys and mismatchLabelKeys become part of the selector when a pod is stored.
void fold_label_keys(std::vector<model::PodAffinityTerm>& terms, const model::Labels& labels) {
  const auto fold = [&](model::PodAffinityTerm& term, const std::vector<model::Text>& keys,
                        const char* op) {
    for (const model::Text& key : keys) {
      const model::Text* value = labels.find(key);
      if (value != nullptr && term.label_selector) {
        term.label_selector->match_expressions.push_back({key, op, {*value}});
      }
    }
  };
  for (model::PodAffinityTerm& term : terms) {
    fold(term, term.match_label_keys, "In");
    fold(term, term.mismatch_label_keys, "NotIn");
  }
}

}  // namespace

model::Pod synthetic_pod(const model::DaemonSet& ds, const model::Text& node,
                         const Admission& admission) {
  const model::PodTemplate& from = ds.pod_template;
  model::Pod pod;
  pod.meta.ns = ds.meta.ns;
  pod.meta.name = ds.meta.name;
  pod.meta.labels = from.labels;
  pod.meta.controller = model::ControllerRef{"DaemonSet", ds.meta.name, ds.meta.uid.str()};
  pod.phase = "Pending";
  pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {node}}}}}};
  pod.node_selector = from.node_selector;
  pod.host_network = from.host_network;
  auto tolerations = placement::effective_tolerations(from.tolerations, from.host_network);
  model::PodSpec spec = from.spec;
  default_requests(spec);
  default_pod_level_requests(spec);
  if (from.host_network) default_host_ports(spec);
  apply_limit_ranges(spec, admission.limit_ranges);
  apply_runtime_class(pod, spec, tolerations, admission.runtime_class);
  apply_priority_class(spec, admission.priority_classes);
  fold_label_keys(spec.pod_affinity, from.labels);
  fold_label_keys(spec.pod_anti_affinity, from.labels);
  pod.tolerations = std::move(tolerations);
  pod.spec = std::move(spec);
  return pod;
}

}  // namespace dsdoctor::scheduling
