// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "base/glob.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

struct WriterOfKey {
  std::string_view key;  // a glob
  std::string_view writer;
};

// Sources: kubernetes-sigs/node-feature-discovery docs/usage/features.md; NVIDIA/gpu-operator
// controllers/state_manager.go; NVIDIA/k8s-device-plugin docs/gpu-feature-discovery; ROCm/
// k8s-device-plugin cmd/k8s-node-labeller; intel/intel-device-plugins-for-kubernetes
// cmd/gpu_plugin/labels.md; kubevirt/kubevirt pkg/virt-handler.
constexpr std::string_view discovery = "node-feature-discovery";
constexpr std::string_view gpu_operator = "the NVIDIA GPU Operator";
constexpr std::string_view gpu_discovery = "NVIDIA GPU Feature Discovery";
constexpr std::array writers_of_keys = {
    WriterOfKey{"feature.node.kubernetes.io/*", discovery},
    WriterOfKey{"*.feature.node.kubernetes.io/*", discovery},
    WriterOfKey{"nvidia.com/gpu.present", gpu_operator},
    WriterOfKey{"nvidia.com/gpu.deploy.*", gpu_operator},
    WriterOfKey{"nvidia.com/gpu-driver-upgrade-state", gpu_operator},
    WriterOfKey{"nvidia.com/gpu.product", gpu_discovery},
    WriterOfKey{"nvidia.com/gpu.count", gpu_discovery},
    WriterOfKey{"nvidia.com/gpu.memory", gpu_discovery},
    WriterOfKey{"nvidia.com/gpu.family", gpu_discovery},
    WriterOfKey{"nvidia.com/gpu.machine", gpu_discovery},
    WriterOfKey{"nvidia.com/gpu.mode", gpu_discovery},
    WriterOfKey{"nvidia.com/gpu.replicas", gpu_discovery},
    WriterOfKey{"nvidia.com/gpu.sharing-strategy", gpu_discovery},
    WriterOfKey{"nvidia.com/gpu.compute.*", gpu_discovery},
    WriterOfKey{"nvidia.com/cuda.*", gpu_discovery},
    WriterOfKey{"nvidia.com/mig.capable", gpu_discovery},
    WriterOfKey{"nvidia.com/mig.strategy", gpu_discovery},
    WriterOfKey{"nvidia.com/mps.capable", gpu_discovery},
    WriterOfKey{"nvidia.com/vgpu.present", gpu_discovery},
    WriterOfKey{"nvidia.com/mig.config.state", "the NVIDIA MIG manager"},
    WriterOfKey{"network.nvidia.com/operator.*", "the NVIDIA Network Operator"},
    WriterOfKey{"amd.com/gpu.*", "the AMD GPU node labeller"},
    WriterOfKey{"beta.amd.com/gpu.*", "the AMD GPU node labeller"},
    WriterOfKey{"gpu.intel.com/*", discovery},
    WriterOfKey{"kubevirt.io/schedulable", "virt-handler of KubeVirt"},
    WriterOfKey{"*.node.kubevirt.io/*", "virt-handler of KubeVirt"},
};

using model::FieldManager;

/// The likely setter among the owners of a field: the newest, an Update before an Apply.
std::optional<Attribution> newest(const model::ObjectMeta& meta,
                                  const std::function<bool(const FieldManager&)>& owns) {
  const FieldManager* best = nullptr;
  std::size_t owners = 0;
  const auto rank = [](const FieldManager& entry) {
    return std::tuple(entry.operation == "Update", entry.time.value_or(model::Time{}));
  };
  for (const FieldManager& entry : meta.managers) {
    // Heartbeats write status, so its time does not apply to the other fields.
    if (entry.subresource == "status" || !owns(entry)) continue;
    ++owners;
    if (best == nullptr || rank(*best) < rank(entry)) best = &entry;
  }
  if (best == nullptr) return std::nullopt;
  return Attribution{best->manager, best->operation, best->time, owners - 1};
}

struct ManagerName {
  std::string_view pattern;  // exact; a leading or trailing `*` matches any text
  std::string_view meaning;
};

constexpr std::array names = {
    ManagerName{"kubelet", "the kubelet"},
    ManagerName{"kube-controller-manager",
                "kube-controller-manager (sets taints for conditions and cordons)"},
    ManagerName{"kubectl-label", "kubectl label"},
    ManagerName{"kubectl-taint", "kubectl taint"},
    ManagerName{"kubectl-edit", "kubectl edit"},
    ManagerName{"kubectl-patch", "kubectl patch"},
    ManagerName{"kubectl-annotate", "kubectl annotate"},
    ManagerName{"kubectl-replace", "kubectl replace"},
    ManagerName{"kubectl-create", "kubectl create"},
    ManagerName{"kubectl-set", "kubectl set"},
    ManagerName{"kubectl-client-side-apply", "kubectl apply"},
    ManagerName{"kubectl-rollout", "kubectl rollout (restart or undo)"},
    ManagerName{"kubectl", "kubectl (apply --server-side, cordon, uncordon or drain)"},
    ManagerName{"cluster-autoscaler", "cluster-autoscaler"},
    ManagerName{"karpenter", "Karpenter"},
    ManagerName{"nfd-master", "node-feature-discovery (nfd-master)"},
    ManagerName{"*cloud-controller-manager", "the cloud controller manager"},
    ManagerName{"Go-http-client", "an unnamed client (Go-http-client)"},
    ManagerName{"ancient-changes", "an unknown client (ancient-changes)"},
    ManagerName{"before-first-apply", "an unknown client (before the first server-side apply)"},
    ManagerName{"helm", "Helm"},
    ManagerName{"argocd-*", "Argo CD"},
    ManagerName{"kustomize-controller", "Flux (kustomize-controller)"},
    ManagerName{"helm-controller", "Flux (helm-controller)"},
};

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

/// Type and status of a node's condition for which the node controller adds a taint with this key.
/// Source of truth: nodeConditionToTaintKeyStatusMap, kubernetes v1.36.2,
/// pkg/controller/nodelifecycle/node_lifecycle_controller.go.
struct ConditionTaint {
  std::string_view key;
  std::string_view type;
  std::string_view status;
};
constexpr std::array condition_taints = {
    ConditionTaint{"node.kubernetes.io/not-ready", "Ready", "False"},
    ConditionTaint{"node.kubernetes.io/unreachable", "Ready", "Unknown"},
    ConditionTaint{"node.kubernetes.io/memory-pressure", "MemoryPressure", "True"},
    ConditionTaint{"node.kubernetes.io/disk-pressure", "DiskPressure", "True"},
    ConditionTaint{"node.kubernetes.io/pid-pressure", "PIDPressure", "True"},
    ConditionTaint{"node.kubernetes.io/network-unavailable", "NetworkUnavailable", "True"},
};

std::optional<TaintTime> of_condition(const model::Node& node, const model::Taint& taint) {
  const auto at = std::ranges::find(condition_taints, taint.key.view(), &ConditionTaint::key);
  if (at == condition_taints.end()) return std::nullopt;
  const model::Condition* condition = model::find_condition(node.conditions, at->type);
  if (condition == nullptr || condition->status != at->status) return std::nullopt;
  if (!condition->last_transition) return std::nullopt;
  return TaintTime{
      *condition->last_transition,
      fmt::format("status.conditions[{}].lastTransitionTime", condition - node.conditions.data())};
}

}  // namespace

std::optional<Attribution> label_writer(const model::ObjectMeta& meta, std::string_view key) {
  return newest(meta, [&](const FieldManager& entry) {
    return std::ranges::any_of(entry.labels, [&](const auto& label) { return label == key; });
  });
}

std::optional<Attribution> taints_writer(const model::Node& node) {
  return newest(node.meta, [](const FieldManager& entry) { return entry.taints; });
}

std::optional<Attribution> cordon_writer(const model::Node& node) {
  if (!node.unschedulable) return std::nullopt;
  return newest(node.meta, [](const FieldManager& entry) { return entry.unschedulable; });
}

std::optional<Attribution> spec_writer(const model::ObjectMeta& meta) {
  return newest(meta, [](const FieldManager& entry) { return entry.spec; });
}

std::optional<std::string_view> writer_of_key(std::string_view key) {
  const auto at = std::ranges::find_if(
      writers_of_keys, [&](const WriterOfKey& each) { return base::matches_glob(each.key, key); });
  return at == writers_of_keys.end() ? std::nullopt : std::optional(at->writer);
}

std::string manager_name(std::string_view manager) {
  const auto at = std::ranges::find_if(
      names, [&](const ManagerName& name) { return fits(name.pattern, manager); });
  if (at != names.end()) return std::string(at->meaning);
  return manager.empty() ? "an unnamed client" : std::string(manager.substr(0, 128));
}

std::string to_string(const Attribution& attribution) {
  std::string result = manager_name(attribution.manager);
  if (attribution.others != 0) {
    result +=
        fmt::format(" (or {} other{})", attribution.others, attribution.others == 1 ? "" : "s");
  }
  if (attribution.not_later_than) {
    result += fmt::format(", not later than {}", format_utc(*attribution.not_later_than));
  }
  return result;
}

Message phrase_of(const Attribution& attribution) {
  using Count = std::optional<std::int64_t>;
  const auto others = static_cast<std::int64_t>(attribution.others);
  return phrase::Writer{.manager = manager_name(attribution.manager),
                        .not_later_than = attribution.not_later_than,
                        .others = others == 0 ? Count() : Count(others)};
}

std::string writer_path(const model::ObjectMeta& meta, const Attribution& attribution) {
  const auto at = std::ranges::find_if(meta.managers, [&](const FieldManager& entry) {
    return entry.manager == attribution.manager && entry.operation == attribution.operation &&
           entry.time == attribution.not_later_than;
  });
  return fmt::format("metadata.managedFields[{}]", at - meta.managers.begin());
}

bool is_computed_label(std::string_view key) {
  constexpr std::array vendors = {"nvidia.com/", "amd.com/", "gpu.intel.com/"};
  return key.substr(0, key.find('/') + 1).ends_with(feature_prefix) ||
         std::ranges::any_of(vendors,
                             [&](std::string_view vendor) { return key.starts_with(vendor); });
}

std::optional<TaintTime> taint_time(const model::Node& node, std::size_t index) {
  const model::Taint& taint = node.taints[index];
  if (taint.time_added) {
    return TaintTime{*taint.time_added, fmt::format("spec.taints[{}].timeAdded", index)};
  }
  if (const auto value = timestamp_value(taint.value)) {
    return TaintTime{*value, fmt::format("spec.taints[{}].value", index)};
  }
  if (auto transition = of_condition(node, taint)) return transition;
  const auto writer = taints_writer(node);
  if (!writer || !writer->not_later_than) return std::nullopt;
  return TaintTime{*writer->not_later_than, "metadata.managedFields", true};
}

}  // namespace dsdoctor::diagnosis
