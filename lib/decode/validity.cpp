#include "decode/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace dsdoctor::decode {
namespace {

constexpr std::string_view tolerations_path = "spec.template.spec.tolerations";
constexpr std::string_view terms_path =
    "spec.template.spec.affinity.nodeAffinity."
    "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

template <std::size_t N>
bool one_of(const model::Text& word, const std::string_view (&words)[N]) {
  return std::ranges::find(words, word.view()) != std::end(words);
}

constexpr std::string_view effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
constexpr std::string_view toleration_operators[] = {"", "Equal", "Exists", "Lt", "Gt"};
constexpr std::string_view expression_operators[] = {"In",           "NotIn", "Exists",
                                                     "DoesNotExist", "Gt",    "Lt"};

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
         "is empty, which only operator Exists allows; the controller takes it for every key");
  }
  if (toleration.op == "Exists" && !toleration.value.empty()) {
    warn(path + ".value", "must be empty with operator Exists; the controller ignores it");
  }
  if (toleration.toleration_seconds && toleration.effect != model::effect::no_execute) {
    warn(path + ".tolerationSeconds", "only goes with effect NoExecute; the controller ignores it");
  }
}

/// Absent where the number of values fits the operator.
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
  if (!one_of(requirement.op, expression_operators)) {
    warn(path + ".operator",
         fmt::format("\"{}\" is not one of In, NotIn, Exists, DoesNotExist, Gt, Lt; the whole term "
                     "never matches",
                     requirement.op.view()));
  } else if (const auto fault = value_count_fault(requirement); !fault.empty()) {
    warn(path + ".values", fmt::format("{}; the whole term never matches", fault));
  }
}

void check_field(const model::NodeSelectorRequirement& requirement, const std::string& path,
                 const WarningSink& warn) {
  if (requirement.op != "In" && requirement.op != "NotIn") {
    warn(path + ".operator", fmt::format("\"{}\" is not one of In, NotIn, which is all that "
                                         "matchFields know; the whole term never matches",
                                         requirement.op.view()));
  } else if (requirement.values.size() != 1) {
    warn(path + ".values", "must have exactly one value; the whole term never matches");
  }
  if (requirement.key != "metadata.name") {
    warn(path + ".key", fmt::format("\"{}\" is not metadata.name, the only field there is; the "
                                    "controller reads it as the empty string",
                                    requirement.key.view()));
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
  if (!pod.node_affinity) return;
  for (std::size_t t = 0; t < pod.node_affinity->terms.size(); ++t) {
    const model::NodeSelectorTerm& term = pod.node_affinity->terms[t];
    for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
      check_expression(term.match_expressions[i],
                       fmt::format("{}[{}].matchExpressions[{}]", terms_path, t, i), warn);
    }
    for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
      check_field(term.match_fields[i], fmt::format("{}[{}].matchFields[{}]", terms_path, t, i),
                  warn);
    }
  }
}

}  // namespace dsdoctor::decode
