// SPDX-License-Identifier: Apache-2.0
#include "placement/tolerates.h"

#include "placement/integers.h"

namespace dsdoctor::placement {
namespace {

std::optional<TolerationMiss> numeric_miss(const model::Toleration& toleration,
                                           const model::Taint& taint, FeatureGates gates) {
  const auto wanted = parse_canonical_integer(toleration.value);
  const auto actual = parse_canonical_integer(taint.value);
  if (!wanted || !actual) return TolerationMiss::Integer;
  // The taint's value is the left operand: `Gt 900` tolerates a taint whose value is above 900.
  const bool holds = toleration.op == "Lt" ? *actual < *wanted : *actual > *wanted;
  if (!holds) return TolerationMiss::Number;
  if (!gates.taint_toleration_comparison_operators) return TolerationMiss::Gate;
  return std::nullopt;
}

}  // namespace

std::optional<TolerationMiss> toleration_miss(const model::Toleration& toleration,
                                              const model::Taint& taint, FeatureGates gates) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) {
    return TolerationMiss::Effect;
  }
  if (!toleration.key.empty() && toleration.key != taint.key) return TolerationMiss::Key;
  if (toleration.op.empty() || toleration.op == "Equal") {
    if (toleration.value != taint.value) return TolerationMiss::Value;
    return std::nullopt;
  }
  if (toleration.op == "Exists") return std::nullopt;
  if (toleration.op == "Lt" || toleration.op == "Gt") return numeric_miss(toleration, taint, gates);
  return TolerationMiss::Operator;
}

const model::Toleration* first_tolerating(const std::vector<model::Toleration>& tolerations,
                                          const model::Taint& taint, FeatureGates gates) {
  const auto at = std::ranges::find_if(tolerations, [&](const model::Toleration& toleration) {
    return tolerates(toleration, taint, gates);
  });
  return at == tolerations.end() ? nullptr : &*at;
}

bool is_blocking(const model::Taint& taint) {
  return taint.effect == model::effect::no_schedule || taint.effect == model::effect::no_execute;
}

std::vector<model::Toleration> automatic_tolerations(bool host_network) {
  const auto exists = [](const char* key, const char* effect) {
    return model::Toleration{key, "Exists", {}, effect, std::nullopt};
  };
  std::vector<model::Toleration> result = {
      exists("node.kubernetes.io/not-ready", model::effect::no_execute),
      exists("node.kubernetes.io/unreachable", model::effect::no_execute),
      exists("node.kubernetes.io/disk-pressure", model::effect::no_schedule),
      exists("node.kubernetes.io/memory-pressure", model::effect::no_schedule),
      exists("node.kubernetes.io/pid-pressure", model::effect::no_schedule),
      exists("node.kubernetes.io/unschedulable", model::effect::no_schedule),
  };
  if (host_network) {
    result.push_back(exists("node.kubernetes.io/network-unavailable", model::effect::no_schedule));
  }
  return result;
}

std::vector<model::Toleration> effective_tolerations(
    const std::vector<model::Toleration>& of_template, bool host_network) {
  std::vector<model::Toleration> result = of_template;
  for (const model::Toleration& added : automatic_tolerations(host_network)) {
    bool replaced = false;
    for (model::Toleration& present : result) {
      const bool same = present.key == added.key && present.op == added.op &&
                        present.effect == added.effect && present.value == added.value;
      if (!same) continue;
      present = added;  // drops its tolerationSeconds
      replaced = true;
    }
    if (!replaced) result.push_back(added);
  }
  return result;
}

}  // namespace dsdoctor::placement
