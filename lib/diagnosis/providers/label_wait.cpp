// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/providers/label_wait.h"

#include <algorithm>
#include <string_view>

#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/startup_circle.h"
#include "placement/tolerates.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

/// Whether the DaemonSet is the worker of node-feature-discovery, by its names and images.
bool writes_features(const model::DaemonSet& ds) { return is_agent(ds, "node-feature-discovery"); }

/// The feature label that the reason is about; empty for other reasons.
std::string_view feature_of(const placement::Reason& reason) {
  std::string_view key;
  if (const auto* label = std::get_if<placement::NodeSelectorMismatch>(&reason)) key = label->key;
  if (const auto* term = std::get_if<placement::AffinityTermMismatch>(&reason)) {
    key = term->requirement->key;
  }
  return key.starts_with(feature_prefix) ? key : std::string_view();
}

/// The feature label that the DaemonSet lacks on the node, if only labels exclude it; else empty.
std::string feature_lacked(const model::DaemonSet& ds, const model::Node& node,
                           placement::FeatureGates gates) {
  const placement::Evaluator evaluator(ds.pod_template, gates);
  const placement::Verdict verdict = evaluator.evaluate(node);
  std::string result;
  for (const placement::Reason& reason : verdict.reasons) {
    if (std::holds_alternative<placement::UntoleratedTaint>(reason)) return {};
    if (result.empty()) result = feature_of(reason);
  }
  return result;
}

bool runs_nowhere(const model::DaemonSet& ds) {
  return is_processed(ds) && ds.reported.desired_number_scheduled == 0 &&
         ds.reported.current_number_scheduled == 0;
}

/// The only taint that excludes the writer from the node, if a toleration has its key and effect
/// and another value; null otherwise.
struct NearMiss {
  const model::Taint* taint = nullptr;
  const model::Toleration* toleration = nullptr;
};

NearMiss near_miss(const model::DaemonSet& ds, const model::Node& node,
                   placement::FeatureGates gates) {
  const placement::Evaluator evaluator(ds.pod_template, gates);
  const placement::Verdict verdict = evaluator.evaluate(node);
  if (verdict.reasons.size() != 1) return {};
  const auto* open = std::get_if<placement::UntoleratedTaint>(&verdict.reasons.front());
  if (open == nullptr || open->index >= node.taints.size()) return {};
  const model::Taint& taint = node.taints[open->index];
  for (const model::Toleration& toleration : ds.pod_template.tolerations) {
    if (toleration.key.empty()) continue;
    if (placement::toleration_miss(toleration, taint, gates) == placement::TolerationMiss::Value) {
      return {&taint, &toleration};
    }
  }
  return {};
}

template <typename T>
void add_once(std::vector<const T*>& to, const T* one) {
  if (std::ranges::find(to, one) == to.end()) to.push_back(one);
}

LabelWait wait_for(const model::DaemonSet& writer, const std::vector<const model::DaemonSet*>& idle,
                   const Facts& facts, placement::FeatureGates gates) {
  LabelWait result;
  for (const model::Node& node : facts.cluster().nodes) {
    if (node.taints.empty()) continue;
    const NearMiss miss = near_miss(writer, node, gates);
    if (miss.taint == nullptr) continue;
    for (const model::DaemonSet* ds : idle) {
      const std::string lacked = feature_lacked(*ds, node, gates);
      if (lacked.empty()) continue;
      if (result.nodes.empty()) {
        result.writer = &writer;
        result.taint = miss.taint;
        result.toleration = miss.toleration;
        result.label = lacked;
      }
      add_once(result.waiting, ds);
      if (result.nodes.empty() || result.nodes.back() != &node) result.nodes.push_back(&node);
    }
  }
  return result;
}

}  // namespace

std::vector<LabelWait> label_waits(const Facts& facts, placement::FeatureGates gates) {
  std::vector<LabelWait> result;
  const auto& all = facts.cluster().daemon_sets;
  std::vector<const model::DaemonSet*> idle;
  for (const model::DaemonSet& ds : all) {
    if (!ds.meta.deleted && runs_nowhere(ds)) idle.push_back(&ds);
  }
  if (idle.empty()) return result;
  for (const model::DaemonSet& ds : all) {
    if (ds.meta.deleted || runs_nowhere(ds) || !writes_features(ds)) continue;
    LabelWait wait = wait_for(ds, idle, facts, gates);
    if (wait.writer != nullptr) result.push_back(std::move(wait));
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
