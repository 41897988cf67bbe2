// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/computed_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/evidence/attribution.h"

namespace dsdoctor::diagnosis {
namespace {

/// Controllers that compute labels, as in managedFields.
constexpr std::array<std::string_view, 4> computing_managers = {
    "nfd-master", "gpu-operator", "virt-handler", "k8s-node-labeller"};

/// Whether this field manager sets labels that a person or a node's configuration gave it.
bool sets_given_labels(std::string_view manager) {
  constexpr std::array<std::string_view, 16> exact = {
      "kubelet",           "helm",
      "terraform",         "Terraform",
      "pulumi-kubernetes", "eksctl",
      "karpenter",         "cluster-autoscaler",
      "kops-controller",   "kustomize-controller",
      "helm-controller",   "before-first-apply",
      "rancher",           "machine-config-controller",
      "OpenAPI-Generator", "kube-controller-manager"};
  return manager.starts_with("kubectl") || manager.starts_with("argocd-") ||
         manager.ends_with("cloud-controller-manager") ||
         std::ranges::find(exact, manager) != exact.end();
}

/// A required label.
struct Required {
  model::Text key;
  std::vector<model::Text> values;  // empty: any
  std::string path;                 // in the template's spec
  std::string shown;                // the value at the path
};

struct Writer {
  std::string name;
  std::optional<Evidence> evidence;  // from managedFields
};

/// The controller that computes the label; absent if it is not known, or if it is not a controller.
std::optional<Writer> computing_writer(const model::Node& node, std::string_view key) {
  const auto by_key = writer_of_key(key);
  const auto recorded = label_writer(node.meta, key);
  if (!recorded)
    return by_key ? std::optional(Writer{std::string(*by_key), std::nullopt}) : std::nullopt;
  const std::string_view manager = recorded->manager;
  const bool computes = std::ranges::find(computing_managers, manager) != computing_managers.end();
  if (!computes && (!by_key || sets_given_labels(manager))) return std::nullopt;
  return Writer{by_key ? std::string(*by_key) : manager_name(manager),
                Evidence(ref_of(node), writer_path(node.meta, *recorded) + ".manager",
                         recorded->manager.str())};
}

/// Whether the DaemonSet belongs to the software that writes the label.
bool is_of_writer(const model::DaemonSet& ds, std::string_view key) {
  const auto& owner = ds.meta.controller;
  if (!owner) return false;
  const std::string_view group = model::api_group(owner->api_version);
  const std::string_view domain = key.substr(0, key.find('/'));
  return !group.empty() && (domain == group || domain.ends_with("." + std::string(group)));
}

class ComputedLabels {
 public:
  explicit ComputedLabels(const DaemonSetCase& c) : c_(c) {}

  std::vector<Finding> find() {
    const model::PodTemplate& pods = c_.ds.pod_template;
    for (const auto& [key, value] : pods.node_selector) {
      look_at({key, {value}, fmt::format("nodeSelector['{}']", key.view()), value.str()});
    }
    if (pods.node_affinity) look_at_terms(pods.node_affinity->terms);
    if (labels_.empty()) return {};
    return {make_finding(finding::DaemonsetComputedLabel{.labels = labels_, .writers = writers_},
                         std::move(evidence_), names_of(c_))};
  }

 private:
  /// Terms are alternatives: they depend on computed labels only if each of them does.
  void look_at_terms(const std::vector<model::NodeSelectorTerm>& terms) {
    std::vector<Required> found;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto& expressions = terms[i].match_expressions;
      const auto at = std::ranges::find_if(expressions, [&](const auto& required) {
        return writer_of(required.key, required.values).has_value();
      });
      if (at == expressions.end()) return;
      found.push_back({at->key, at->values,
                       fmt::format("affinity.nodeAffinity."
                                   "requiredDuringSchedulingIgnoredDuringExecution."
                                   "nodeSelectorTerms[{}].matchExpressions[{}].key",
                                   i, at - expressions.begin()),
                       at->key.str()});
    }
    for (const Required& required : found) look_at(required);
  }

  /// A node that has the label, preferably with one of `values`; null if no node has it.
  [[nodiscard]] const model::Node* node_with(std::string_view key,
                                             const std::vector<model::Text>& values) const {
    const auto& labels = c_.facts.labels_of_nodes();
    const auto at = labels.find(key);
    if (at == labels.end()) return nullptr;
    for (const model::Text& value : values) {
      if (const auto same = at->second.find(value); same != at->second.end()) return same->second;
    }
    const auto node = [](const auto& of_value) { return of_value.second; };
    return node(*std::ranges::min_element(at->second, std::less<>(), node));
  }

  [[nodiscard]] std::optional<Writer> writer_of(std::string_view key,
                                                const std::vector<model::Text>& values) const {
    const model::Node* node = node_with(key, values);
    if (node == nullptr || is_of_writer(c_.ds, key)) return std::nullopt;
    return computing_writer(*node, key);
  }

  void look_at(const Required& required) {
    const auto writer = writer_of(required.key, required.values);
    if (!writer || std::ranges::find(labels_, required.key.view()) != labels_.end()) return;
    labels_.push_back(required.key.str());
    if (std::ranges::find(writers_, writer->name) == writers_.end()) {
      writers_.push_back(writer->name);
    }
    evidence_.emplace_back(ref_of(c_.ds), "spec.template.spec." + required.path, required.shown);
    if (writer->evidence) evidence_.push_back(*writer->evidence);
  }

  const DaemonSetCase& c_;
  std::vector<std::string> labels_;
  std::vector<std::string> writers_;
  std::vector<Evidence> evidence_;
};

}  // namespace

std::vector<Finding> computed_label_findings(const DaemonSetCase& c) {
  const model::PodTemplate& pods = c.ds.pod_template;
  if (pods.node_selector.empty() && !pods.node_affinity) return {};
  if (!c.facts.cluster().nodes_known) return {};
  if (c.report.evaluated.counts.desired_number_scheduled == 0) return {};
  return ComputedLabels(c).find();
}

}  // namespace dsdoctor::diagnosis
