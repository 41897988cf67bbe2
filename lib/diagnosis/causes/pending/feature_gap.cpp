// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pending/feature_gap.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/catalogue/object_evidence.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::FeatureLack;
using scheduling::FeatureNeed;

/// In 1.36 a kubelet reports its features only if another gate is on, which is the default; a
/// kubelet of that release without any feature may have it off.
std::string gates_to_turn_on(const model::Node& node, const scheduling::NodeFeature& feature) {
  constexpr int optional_until = 36;
  const auto kubelet = model::parse_release(node.kubelet_version);
  const bool may_be_silent =
      kubelet && kubelet->minor <= optional_until && node.declared_features.empty();
  return fmt::format("{}{}", feature.name, may_be_silent ? " or NodeDeclaredFeatures" : "");
}

void append_to(std::string& list, std::string_view entry) {
  if (entry.empty()) return;
  if (!list.empty()) list += " and ";
  list += entry;
}

/// "restartPolicyRules[0].action: RestartAllContainers"; empty if the field is not known.
std::string field_text(const FeatureNeed& need) {
  return need.value.empty() ? need.path : fmt::format("{}: {}", need.path, need.value);
}

Evidence declared_evidence(const model::Node& node) {
  std::vector<std::string_view> declared;
  declared.reserve(node.declared_features.size());
  for (const model::Text& feature : node.declared_features) declared.push_back(feature);
  return {ref_of(node), "status.declaredFeatures",
          evidence_value(fmt::format("{}", fmt::join(declared, ", ")))};
}

void add_need(const model::Node& node, const ObjectRef& of, const FeatureNeed& need,
              FeatureGap& into) {
  const scheduling::NodeFeature& feature = *need.feature;
  const FeatureLack lack = scheduling::feature_lack(node, feature);
  const bool is_off = lack == FeatureLack::GateOff;
  const bool is_old = lack == FeatureLack::KubeletTooOld;
  const std::string gates = is_off ? gates_to_turn_on(node, feature) : std::string();
  const std::string_view kubelet = node.kubelet_version;
  into.clauses.emplace_back(phrase::FeatureNotDeclared{
      .feature = feature.name,
      .field = field_text(need),
      .gates = gates,
      .kubelet = is_off ? kubelet : std::string_view(),
      .kubelet_is_unknown = lack == FeatureLack::KubeletUnknown,
      .old_kubelet = is_old ? kubelet : std::string_view(),
      .on_node = node.meta.name,
      .runtime_may_lack_it = is_off && feature.needs_runtime,
      .since = is_old ? to_string(model::Release{feature.since, 0}) : std::string()});
  if (!need.path.empty()) {
    const std::string_view prefix = of.kind == "Pod" ? "spec." : "spec.template.spec.";
    into.evidence.emplace_back(of, fmt::format("{}{}", prefix, need.path), need.value);
    append_to(into.fields, fmt::format("spec.template.spec.{}", need.path));
  }
  append_to(into.group, feature.name);
  append_to(into.gates, gates);
  into.runtime_may_lack_it = into.runtime_may_lack_it || (is_off && feature.needs_runtime);
}

}  // namespace

FeatureGap feature_gap(const model::Node& node, const ObjectRef& of,
                       const scheduling::FeatureNeeds& lacking) {
  FeatureGap gap;
  if (lacking.empty()) return gap;
  gap.evidence.push_back(declared_evidence(node));
  int newest = 0;
  for (const FeatureNeed& need : lacking) {
    add_need(node, of, need, gap);
    if (scheduling::feature_lack(node, *need.feature) == FeatureLack::KubeletTooOld) {
      newest = std::max(newest, need.feature->since);
    }
  }
  if (newest > 0) {
    gap.upgrade_to = to_string(model::Release{newest, 0});
    gap.group += " of " + gap.upgrade_to;
  }
  return gap;
}

}  // namespace dsdoctor::diagnosis
