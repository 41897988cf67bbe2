// SPDX-License-Identifier: Apache-2.0
#include "render/words/reason_text.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::render {
namespace {

constexpr std::string_view affinity_path =
    "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";

template <typename... Visitors>
struct Overloads : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloads(Visitors...) -> Overloads<Visitors...>;  // Clang 14 does not deduce it for aggregates

std::string present(const model::Text& key, const std::optional<model::Text>& have) {
  if (!have) return fmt::format("no label {}", key.view());
  return have->empty() ? fmt::format("{} with an empty value", key.view())
                       : fmt::format("{}={}", key.view(), have->view());
}

/// The values on the nodes: "zone=b (12), zone=c (3), no label zone (1)".
std::string have_list(const model::Text& key, const std::vector<diagnosis::HaveCount>& haves) {
  constexpr std::size_t shown = 4;
  std::string result;
  for (std::size_t i = 0; i < haves.size() && i < shown; ++i) {
    result +=
        fmt::format("{}{} ({})", i == 0 ? "" : ", ", present(key, haves[i].have), haves[i].nodes);
  }
  if (haves.size() > shown) result += fmt::format(" and {} other values", haves.size() - shown);
  return result;
}

std::string have_clause(const model::Text& key, const std::optional<model::Text>& have,
                        const std::vector<diagnosis::HaveCount>& haves) {
  if (haves.size() > 1) return "the nodes have " + have_list(key, haves);
  const bool several = haves.size() == 1 && haves.front().nodes > 1;
  return fmt::format("the node{} {}", several ? "s have" : " has", present(key, have));
}

std::string near_miss_clause(const placement::UntoleratedTaint& reason) {
  if (!reason.near) return "";
  const auto why = [&]() -> std::string {
    switch (reason.near->miss) {
      case placement::TolerationMiss::Effect: return "has another effect";
      case placement::TolerationMiss::Key: return "its key is spelled differently";
      case placement::TolerationMiss::Value:
        return "has another value (no operator means Equal; Exists would match)";
      case placement::TolerationMiss::Integer:
        return "compares integers, and a value is not one (leading zeros and + are not allowed)";
      case placement::TolerationMiss::Number:
        return "compares numbers, and the comparison is false";
      case placement::TolerationMiss::Gate:
        return "needs the feature gate TaintTolerationComparisonOperators";
      case placement::TolerationMiss::Operator:
        return "has an operator that Kubernetes does not know";
    }
    std::abort();
  }();
  return fmt::format("; tolerations[{}] is similar, but {}", reason.near->toleration, why);
}

std::string nothing_clause(const placement::AffinityMatchesNothing& reason) {
  if (reason.terms == 0) return "it has no terms";
  if (reason.faults.empty()) {
    return reason.terms == 1 ? "its only term is empty" : "all of its terms are empty";
  }
  std::string result;
  for (const placement::RequirementFailure& failure : reason.faults) {
    result += fmt::format("{}nodeSelectorTerms[{}].{}[{}] {}", result.empty() ? "" : "; ",
                          failure.term, failure.in_fields ? "matchFields" : "matchExpressions",
                          failure.index, to_string(*failure.fault));
  }
  return result;
}

std::string more_clause(std::size_t more) {
  if (more == 0) return "";
  return fmt::format("; {} {}", base::counted(more, "more requirement"),
                     more == 1 ? "fails" : "fail");
}

std::string describe(const placement::Reason& reason,
                     const std::vector<diagnosis::HaveCount>& haves, bool value_varies) {
  return std::visit(
      Overloads{
          [](const placement::NodeNameMismatch& r) {
            return fmt::format("the template is pinned to node {}", r.want.view());
          },
          [&](const placement::NodeSelectorMismatch& r) {
            return fmt::format("node selector {}requires {}={}, {}",
                               r.of_namespace ? "of the namespace " : "", r.key.view(),
                               r.want.view(), have_clause(r.key, r.have, haves));
          },
          [&](const placement::AffinityTermMismatch& r) {
            const std::string wanted =
                fmt::format("affinity term {} requires {}", r.term, to_string(*r.requirement));
            if (r.fault) {
              return fmt::format("{}, which {}{}", wanted, to_string(*r.fault),
                                 more_clause(r.more));
            }
            if (r.in_fields) {
              return fmt::format("{}, {}{}", wanted,
                                 haves.size() > 1 ? "the nodes have other names"
                                 : r.have         ? fmt::format("the node is {}", r.have->view())
                                                  : "a field that nodes do not have",
                                 more_clause(r.more));
            }
            return fmt::format("{}, {}{}", wanted, have_clause(r.requirement->key, r.have, haves),
                               more_clause(r.more));
          },
          [](const placement::AffinityMatchesNothing& r) {
            return "required node affinity matches no node: " + nothing_clause(r);
          },
          [&](const placement::UntoleratedTaint& r) {
            const std::string shown = value_varies
                                          ? fmt::format("{}:{} (its value varies)",
                                                        r.taint.key.view(), r.taint.effect.view())
                                          : to_string(r.taint);
            return fmt::format("taint {} is not tolerated{}", shown, near_miss_clause(r));
          },
      },
      reason);
}

}  // namespace

std::string_view kind_of(const placement::Reason& reason) {
  return std::visit(
      Overloads{
          [](const placement::NodeNameMismatch&) { return "node-name-mismatch"; },
          [](const placement::NodeSelectorMismatch&) { return "node-selector-mismatch"; },
          [](const placement::AffinityTermMismatch&) { return "affinity-term-mismatch"; },
          [](const placement::AffinityMatchesNothing&) { return "affinity-matches-nothing"; },
          [](const placement::UntoleratedTaint&) { return "untolerated-taint"; },
      },
      reason);
}

std::string sentence(const placement::Reason& reason) { return describe(reason, {}, false); }

std::string sentence(const diagnosis::GroupReason& reason) {
  return describe(reason.reason, reason.haves, reason.value_varies);
}

std::string path_of(const placement::Reason& reason) {
  return std::visit(Overloads{
                        [](const placement::NodeNameMismatch&) -> std::string {
                          return "spec.template.spec.nodeName";
                        },
                        [](const placement::NodeSelectorMismatch& r) -> std::string {
                          if (r.of_namespace) return "Namespace metadata.annotations";
                          return fmt::format("spec.template.spec.nodeSelector[{}]", r.key.view());
                        },
                        [](const placement::AffinityTermMismatch& r) {
                          return fmt::format(
                              "{}.nodeSelectorTerms[{}].{}[{}]", affinity_path, r.term,
                              r.in_fields ? "matchFields" : "matchExpressions", r.index);
                        },
                        [](const placement::AffinityMatchesNothing&) {
                          return fmt::format("{}.nodeSelectorTerms", affinity_path);
                        },
                        [](const placement::UntoleratedTaint& r) {
                          return fmt::format("spec.taints[{}]", r.index);
                        },
                    },
                    reason);
}

std::string to_string(const model::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key.view(), taint.value.empty() ? "" : "=",
                     taint.value.view(), taint.effect.view());
}

std::string to_string(const model::NodeSelectorRequirement& requirement) {
  std::string values;
  for (const model::Text& value : requirement.values) {
    values += fmt::format("{}{}", values.empty() ? "" : ", ",
                          value.empty() ? std::string_view("\"\"") : value.view());
  }
  const bool listless = requirement.values.empty();
  return fmt::format("{} {}{}", requirement.key.view(), requirement.op.view(),
                     listless ? "" : fmt::format(" [{}]", values));
}

std::string_view to_string(placement::RequirementFault fault) {
  switch (fault) {
    case placement::RequirementFault::UnknownOperator: return "has an unknown operator";
    case placement::RequirementFault::NeedsValues: return "needs at least one value";
    case placement::RequirementFault::TakesNoValues: return "must not have values";
    case placement::RequirementFault::NeedsOneValue: return "needs exactly one value";
    case placement::RequirementFault::NotAnInteger: return "has a value that is not an integer";
    case placement::RequirementFault::IllegalKey: return "has an invalid label key";
    case placement::RequirementFault::IllegalValue: return "has an invalid label value";
    case placement::RequirementFault::UnsupportedField: return "supports only In and NotIn";
  }
  std::abort();
}

}  // namespace dsdoctor::render
