// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/old_taint_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/evidence/node_state.h"
#include "placement/tolerates.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

using Tolerations = std::vector<model::Toleration>;

/// A toleration of an old key, and the taint that replaces it.
struct Renamed {
  std::size_t toleration = 0;
  const model::KnownTaint* old = nullptr;
  model::Taint now;  // not tolerated
};

/// A value that the taint can have: the first one that is not a pattern, else `otherwise`.
model::Text value_of(const model::KnownTaint* known, const model::Text& otherwise) {
  if (known == nullptr || known->values.empty()) return otherwise;
  const std::string_view first = known->values.front();
  return first.find_first_of("*[") == first.npos ? known->values.front() : otherwise;
}

/// The new key of a taint. REQUIRES: the entry has one.
model::Text present_key(const model::KnownTaint& old, std::string_view key) {
  if (old.match == model::KeyMatch::Exact) return old.renamed_to;
  return {old.renamed_to.str() + std::string(key.substr(old.key.view().size()))};
}

bool tolerates_any(const Tolerations& tolerations, const model::Taint& taint,
                   placement::FeatureGates gates) {
  return placement::first_tolerating(tolerations, taint, gates) != nullptr;
}

/// The new taint of an old key that the toleration tolerates, if the pods do not tolerate it.
std::optional<Renamed> renamed(const DaemonSetCase& c, std::size_t index,
                               const Tolerations& of_pods) {
  const model::Toleration& toleration = c.ds.pod_template.tolerations[index];
  if (toleration.key.empty()) return std::nullopt;
  const model::KnownTaint* old =
      c.taints->find({toleration.key, toleration.value, toleration.effect}, {});
  if (old == nullptr || old->renamed_to.empty()) return std::nullopt;
  const model::Text key = present_key(*old, toleration.key);
  for (const model::Text& effect : old->effects) {
    const model::Taint before{toleration.key, value_of(old, toleration.value), effect};
    if (!placement::is_blocking(before)) continue;
    if (!placement::tolerates(toleration, before, c.gates)) continue;
    const model::KnownTaint* present = c.taints->find({key, "", effect}, {});
    if (present != nullptr && present->lifecycle == model::TaintLifecycle::Permanent) continue;
    const model::Taint now{key, value_of(present, before.value), effect};
    if (!tolerates_any(of_pods, now, c.gates)) return Renamed{index, old, now};
  }
  return std::nullopt;
}

std::string_view domain_of(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash == key.npos ? std::string_view() : key.substr(0, slash);
}

/// Whether a label of `domain` shows the component that uses the taint key's domain: the
/// same one, or a domain above it. Kubernetes' own domains are on every node.
bool shows_component(std::string_view domain, std::string_view of_taint) {
  if (domain.empty() || domain == "kubernetes.io" || domain == "k8s.io") return false;
  if (domain == of_taint) return true;
  return of_taint.size() > domain.size() && of_taint.ends_with(domain) &&
         of_taint[of_taint.size() - domain.size() - 1] == '.';
}

bool has_component(const model::Node& node, std::string_view of_taint) {
  return std::ranges::any_of(node.meta.labels, [&](const auto& label) {
    return shows_component(domain_of(label.first), of_taint);
  });
}

/// The nodes whose labels match the template and that have the new taint, or can get it.
struct Exposed {
  std::vector<std::string> nodes;  // with the new taint
  const model::Node* first = nullptr;
  bool component = false;
  bool old_in_use = false;  // a node has the old taint
};

Exposed exposed_nodes(const DaemonSetCase& c, const Renamed& of) {
  model::PodTemplate tolerant = c.ds.pod_template;
  tolerant.tolerations = {{"", "Exists", "", ""}};
  const placement::Evaluator by_labels(tolerant, c.gates);
  const std::string_view domain = domain_of(of.now.key);
  const model::Text& old_key = c.ds.pod_template.tolerations[of.toleration].key;
  Exposed result;
  for (const model::Node& node : c.facts.cluster().nodes) {
    if (!placement::should_run(by_labels.decide(node))) continue;
    const model::Taint* taint = find_taint(node, of.now.key);
    if (taint != nullptr && placement::is_blocking(*taint)) {
      if (result.first == nullptr) result.first = &node;
      result.nodes.push_back(node.meta.name.str());
    }
    result.old_in_use = result.old_in_use || find_taint(node, old_key) != nullptr;
    result.component = result.component || has_component(node, domain);
  }
  return result;
}

std::optional<Finding> old_key_finding(const DaemonSetCase& c, const Renamed& of) {
  const Exposed exposed = exposed_nodes(c, of);
  if (exposed.nodes.empty() && (exposed.old_in_use || !exposed.component)) return std::nullopt;
  const model::Text& old_key = c.ds.pod_template.tolerations[of.toleration].key;
  std::vector<Evidence> evidence = {
      {ref_of(c.ds), fmt::format("spec.template.spec.tolerations[{}].key", of.toleration),
       old_key.str()}};
  std::optional<std::int64_t> count;
  if (exposed.first != nullptr) {
    count = static_cast<std::int64_t>(exposed.nodes.size());
    evidence.push_back(taint_evidence(*exposed.first, *find_taint(*exposed.first, of.now.key)));
  }
  const model::Text& setter = of.old->setter.empty() ? of.old->set_by : of.old->setter;
  Finding finding = make_finding(finding::TolerationOldKey{.effect = of.now.effect,
                                                           .new_key = of.now.key,
                                                           .node_count = count,
                                                           .nodes = exposed.nodes,
                                                           .old_key = old_key,
                                                           .setter = setter},
                                 std::move(evidence), names_of(c));
  finding.group = old_key.str();
  return finding;
}

}  // namespace

std::vector<Finding> old_taint_key_findings(const DaemonSetCase& c) {
  std::vector<Finding> findings;
  const model::PodTemplate& pods = c.ds.pod_template;
  if (!c.facts.cluster().nodes_known || pods.tolerations.empty()) return findings;
  const auto of_pods = placement::effective_tolerations(pods.tolerations, pods.host_network);
  std::vector<model::Text> told;
  for (std::size_t i = 0; i < pods.tolerations.size(); ++i) {
    const auto old = renamed(c, i, of_pods);
    if (!old || std::ranges::find(told, old->now.key) != told.end()) continue;
    told.push_back(old->now.key);
    if (auto finding = old_key_finding(c, *old)) findings.push_back(*std::move(finding));
  }
  return findings;
}

}  // namespace dsdoctor::diagnosis
