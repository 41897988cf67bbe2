// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/ranking.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/evidence/attribution.h"

namespace dsdoctor::diagnosis {
namespace {

bool holds(std::span<const FindingId> ids, FindingId id) {
  return std::ranges::find(ids, id) != ids.end();
}

struct Order {
  int standing = 0;  // candidates for primary first, context last
  Stage stage = Stage::None;
  Basis basis = Basis::Confirmed;
  Severity severity = Severity::Info;

  [[nodiscard]] auto key() const { return std::tuple(standing, stage, basis, severity); }
};

/// Findings of several filters stay in the order of the scheduler's plugins, in which they were
/// added, because the sort is stable.
Order order_of(const Finding& finding, NodeVerdict verdict) {
  const Role& role = role_of(finding.id);
  Order order;
  order.severity = finding.severity;
  order.basis = finding.basis;
  if (role.stage == Stage::None || finding.standing == Standing::Context ||
      !role.explains.contains(verdict)) {
    order.standing = 2;
    return order;
  }
  order.stage = role.stage;
  order.standing = finding.severity == Severity::Info && !entry_of(role.stage).informs ? 1 : 0;
  return order;
}

/// Whether the kubelet reports a reason for rejecting the pod that the node's state (role `state`)
/// does not cause.
bool is_refused_otherwise(const Finding& finding, const Role& state) {
  if (entry_of(finding.id).family != Family::Kubelet || finding.severity == Severity::Info) {
    return false;
  }
  return !holds(state.cause_of, finding.id) || finding.group == evicted_by_own_limit;
}

/// Whether another finding explains more than this one.
bool comes_last(const Finding& finding, const std::vector<Finding>& findings) {
  const Role& role = role_of(finding.id);
  return std::ranges::any_of(findings, [&](const Finding& other) {
    if (!role.cause_of.empty() && is_refused_otherwise(other, role)) return true;
    return other.severity <= Severity::Error && holds(role_of(other.id).outranks, finding.id) &&
           !is_computed_label(finding.group);
  });
}

}  // namespace

bool stops_creation(const Finding& finding) {
  return role_of(finding.id).stops_creation && finding.severity != Severity::Info &&
         !finding.transient;
}

bool is_umbrella(const Finding& finding, NodeVerdict verdict) {
  const Role& role = role_of(finding.id);
  return role.umbrella && finding.severity != Severity::Info && role.explains.contains(verdict);
}

void rank(std::vector<Finding>& findings, NodeVerdict verdict) {
  if (findings.empty()) return;
  std::vector<Order> orders;
  orders.reserve(findings.size());
  for (const Finding& finding : findings) {
    Order& order = orders.emplace_back(order_of(finding, verdict));
    if (comes_last(finding, findings)) order.stage = Stage::Others;
  }
  std::vector<std::pair<Order, Finding>> ordered;
  ordered.reserve(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    ordered.emplace_back(orders[i], std::move(findings[i]));
  }
  std::ranges::stable_sort(ordered, {}, [](const auto& entry) { return entry.first.key(); });
  std::ranges::transform(ordered, findings.begin(),
                         [](auto& entry) { return std::move(entry.second); });
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Finding& finding = findings[i];
    const bool may_lead = order_of(finding, verdict).standing < 2;
    if (i == 0 && may_lead) {
      finding.standing = Standing::Primary;
    } else {
      finding.standing =
          may_lead && finding.severity != Severity::Info ? Standing::Also : Standing::Context;
    }
  }
  if (findings.front().standing != Standing::Primary) return;
  const Role& primary = role_of(findings.front().id);
  // A pod whose creation is blocked is not created by waiting.
  for (Finding& finding : findings) {
    if (finding.id == FindingId::NodeNewlyEligible && !findings.front().transient)
      finding.transient = false;
  }
  std::erase_if(findings,
                [&](const Finding& finding) { return holds(primary.implies, finding.id); });
}

}  // namespace dsdoctor::diagnosis
