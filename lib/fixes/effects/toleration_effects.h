// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/report/report.h"
#include "diagnosis/reporter.h"
#include "fixes/effects/settled.h"
#include "fixes/effects/template_change.h"

namespace dsdoctor::fixes {

/// Predicts additions of tolerations, each by the nodes whose taints they tolerate: a cluster can
/// have as many taints, and so as many suggestions, as nodes. Keeps references.
class TolerationEffects {
 public:
  /// `report` is of all nodes of the reporter's cluster.
  TolerationEffects(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                    const diagnosis::DaemonSetReport& report);

  /// The same as effect_of(). REQUIRES: `change` only adds tolerations.
  [[nodiscard]] Effect of(const TemplateChange& change) const;

 private:
  using Places = std::vector<std::size_t>;  // into places_, ascending

  /// A node whose decision changes.
  struct Change {
    std::size_t at;
    Place then;
    Share share;
    bool uses_budget;
  };

  void add_place(const diagnosis::NodeReport& today, const model::Node& node);
  /// The nodes with a taint that one of the tolerations may tolerate.
  [[nodiscard]] Places touched_by(const std::vector<model::Toleration>& tolerations) const;
  [[nodiscard]] std::vector<Change> changes_by(const model::PodTemplate& then,
                                               const Places& touched) const;
  /// The names of `unchanged` without the changed nodes, and of those changed nodes that `has`.
  template <typename Has>
  [[nodiscard]] std::vector<model::Text> names(const Places& unchanged,
                                               const std::vector<Change>& changes, Has&& has) const;

  const diagnosis::Reporter& reporter_;
  const model::DaemonSet& ds_;
  const diagnosis::DaemonSetReport& report_;
  Settling rules_;
  Settling::Whole whole_;
  PlacementCounts before_;
  std::vector<Place> places_;  // without a change, by name
  std::vector<Share> shares_;
  std::int64_t misscheduled_ = 0;  // after a rollout that changes no decision
  std::size_t replaced_ = 0;
  bool has_more_ = false;  // pods that wait for their turn in the rollout
  Places budget_users_;
  Places deletes_;
  Places unconfirmed_;
  /// By key and value, and by key, of the untolerated taints.
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, Places>> by_taint_;
};

}  // namespace dsdoctor::fixes
