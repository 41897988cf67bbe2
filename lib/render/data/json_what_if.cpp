// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fixes/what_if.h"
#include "render/data/json.h"
#include "render/data/json_parts.h"

namespace dsdoctor::render {
namespace {

using fixes::Consequence;
using fixes::Flip;

Json amounts_json(const scheduling::Amounts& amounts) {
  Json result = Json::object();
  for (const auto& [name, amount] : amounts) result[name] = to_string(amount);
  return result;
}

Json placement_json(const diagnosis::EvaluatedCounts& evaluated) {
  const model::DaemonSetCounts& counts = evaluated.counts;
  const bool both = evaluated.nodes_known && evaluated.pods_known;
  return {{"desiredNumberScheduled",
           count_json(evaluated.nodes_known, counts.desired_number_scheduled)},
          {"currentNumberScheduled", count_json(both, counts.current_number_scheduled)},
          {"numberMisscheduled", count_json(both, counts.number_misscheduled)}};
}

Json flip_json(const Consequence& c, const Flip& flip) {
  Json because = Json::array();
  for (std::size_t i = 0; i < flip.after.reasons().size(); ++i) {
    because.push_back(reason_json(flip.after.reasons()[i], flip.after.known()[i]));
  }
  return {{"namespace", c.ns.str()},
          {"name", c.name.str()},
          {"node", flip.node.str()},
          {"before", flip.before ? Json(to_string(*flip.before)) : Json(nullptr)},
          {"after", to_string(flip.after.verdict())},
          {"fate", fixes::fate(c, flip)},
          {"because", std::move(because)}};
}

Json label_values_json(const std::vector<diagnosis::LabelValue>& values) {
  using Kind = diagnosis::LabelValue::Kind;
  Json result = Json::array();
  for (const auto& value : values) {
    if (value.kind == Kind::Named) result.push_back(value.value.str());
    if (value.kind == Kind::Absent) result.push_back(nullptr);
  }
  return result;
}

bool has_other(const std::vector<diagnosis::LabelValue>& values) {
  return std::ranges::any_of(
      values, [](const auto& value) { return value.kind == diagnosis::LabelValue::Kind::Other; });
}

Json deciding_json(const diagnosis::DecidingLabel& label) {
  const std::string_view writer = diagnosis::later_writer(label.key);
  return {{"key", label.key.str()},
          {"values", label_values_json(label.with)},
          {"otherValues", has_other(label.with)},
          {"not", label_values_json(label.without)},
          {"setLaterBy", writer.empty() ? Json(nullptr) : Json(writer)}};
}

Json taints_json(const std::vector<model::Taint>& taints) {
  Json result = Json::array();
  for (const model::Taint& taint : taints) {
    result.push_back(
        {{"key", taint.key.str()}, {"value", taint.value.str()}, {"effect", taint.effect.str()}});
  }
  return result;
}

Json daemon_json(const diagnosis::PoolDaemon& daemon) {
  Json because = Json::array();
  for (const auto& reason : daemon.reasons) because.push_back(reason_json(reason, nullptr));
  Json decides = Json::array();
  for (const auto& label : daemon.decides) decides.push_back(deciding_json(label));
  return {{"namespace", daemon.ns.str()},
          {"name", daemon.name.str()},
          {"newNodes", to_string(daemon.reach)},
          {"because", std::move(because)},
          {"dependsOn", std::move(decides)},
          {"waitsFor", taints_json(daemon.waits_for)},
          {"requests", amounts_json(daemon.requests)}};
}

Json pool_json(const diagnosis::PoolForecast& pool) {
  Json daemons = Json::array();
  for (const auto& daemon : pool.daemons) daemons.push_back(daemon_json(daemon));
  const auto names = [&](const std::vector<std::size_t>& of) {
    Json result = Json::array();
    for (const std::size_t i : of) {
      result.push_back(
          {{"namespace", pool.daemons[i].ns.str()}, {"name", pool.daemons[i].name.str()}});
    }
    return result;
  };
  const model::NodeTemplate& of = pool.of;
  const std::string_view source = diagnosis::unread_source(of);
  return {{"kind", of.kind.str()},
          {"namespace", of.ns.str()},
          {"name", of.name.str()},
          {"replicas", of.replicas ? Json(*of.replicas) : Json(nullptr)},
          {"contradictedLabel",
           pool.contradicted.empty() ? Json(nullptr) : Json(pool.contradicted.str())},
          {"taints", taints_json(of.taints)},
          {"startupTaints", taints_json(of.startup_taints)},
          {"requests", amounts_json(pool.requests)},
          {"mostRequests", amounts_json(pool.requests_most)},
          {"capacity", pool.capacity.empty() ? Json(nullptr) : amounts_json(pool.capacity)},
          {"capacityOf", pool.capacity_of.empty() ? Json(nullptr) : Json(pool.capacity_of.str())},
          {"assumedOs", pool.assumed_os.empty() ? Json(nullptr) : Json(pool.assumed_os.str())},
          {"notRead", source.empty() ? Json(nullptr) : Json(source)},
          {"pending", names(pool.shortage.pending)},
          {"contending", names(pool.shortage.contending)},
          {"daemonSets", std::move(daemons)}};
}

Json event_json(const fixes::NodeEventForecast& event) {
  Json pods = Json::array();
  for (const fixes::PodInEvent& pod : event.pods) {
    Json because = Json::array();
    for (const auto& reason : pod.reasons) because.push_back(reason_json(reason, nullptr));
    pods.push_back(
        {{"namespace", pod.ns.str()},
         {"daemonSet", pod.daemon_set.str()},
         {"name", pod.pod.str()},
         {"node", pod.node.str()},
         {"end", fixes::to_string(pod.end)},
         {"finalizer", pod.finalizer.empty() ? Json(nullptr) : Json(pod.finalizer.str())},
         {"because", std::move(because)}});
  }
  Json unmanaged = Json::array();
  for (const fixes::PodInEvent& pod : event.unmanaged) {
    unmanaged.push_back({{"namespace", pod.ns.str()}, {"name", pod.pod.str()}});
  }
  Json budgets = Json::array();
  for (const fixes::BudgetInEvent& each : event.budgets) {
    budgets.push_back(
        {{"namespace", each.ns.str()}, {"name", each.budget.str()}, {"pod", each.pod.str()}});
  }
  return {{"event", fixes::word_of(event.kind)},
          {"nodes", names_json(event.nodes)},
          {"pods", std::move(pods)},
          {"otherPodsEvicted", event.others_known ? Json(event.evicted) : Json(nullptr)},
          {"podsWithoutController", std::move(unmanaged)},
          {"budgets", std::move(budgets)}};
}

Json pace_json(const fixes::RolloutPace& pace) {
  return {{"namespace", pace.ns.str()},
          {"name", pace.name.str()},
          {"rounds", pace.rounds},
          {"budget", pace.budget},
          {"surges", pace.surges},
          {"graceSeconds", pace.grace.count()},
          {"secondsUntilReady", pace.until_ready ? Json(pace.until_ready->count()) : Json(nullptr)},
          {"podsMeasured", pace.pods},
          {"podsWithVolumes", pace.dependents},
          {"driver", pace.driver.empty() ? Json(nullptr) : Json(pace.driver)}};
}

}  // namespace

Json what_if_json(const fixes::Changed& changed) {
  Json flips = Json::array();
  Json counts = Json::array();
  for (const Consequence& c : changed.consequences) {
    for (const Flip& flip : c.flips) flips.push_back(flip_json(c, flip));
    counts.push_back({{"namespace", c.ns.str()},
                      {"name", c.name.str()},
                      {"before", c.is_new ? Json(nullptr) : placement_json(c.before)},
                      {"after", placement_json(c.after)},
                      {"replacesPods", c.replaces_pods},
                      {"podsDeleted", names_json(c.settled.deletes)},
                      {"podsStuckTerminating", names_json(c.settled.unconfirmed)},
                      {"rolloutWaitsFor", names_json(c.settled.waits_for)}});
  }
  Json added = Json::array();
  for (const auto& load : changed.added) added.push_back(node_load_json(load));
  Json pools = Json::array();
  for (const auto& pool : changed.pools) pools.push_back(pool_json(pool));
  return {{"changes", changed.flags},
          {"flips", std::move(flips)},
          {"daemonSets", std::move(counts)},
          {"addedNodes", std::move(added)},
          {"pools", std::move(pools)},
          {"events", list_json(changed.events, event_json)},
          {"rollouts", list_json(changed.paces, pace_json)}};
}

Json node_load_json(const diagnosis::NodeLoad& load) {
  Json shares = Json::array();
  for (const auto& share : load.shares) {
    shares.push_back({{"namespace", share.ns.str()},
                      {"name", share.name.str()},
                      {"present", share.present},
                      {"requests", amounts_json(share.requests)}});
  }
  return {{"node", load.node.str()},
          {"pods", load.pods},
          {"requests", amounts_json(load.requests)},
          {"allocatable", amounts_json(load.allocatable)},
          {"daemonSets", std::move(shares)}};
}

}  // namespace dsdoctor::render
