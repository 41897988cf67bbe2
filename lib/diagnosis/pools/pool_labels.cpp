// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/pools/pool_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "diagnosis/evidence/attribution.h"
#include "placement/integers.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::pair<std::string_view, std::string_view> old_names[] = {
    {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
    {"beta.kubernetes.io/os", os_label},
    {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
};

/// Every node has them: the kubelet sets them.
constexpr std::string_view of_every_node[] = {os_label, "kubernetes.io/arch",
                                              "kubernetes.io/hostname"};

/// The cloud's part of a node's labels.
constexpr std::string_view of_the_cloud[] = {
    "topology.kubernetes.io/", "node.kubernetes.io/instance-type",
    "eks.amazonaws.com/",      "cloud.google.com/",
    "kubernetes.azure.com/",   "node.kubernetes.io/windows-build",
    "topology.k8s.aws/",
};

constexpr std::string_view by_karpenter[] = {"karpenter.sh/", "karpenter.k8s.aws/",
                                             "karpenter.azure.com/", "karpenter.k8s.gcp/"};

/// Prefixes of labels that the kubelet copies from a driver when that has registered.
constexpr std::pair<std::string_view, std::string_view> drivers[] = {
    {"topology.ebs.csi.aws.com/", "the CSI driver ebs.csi.aws.com"},
    {"topology.gke.io/", "the CSI driver pd.csi.storage.gke.io"},
    {"topology.disk.csi.azure.com/", "the CSI driver disk.csi.azure.com"},
};

bool is_any(std::string_view key, const auto& words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return word.ends_with('/') ? key.starts_with(word) : key == word;
  });
}

std::vector<const model::NodeSelectorRequirement*> requirements_on(const model::NodeTemplate& of,
                                                                   std::string_view key) {
  std::vector<const model::NodeSelectorRequirement*> result;
  for (const auto& requirement : of.requirements) {
    if (present_name(requirement.key) == key) result.push_back(&requirement);
  }
  return result;
}

const model::Text* set_label(const model::NodeTemplate& of, std::string_view key) {
  for (const auto& [name, value] : of.labels) {
    if (present_name(name) == key) return &value;
  }
  return nullptr;
}

bool holds(const model::NodeSelectorRequirement& requirement, const LabelValue& value) {
  model::Labels labels;
  if (value.kind != LabelValue::Kind::Absent) labels.set(requirement.key, value.value);
  return placement::satisfies(labels, requirement);
}

/// Values next to a bound of Gt or Lt.
void add_neighbours(std::string_view bound, std::set<std::string>& to) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto at = placement::parse_lenient_integer(bound);
  if (!at || *at == most || *at <= -most) return;
  for (const std::int64_t near : {*at - 1, *at, *at + 1}) to.insert(std::to_string(near));
}

/// An example of the values that are named nowhere. No label can have it.
constexpr const char* other_value = "(another value)";

/// The values that terms name, and an example of the other values.
struct Candidates {
  std::set<std::string> values;
  std::set<std::string> examples;
};

Candidates candidates_for(std::string_view key,
                          const std::vector<const model::NodeSelectorRequirement*>& requirements,
                          const std::vector<model::Text>& named, bool compares) {
  Candidates result;
  for (const model::Text& value : named) {
    result.values.insert(value.str());
    if (compares) add_neighbours(value, result.examples);
  }
  bool bounded = false;  // by numbers
  for (const auto* requirement : requirements) {
    const bool is_bound = requirement->op == "Gt" || requirement->op == "Lt";
    bounded = bounded || is_bound;
    for (const model::Text& value : requirement->values) {
      if (is_bound) {
        add_neighbours(value, result.examples);
      } else {
        result.values.insert(value.str());
      }
    }
  }
  if (key == os_label) {
    result.values.insert({"linux", "windows"});
  } else if (!bounded) {
    result.examples.insert(other_value);
  }
  return result;
}

}  // namespace

std::string_view present_name(std::string_view key) {
  const auto at =
      std::ranges::find_if(old_names, [&](const auto& each) { return each.first == key; });
  return at == std::end(old_names) ? key : at->second;
}

bool decides_label(const model::NodeTemplate& of, std::string_view key) {
  return set_label(of, key) != nullptr || !requirements_on(of, key).empty();
}

std::string_view later_writer(std::string_view key) {
  if (const auto writer = writer_of_key(key)) return *writer;
  const auto at = std::ranges::find_if(
      drivers, [&](const auto& driver) { return key.starts_with(driver.first); });
  return at == std::end(drivers) ? std::string_view() : at->second;
}

std::vector<LabelValue> possible_values(const model::NodeTemplate& of, std::string_view key,
                                        const std::vector<model::Text>& named, bool compares) {
  const auto requirements = requirements_on(of, key);
  const auto meets_all = [&](const LabelValue& value) {
    return std::ranges::all_of(requirements, [&](const auto* each) { return holds(*each, value); });
  };
  if (const model::Text* fixed = set_label(of, key)) {
    const LabelValue value{LabelValue::Kind::Named, *fixed};
    if (!meets_all(value)) return {};
    return {value};
  }
  const bool of_kubelet = is_any(key, of_every_node);
  const bool of_karpenter = of.kind == "NodePool" && is_any(key, by_karpenter);
  const bool open =
      of_kubelet || of_karpenter || is_any(key, of_the_cloud) || !later_writer(key).empty();
  if (requirements.empty() && !open) return {LabelValue{}};
  if (key == "kubernetes.io/hostname") return {LabelValue{LabelValue::Kind::Other, "new-node"}};

  Candidates candidates = candidates_for(key, requirements, named, compares);
  const std::set<std::string>& values = candidates.values;
  std::set<std::string>& examples = candidates.examples;
  std::vector<LabelValue> result;
  const auto add = [&](const std::set<std::string>& those, LabelValue::Kind kind) {
    for (const std::string& value : those) {
      LabelValue each{kind, model::Text(value)};
      if (meets_all(each)) result.push_back(std::move(each));
    }
  };
  add(values, LabelValue::Kind::Named);
  std::erase_if(examples, [&](const std::string& value) { return values.contains(value); });
  add(examples, LabelValue::Kind::Other);
  if (const LabelValue absent; !of_kubelet && meets_all(absent)) result.push_back(absent);
  return result;
}

model::Text contradicted_label(const model::NodeTemplate& of) {
  for (const auto& requirement : of.requirements) {
    if (possible_values(of, present_name(requirement.key), {}, false).empty()) {
      return requirement.key;
    }
  }
  return {};
}

std::string_view unread_source(const model::NodeTemplate& of) {
  if (of.group == "cluster.x-k8s.io") return "its bootstrap configuration";
  if (of.group == "machine.openshift.io") return "its MachineConfigPool";
  return of.kind == "AutoScalingGroup" ? "its launch template" : "";
}

bool is_like(const model::Node& node, const model::NodeTemplate& of) {
  const bool has_labels = std::ranges::all_of(of.labels, [&](const auto& label) {
    const model::Text* value = node.meta.labels.find(label.first);
    return value != nullptr && *value == label.second;
  });
  return has_labels && std::ranges::all_of(of.requirements, [&](const auto& requirement) {
           return placement::satisfies(node.meta.labels, requirement);
         });
}

}  // namespace dsdoctor::diagnosis
