// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/toleration_seconds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "placement/tolerates.h"

namespace dsdoctor::diagnosis {
namespace {

using Tolerations = std::vector<model::Toleration>;

/// The taints without a value that kube-controller-manager adds to a node that is not Ready.
constexpr std::array<std::string_view, 2> outage_keys = {"node.kubernetes.io/not-ready",
                                                         "node.kubernetes.io/unreachable"};

std::string entry_name(std::size_t index) { return fmt::format("tolerations[{}]", index); }

/// Whether the toleration names the taint, or every taint.
bool is_meant_for(const model::Toleration& toleration, const model::Taint& taint) {
  return (toleration.key.empty() || toleration.key == taint.key) &&
         (toleration.effect.empty() || toleration.effect == taint.effect);
}

class SecondsFinder {
 public:
  explicit SecondsFinder(const DaemonSetCase& c)
      : c_(c),
        of_template_(c.ds.pod_template.tolerations),
        of_pods_(placement::effective_tolerations(of_template_, c.ds.pod_template.host_network)) {}

  std::vector<Finding> find(bool loops) {
    for (const std::string_view key : outage_keys) look_at({model::Text(key), "", "NoExecute"});
    std::vector<Finding> findings;
    if (!obeyed_.empty() && !loops) {
      findings.push_back(
          make_finding(finding::TolerationSecondsEvicts{.entries = names_of_entries(obeyed_in_),
                                                        .evictions = std::move(obeyed_)},
                       evidence_of(obeyed_in_), names_of(c_)));
    }
    if (!ignored_.empty()) {
      findings.push_back(
          make_finding(finding::TolerationSecondsIgnored{.entries = names_of_entries(ignored_in_),
                                                         .reasons = std::move(ignored_)},
                       evidence_of(ignored_in_), names_of(c_)));
    }
    return findings;
  }

 private:
  using Indexes = std::vector<std::size_t>;

  static void add(Indexes& indexes, std::size_t index) {
    if (std::ranges::find(indexes, index) == indexes.end()) indexes.push_back(index);
  }
  /// "tolerations[0], tolerations[2]"
  static std::string names_of_entries(const Indexes& indexes) {
    std::string result;
    for (const std::size_t index : indexes) {
      result += (result.empty() ? "" : ", ") + entry_name(index);
    }
    return result;
  }
  [[nodiscard]] std::vector<Evidence> evidence_of(const Indexes& indexes) const {
    std::vector<Evidence> result;
    for (const std::size_t index : indexes) {
      result.emplace_back(ref_of(c_.ds),
                          fmt::format("spec.template.spec.{}.tolerationSeconds", entry_name(index)),
                          std::to_string(*of_template_[index].toleration_seconds));
    }
    return result;
  }

  void look_at(const model::Taint& taint) {
    const auto* first = placement::first_tolerating(of_pods_, taint, c_.gates);
    const auto first_index = static_cast<std::size_t>(first - of_pods_.data());
    for (std::size_t i = 0; i < of_template_.size(); ++i) {
      const model::Toleration& toleration = of_template_[i];
      if (!toleration.toleration_seconds || !is_meant_for(toleration, taint)) continue;
      if (i == first_index && of_pods_[i].toleration_seconds) {
        obey(i, taint);
      } else {
        ignore(i, first_index, taint);
      }
    }
  }

  void obey(std::size_t index, const model::Taint& taint) {
    const std::int64_t seconds = *of_template_[index].toleration_seconds;
    const bool waits = seconds > 0;
    const bool is_unreachable = taint.key == outage_keys[1];
    obeyed_.push_back(
        phrase::EvictionOfOutage{.is_unreachable = is_unreachable,
                                 .key = taint.key,
                                 .seconds = waits ? std::optional(seconds) : std::nullopt});
    add(obeyed_in_, index);
  }

  void ignore(std::size_t index, std::size_t first, const model::Taint& taint) {
    add(ignored_in_, index);
    const std::int64_t seconds = *of_template_[index].toleration_seconds;
    if (!of_pods_[index].toleration_seconds) {
      ignored_.push_back(
          phrase::SecondsOverwritten{.entry = entry_name(index),
                                     .key = taint.key,
                                     .seconds = seconds,
                                     .the_pods_stay = !of_pods_[first].toleration_seconds});
    } else if (!placement::tolerates(of_template_[index], taint, c_.gates)) {
      ignored_.push_back(phrase::SecondsOfOtherValue{
          .entry = entry_name(index), .key = taint.key, .seconds = seconds});
    } else {
      const auto& deciding = of_pods_[first].toleration_seconds;
      ignored_.push_back(phrase::SecondsPassedOver{.entry = entry_name(index),
                                                   .first = entry_name(first),
                                                   .key = taint.key,
                                                   .other_seconds = deciding,
                                                   .seconds = seconds});
    }
  }

  const DaemonSetCase& c_;
  const Tolerations& of_template_;
  Tolerations of_pods_;
  std::vector<Message> obeyed_;
  std::vector<Message> ignored_;
  Indexes obeyed_in_;
  Indexes ignored_in_;
};

}  // namespace

std::vector<Finding> toleration_seconds_findings(const DaemonSetCase& c, bool loops) {
  const bool has_seconds =
      std::ranges::any_of(c.ds.pod_template.tolerations, [](const model::Toleration& toleration) {
        return toleration.toleration_seconds.has_value();
      });
  return has_seconds ? SecondsFinder(c).find(loops) : std::vector<Finding>();
}

}  // namespace dsdoctor::diagnosis
