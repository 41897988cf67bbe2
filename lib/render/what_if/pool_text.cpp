// SPDX-License-Identifier: Apache-2.0
#include "render/what_if/pool_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "render/what_if/alike.h"
#include "render/what_if/load_text.h"
#include "render/words/reason_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::LabelValue;
using diagnosis::PoolDaemon;
using diagnosis::PoolForecast;
using diagnosis::PoolReach;

/// "NodePool gpu", "MachineSet ops/workers"
std::string pool_name(const model::NodeTemplate& of) {
  return base::printable_line(fmt::format("{} {}{}{}", of.kind.view(), of.ns.view(),
                                          of.ns.empty() ? "" : "/", of.name.view()));
}

std::string daemon_name(const PoolDaemon& daemon) {
  return base::printable_line(fmt::format("{}/{}", daemon.ns.view(), daemon.name.view()));
}

std::string daemon_names(const std::vector<const PoolDaemon*>& of, const Style& style) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> names;
  names.reserve(of.size());
  for (const PoolDaemon* daemon : of) names.push_back(daemon_name(*daemon));
  return base::listed(names, style.lists_every_node() ? names.size() : shown);
}

bool are_named(const std::vector<LabelValue>& values) {
  return std::ranges::none_of(
      values, [](const LabelValue& value) { return value.kind == LabelValue::Kind::Other; });
}

/// "kubernetes.io/arch is arm64", "team is a, b or absent"
std::string values_clause(std::string_view key, const std::vector<LabelValue>& values) {
  std::vector<std::string> texts;
  bool absent = false;
  for (const LabelValue& value : values) {
    if (value.kind == LabelValue::Kind::Absent) {
      absent = true;
    } else {
      texts.push_back(value.value.empty() ? "empty" : value.value.str());
    }
  }
  constexpr std::size_t shown = 3;
  std::string result = fmt::format("{} is ", key);
  if (!texts.empty()) result += base::listed(texts, shown);
  if (absent) result += texts.empty() ? "absent" : " or absent";
  return base::printable_line(result);
}

/// The nodes of a template that get a pod: "where kubernetes.io/arch is arm64".
std::string where_clause(const PoolDaemon& daemon) {
  if (daemon.decides.empty()) return "by its labels";
  if (daemon.decides.size() > 1) {
    std::vector<std::string> keys;
    for (const auto& label : daemon.decides) keys.push_back(label.key.str());
    return base::printable_line(fmt::format("depending on {}", base::listed(keys, keys.size())));
  }
  const diagnosis::DecidingLabel& label = daemon.decides.front();
  std::string result;
  if (are_named(label.with)) {
    result = fmt::format("where {}", values_clause(label.key, label.with));
  } else if (are_named(label.without)) {
    result = fmt::format("except where {}", values_clause(label.key, label.without));
  } else {
    result = base::printable_line(fmt::format("depending on {}", label.key.view()));
  }
  if (const std::string_view writer = diagnosis::later_writer(label.key); !writer.empty()) {
    result += fmt::format(", which {} sets later", writer);
  }
  return result;
}

/// "cpu 1350m of 4 (33 %), memory 2Gi, 9 pods of 110"
std::string cost_clause(const PoolForecast& pool) {
  std::string result;
  const auto of_capacity = [&](const std::string& name, const scheduling::Quantity& amount) {
    const auto offered = pool.capacity.find(name);
    if (offered == pool.capacity.end()) return std::string();
    return fmt::format(" of {}{}", to_string(offered->second), percent(amount, offered->second));
  };
  for (const auto& [name, amount] : pool.requests) {
    if (amount.is_zero() || name == "pods") continue;
    result += fmt::format("{} {}{}, ", base::printable_line(name), to_string(amount),
                          of_capacity(name, amount));
  }
  const auto pods = pool.requests.find("pods");
  const auto count = pods == pool.requests.end() ? scheduling::Quantity() : pods->second;
  result += counted(count.value(), "pod");
  if (pods != pool.requests.end()) result += of_capacity("pods", count);
  return result;
}

std::string reach_clause(const PoolForecast& pool) {
  if (!pool.contradicted.empty()) {
    return base::printable_line(
        fmt::format("no node can be created: no value of the label {} meets all requirements",
                    pool.contradicted.view()));
  }
  if (pool.daemons.size() == 1) {
    const PoolDaemon& only = pool.daemons.front();
    const std::string name = daemon_name(only);
    if (only.reach == PoolReach::Each) {
      return fmt::format("each new node gets a pod of {}; it requests {}", name, cost_clause(pool));
    }
    if (only.reach == PoolReach::Some) {
      return fmt::format("new nodes get a pod of {} {}", name, where_clause(only));
    }
    return fmt::format("no new node gets a pod of {}", name);
  }
  std::string result = fmt::format("{} of {} on each new node", pool.count(PoolReach::Each),
                                   counted(pool.daemons.size(), "DaemonSet"));
  if (const std::size_t some = pool.count(PoolReach::Some); some != 0) {
    result += fmt::format(", {} on some", some);
  }
  const std::size_t each = pool.count(PoolReach::Each);
  if (each == 0) return result;
  return result +
         fmt::format("; {} {}", each == 1 ? "it requests" : "they request", cost_clause(pool));
}

/// DaemonSets of this reach with the same clause, the largest groups first.
std::vector<Alike<PoolDaemon>> alike(const PoolForecast& pool, PoolReach reach,
                                     const std::function<std::string(const PoolDaemon&)>& clause) {
  auto result = grouped_by_text(
      pool.daemons, [&](const PoolDaemon& daemon) { return daemon.reach == reach; }, clause);
  std::ranges::stable_sort(result, std::ranges::greater(),
                           [](const auto& group) { return group.second.size(); });
  return result;
}

void append_shortage(const PoolForecast& pool, std::vector<std::string>& lines,
                     const Style& style) {
  const auto names = [&](const std::vector<std::size_t>& of) {
    std::vector<const PoolDaemon*> daemons;
    daemons.reserve(of.size());
    for (const std::size_t i : of) daemons.push_back(&pool.daemons[i]);
    return daemon_names(daemons, style);
  };
  const diagnosis::PoolShortage& shortage = pool.shortage;
  if (!shortage.pending.empty()) {
    lines.push_back(fmt::format("do not fit, and would be Pending: {}", names(shortage.pending)));
  }
  if (!shortage.contending.empty()) {
    lines.push_back(
        fmt::format("have equal priority and do not all fit: {}", names(shortage.contending)));
  }
}

void append_startup_taints(const PoolForecast& pool, std::vector<std::string>& lines,
                           const Style& style) {
  const bool one = pool.daemons.size() == 1;
  for (const model::Taint& taint : pool.of.startup_taints) {
    std::vector<const PoolDaemon*> waiting;
    std::size_t running = 0;
    for (const PoolDaemon& daemon : pool.daemons) {
      running += daemon.reach == PoolReach::None ? 0 : 1;
      if (std::ranges::find(daemon.waits_for, taint) != daemon.waits_for.end()) {
        waiting.push_back(&daemon);
      }
    }
    const std::string text = base::printable_line(
        fmt::format("startup taint {}{}{}:{}", taint.key.view(), taint.value.empty() ? "" : "=",
                    taint.value.view(), taint.effect.view()));
    if (running == 0) continue;
    if (waiting.empty()) {
      lines.push_back(fmt::format("{} is tolerated{}", text, one ? "" : " by all of them"));
    } else {
      lines.push_back(one ? fmt::format("{} keeps its pod off until it is removed", text)
                          : fmt::format("{} keeps {} off until it is removed: {}", text,
                                        counted(waiting.size(), "DaemonSet"),
                                        daemon_names(waiting, style)));
    }
  }
}

}  // namespace

std::string pool_sentence(const PoolForecast& pool) {
  return fmt::format("{}: {}", pool_name(pool.of), reach_clause(pool));
}

std::vector<std::string> pool_details(const PoolForecast& pool, const Style& style) {
  std::vector<std::string> lines;
  if (!pool.contradicted.empty()) return lines;
  if (!pool.capacity_of.empty() && pool.count(PoolReach::Each) != 0) {
    lines.push_back(base::printable_line(
        fmt::format("compared with the allocatable of {}, the smallest node of the pool",
                    pool.capacity_of.view())));
  }
  append_shortage(pool, lines, style);
  append_startup_taints(pool, lines, style);
  const bool one = pool.daemons.size() == 1;
  for (const auto& [where, daemons] : alike(pool, PoolReach::Some, where_clause)) {
    if (!one) lines.push_back(fmt::format("on some, {}: {}", where, daemon_names(daemons, style)));
  }
  const auto why = [](const PoolDaemon& daemon) {
    return daemon.reasons.empty() ? std::string()
                                  : base::printable_line(sentence(daemon.reasons.front()));
  };
  for (const auto& [reason, daemons] : alike(pool, PoolReach::None, why)) {
    lines.push_back(
        one ? reason
            : fmt::format("not on new nodes: {}; {}", daemon_names(daemons, style), reason));
  }
  for (const auto& [ignored, daemons] :
       alike(pool, PoolReach::Each, [](const PoolDaemon&) { return std::string(); })) {
    if (!one) lines.push_back(fmt::format("on each: {}", daemon_names(daemons, style)));
  }
  if (!pool.assumed_os.empty()) {
    lines.push_back(
        base::printable_line(fmt::format("{} is taken to be {}, as on all present nodes",
                                         diagnosis::os_label, pool.assumed_os.view())));
  }
  if (const std::string_view source = diagnosis::unread_source(pool.of); !source.empty()) {
    lines.push_back(fmt::format("labels and taints that come from {} are not known", source));
  }
  return lines;
}

std::string folded_pools(const std::vector<PoolForecast>& pools, std::size_t room,
                         const Style& style) {
  std::string result;
  if (pools.size() == 1) {
    result = wrapped(style, 2, pool_sentence(pools.front()));
    const std::vector<std::string> details = pool_details(pools.front(), style);
    const std::size_t shown = details.size() > room ? room - 1 : details.size();
    for (std::size_t i = 0; i < shown; ++i) result += one_line(style, 4, details[i]);
    if (shown < details.size()) {
      result += fmt::format("    {}: --all-nodes lists them\n",
                            counted(details.size() - shown, "more line"));
    }
    return result;
  }
  const std::size_t shown = pools.size() > room ? room - 1 : pools.size();
  for (std::size_t i = 0; i < shown; ++i) {
    std::string line = pool_sentence(pools[i]);
    if (const auto& pending = pools[i].shortage.pending; !pending.empty()) {
      line += fmt::format("; {} would be Pending", counted(pending.size(), "pod"));
    }
    result += one_line(style, 2, line);
  }
  if (shown < pools.size()) {
    result += fmt::format("  {}: --all-nodes lists them\n",
                          counted(pools.size() - shown, "more template"));
  }
  return result;
}

}  // namespace dsdoctor::render
