// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "base/time.h"
#include "diagnosis/report/report.h"
#include "diagnosis/views/alert_report.h"
#include "fixes/explanation.h"
#include "fixes/toleration_patch.h"
#include "render/words/envelope.h"
#include "render/words/style.h"

/// Parts that several documents share.
namespace dsdoctor::render {

using Json = nlohmann::ordered_json;

/// `known`: the entry of the taint, if the reason is a known one; else null.
[[nodiscard]] Json reason_json(const placement::Reason& reason, const model::KnownTaint* known);
/// Counts before and after; null for counts of `today` that are unknown.
[[nodiscard]] Json effect_json(const fixes::Effect& effect,
                               const diagnosis::EvaluatedCounts& today);
[[nodiscard]] Json alert_json(const diagnosis::AlertReport& report);
[[nodiscard]] Json to_json(const diagnosis::Finding& finding, const Presentation& style);
[[nodiscard]] Json findings_json(const std::vector<diagnosis::Finding>& findings,
                                 const Presentation& style);
[[nodiscard]] Json timeline_json(const std::optional<diagnosis::Timeline>& timeline);
[[nodiscard]] Json evaluated_json(const diagnosis::EvaluatedCounts& evaluated);
/// The object of a node. Its first key is the name, on which nothing else depends.
[[nodiscard]] Json node_json(const diagnosis::NodeReport& node, const Presentation& style);
/// The listed nodes in classes, each as {"nodes": [names], "verdict", "reasons", "findings", …}:
/// nodes whose objects differ only in name, pods, timeline and the values of labels in reasons.
/// `listed`: indexes; absent: all nodes.
[[nodiscard]] Json classes_json(const diagnosis::NodeReports& nodes,
                                const std::optional<base::IndexRuns>& listed,
                                const Presentation& style);
/// The notation of kubectl, without a newline at the end.
[[nodiscard]] std::string notation_of(const Json& value);
[[nodiscard]] Json taint_json(const model::Taint& taint);
[[nodiscard]] Json workload_json(const diagnosis::Workload& workload);
/// Null if the count is unknown.
[[nodiscard]] Json count_json(bool is_known, std::int64_t count);
/// The value of `whatIf`.
[[nodiscard]] Json what_if_json(const fixes::Changed& changed);
/// A document with the fields that are common to every kind.
[[nodiscard]] Json start_document(std::string_view kind, const Envelope& envelope);
[[nodiscard]] Json names_json(const std::vector<model::Text>& texts);
/// The items, each as `convert` returns it.
template <typename Items, typename Convert>
[[nodiscard]] Json list_json(const Items& items, Convert&& convert) {
  Json result = Json::array();
  for (const auto& item : items) result.push_back(convert(item));
  return result;
}
/// Pointers to the items, sorted by namespace and name of the DaemonSet that each reports on.
template <typename Item>
[[nodiscard]] std::vector<const Item*> in_order_of_names(const std::vector<Item>& items) {
  std::vector<const Item*> order;
  order.reserve(items.size());
  for (const Item& item : items) order.push_back(&item);
  const auto& name_of = [](const Item* item) -> const auto& {
    if constexpr (requires { item->report; }) {
      return item->report;
    } else {
      return *item;
    }
  };
  std::ranges::stable_sort(order, {}, [&](const Item* item) {
    return std::tuple(name_of(item).ns.view(), name_of(item).name.view());
  });
  return order;
}

/// The converted items in this order.
template <typename Item, typename Convert>
[[nodiscard]] Json sorted_by_name(const std::vector<Item>& items, Convert&& convert) {
  Json result = Json::array();
  for (const Item* item : in_order_of_names(items)) result.push_back(convert(*item));
  return result;
}
/// [{"object": {"kind", "namespace", "name"}, "path", "value"}]
[[nodiscard]] Json object_json(const diagnosis::ObjectRef& object);
[[nodiscard]] Json evidence_json(const std::vector<diagnosis::Evidence>& rows);
/// Each step with its text, its command or null, and the condition under which it helps.
[[nodiscard]] Json fix_json(const std::vector<diagnosis::Step>& fix, const Presentation& style);
[[nodiscard]] Json problems_json(const fixes::Explanation& explanation, const Presentation& style);
/// A suggestion as an Explanation lists it.
[[nodiscard]] Json suggestion_json(const diagnosis::DaemonSetReport& report,
                                   const fixes::Suggestion& suggestion, const Presentation& style);

}  // namespace dsdoctor::render
