// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text.h"

namespace dsdoctor::decode {
namespace {

constexpr std::string_view tolerations_path = "spec.template.spec.tolerations";
constexpr std::string_view required_path =
    "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view term_fails = "the whole term never matches";

template <std::size_t N>
bool one_of(const model::Text& word, const std::string_view (&words)[N]) {
  return std::ranges::find(words, word.view()) != std::end(words);
}

constexpr std::string_view effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
constexpr std::string_view toleration_operators[] = {"", "Equal", "Exists", "Lt", "Gt"};
constexpr std::string_view expression_operators[] = {"In",           "NotIn", "Exists",
                                                     "DoesNotExist", "Gt",    "Lt"};

bool fits_int64(std::string_view text) { return base::to_number<std::int64_t>(text).has_value(); }

/// An integer for a node selector: a sign and leading zeros are accepted.
bool is_integer(std::string_view text) {
  if (!text.starts_with('+')) return fits_int64(text);
  text.remove_prefix(1);
  return !text.starts_with('-') && fits_int64(text);
}

/// An integer for a toleration with Lt or Gt: no plus, no leading zero, no "-0".
bool is_canonical_integer(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  return fits_int64(text) && (text == "0" || !digits.starts_with('0'));
}

void check(const model::Toleration& toleration, const std::string& path, const WarningSink& warn) {
  if (!one_of(toleration.op, toleration_operators)) {
    warn(path + ".operator",
         fmt::format("\"{}\" is not one of Exists, Equal, Lt, Gt; this toleration never matches",
                     toleration.op.view()));
  }
  if (!toleration.effect.empty() && !one_of(toleration.effect, effects)) {
    warn(path + ".effect",
         fmt::format("\"{}\" is not one of NoSchedule, PreferNoSchedule, NoExecute; this "
                     "toleration matches no taint that keeps pods away",
                     toleration.effect.view()));
  }
  if (toleration.key.empty() && toleration.op != "Exists") {
    warn(path + ".key",
         "is empty, which only operator Exists allows; the controller reads it as every key");
  }
  if (toleration.op == "Exists" && !toleration.value.empty()) {
    warn(path + ".value", "must be empty with operator Exists; the controller ignores it");
  }
  if ((toleration.op == "Lt" || toleration.op == "Gt") && !is_canonical_integer(toleration.value)) {
    warn(path + ".value",
         fmt::format("\"{}\" is not a decimal integer without leading zeros, which operator {} "
                     "needs; this toleration never matches",
                     toleration.value.view(), toleration.op.view()));
  }
  if (toleration.toleration_seconds && toleration.effect != model::effect::no_execute) {
    warn(path + ".tolerationSeconds",
         "is only valid with effect NoExecute; the controller ignores it");
  }
}

/// The error in the number of values; empty if it fits the operator.
std::string_view value_count_fault(const model::NodeSelectorRequirement& requirement) {
  const std::size_t count = requirement.values.size();
  if ((requirement.op == "In" || requirement.op == "NotIn") && count == 0) {
    return "must have at least one value";
  }
  if ((requirement.op == "Exists" || requirement.op == "DoesNotExist") && count != 0) {
    return "must be empty with this operator";
  }
  if ((requirement.op == "Gt" || requirement.op == "Lt") && count != 1) {
    return "must have exactly one value";
  }
  return {};
}

void check_expression(const model::NodeSelectorRequirement& requirement, const std::string& path,
                      const WarningSink& warn) {
  if (requirement.key.empty()) warn(path + ".key", fmt::format("is empty; {}", term_fails));
  const bool compares = requirement.op == "Gt" || requirement.op == "Lt";
  if (!one_of(requirement.op, expression_operators)) {
    warn(path + ".operator",
         fmt::format("\"{}\" is not one of In, NotIn, Exists, DoesNotExist, Gt, Lt; {}",
                     requirement.op.view(), term_fails));
  } else if (const auto fault = value_count_fault(requirement); !fault.empty()) {
    warn(path + ".values", fmt::format("{}; {}", fault, term_fails));
  } else if (compares && !is_integer(requirement.values.front())) {
    warn(path + ".values[0]",
         fmt::format("\"{}\" is not an integer, which operator {} needs; {}",
                     requirement.values.front().view(), requirement.op.view(), term_fails));
  }
}

void check_field(const model::NodeSelectorRequirement& requirement, const std::string& path,
                 const WarningSink& warn) {
  if (requirement.op != "In" && requirement.op != "NotIn") {
    warn(path + ".operator",
         fmt::format("\"{}\" is not one of In, NotIn, the only operators of matchFields; {}",
                     requirement.op.view(), term_fails));
  } else if (requirement.values.size() != 1) {
    warn(path + ".values", fmt::format("must have exactly one value; {}", term_fails));
  }
  if (requirement.key != "metadata.name") {
    warn(path + ".key", fmt::format("\"{}\" is not metadata.name, the only supported field; the "
                                    "controller reads it as the empty string",
                                    requirement.key.view()));
  }
}

void check(const model::NodeSelector& required, const WarningSink& warn) {
  if (required.terms.empty()) {
    warn(fmt::format("{}.nodeSelectorTerms", required_path),
         "must have at least one term; no node matches");
  }
  for (std::size_t t = 0; t < required.terms.size(); ++t) {
    const model::NodeSelectorTerm& term = required.terms[t];
    const std::string path = fmt::format("{}.nodeSelectorTerms[{}]", required_path, t);
    for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
      check_expression(term.match_expressions[i], fmt::format("{}.matchExpressions[{}]", path, i),
                       warn);
    }
    for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
      check_field(term.match_fields[i], fmt::format("{}.matchFields[{}]", path, i), warn);
    }
  }
}

void check(const model::LabelSelector& selector, const WarningSink& warn) {
  constexpr std::string_view operators[] = {"In", "NotIn", "Exists", "DoesNotExist"};
  constexpr std::string_view stuck = "the controller fails on this DaemonSet";
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
    const model::NodeSelectorRequirement& requirement = selector.match_expressions[i];
    const std::string path = fmt::format("spec.selector.matchExpressions[{}]", i);
    if (!one_of(requirement.op, operators)) {
      warn(path + ".operator",
           fmt::format("\"{}\" is not one of In, NotIn, Exists, DoesNotExist; {}",
                       requirement.op.view(), stuck));
    } else if (const auto fault = value_count_fault(requirement); !fault.empty()) {
      warn(path + ".values", fmt::format("{}; {}", fault, stuck));
    }
  }
}

}  // namespace

void check(const model::Node& node, const WarningSink& warn) {
  for (std::size_t i = 0; i < node.taints.size(); ++i) {
    const model::Taint& taint = node.taints[i];
    const std::string path = fmt::format("spec.taints[{}]", i);
    if (!one_of(taint.effect, effects)) {
      warn(path + ".effect",
           fmt::format("\"{}\" is not one of NoSchedule, PreferNoSchedule, NoExecute; the "
                       "controller ignores this taint",
                       taint.effect.view()));
    }
    if (taint.key.empty()) {
      warn(path + ".key", "is empty; only tolerations without a key can match this taint");
    }
  }
}

void check(const model::DaemonSet& ds, const WarningSink& warn) {
  const model::PodTemplate& pod = ds.pod_template;
  for (std::size_t i = 0; i < pod.tolerations.size(); ++i) {
    check(pod.tolerations[i], fmt::format("{}[{}]", tolerations_path, i), warn);
  }
  if (pod.node_affinity) check(*pod.node_affinity, warn);
  if (ds.selector) check(*ds.selector, warn);
  constexpr std::string_view strategies[] = {"", "RollingUpdate", "OnDelete"};
  if (!one_of(ds.update_strategy, strategies)) {
    warn("spec.updateStrategy.type",
         fmt::format(
             "\"{}\" is not one of RollingUpdate, OnDelete; the controller does not replace pods "
             "by itself",
             ds.update_strategy.view()));
  }
}

}  // namespace dsdoctor::decode
