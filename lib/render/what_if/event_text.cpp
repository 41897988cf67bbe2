// SPDX-License-Identifier: Apache-2.0
#include "render/what_if/event_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "render/what_if/alike.h"
#include "render/words/problem_words.h"
#include "render/words/reason_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using fixes::NodeEdit;
using fixes::NodeEventForecast;
using fixes::PodEnd;
using fixes::PodInEvent;
using fixes::RolloutPace;

std::size_t count_of(const NodeEventForecast& event, PodEnd end) {
  return static_cast<std::size_t>(std::ranges::count(event.pods, end, &PodInEvent::end));
}

std::string name_of(const PodInEvent& pod) {
  return base::printable_line(pod.daemon_set.empty()
                                  ? fmt::format("{}/{}", pod.ns.view(), pod.pod.view())
                                  : fmt::format("{}/{}", pod.ns.view(), pod.daemon_set.view()));
}

/// "x/agent, y/logs and 3 more"; if the event has several nodes, "x/agent on n1, y/logs on 7
/// nodes".
std::string names_of(const std::vector<const PodInEvent*>& pods, bool on_nodes,
                     const Style& style) {
  constexpr std::size_t shown = 4;
  std::vector<std::pair<std::string, std::size_t>> names;  // and pods
  std::map<std::string, std::size_t> places;
  std::vector<const PodInEvent*> firsts;
  for (const PodInEvent* pod : pods) {
    const auto [at, is_new] = places.try_emplace(name_of(*pod), names.size());
    if (is_new) {
      names.emplace_back(at->first, 0);
      firsts.push_back(pod);
    }
    ++names[at->second].second;
  }
  const auto text_at = [&](std::size_t i) {
    const auto& [name, count] = names[i];
    if (!on_nodes) return name;
    return fmt::format(
        "{} on {}", name,
        count == 1 ? base::printable_line(firsts[i]->node) : grouped_count(count, "node"));
  };
  return base::listed(names.size(), text_at, style.lists_every_node() ? names.size() : shown);
}

/// Adds a line for the pods of this end, one for each `clause`, the most pods first.
void add_lines(const NodeEventForecast& event, PodEnd end, std::string_view what,
               const std::function<std::string(const PodInEvent&)>& clause, const Style& style,
               std::vector<std::string>& to) {
  auto groups = grouped_by_text(
      event.pods, [&](const PodInEvent& pod) { return pod.end == end; }, clause);
  std::ranges::stable_sort(groups, std::ranges::greater(),
                           [](const auto& group) { return group.second.size(); });
  for (const auto& [text, pods] : groups) {
    const std::string names = names_of(pods, event.nodes.size() > 1, style);
    to.push_back(text.empty() ? fmt::format("{}: {}", what, names)
                              : fmt::format("{}: {}; {}", what, names, text));
  }
}

/// "1 pod of a DaemonSet ends", "3,238 pods of DaemonSets end"
std::string pods_text(std::size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? fmt::format("1 pod of a DaemonSet {}", one)
                    : fmt::format("{} pods of DaemonSets {}", grouped_digits(count), many);
}

std::string no_clause(const PodInEvent& /*pod*/) { return {}; }

std::string why(const PodInEvent& pod) {
  return pod.reasons.empty() ? std::string() : base::printable_line(sentence(pod.reasons.front()));
}

std::string seconds_text(std::chrono::seconds time) {
  return base::age_text(base::Time(), base::Time() + time);
}

}  // namespace

std::string event_sentence(const NodeEventForecast& event) {
  constexpr std::size_t most_named = 3;
  const std::string nodes = event.nodes.size() > most_named
                                ? grouped_count(event.nodes.size(), "node")
                                : name_list(event.nodes);
  if (event.kind == NodeEdit::Kind::Delete) {
    return fmt::format("deletion of {}: {} with it", nodes,
                       pods_text(event.pods.size(), "ends", "end"));
  }
  if (event.kind == NodeEdit::Kind::Reboot) {
    std::string result = fmt::format("reboot of {}: {} again", nodes,
                                     pods_text(count_of(event, PodEnd::Again), "runs", "run"));
    const std::size_t depends = count_of(event, PodEnd::GoneIfEnded);
    const std::size_t gone = event.pods.size() - count_of(event, PodEnd::Again) - depends;
    if (gone != 0)
      result +=
          fmt::format(", {} {} not come back", grouped_digits(gone), gone == 1 ? "does" : "do");
    if (depends != 0) {
      result += fmt::format(", {} {} on the shutdown", grouped_digits(depends),
                            depends == 1 ? "depends" : "depend");
    }
    return result;
  }
  std::string result = fmt::format("kubectl drain --ignore-daemonsets of {}", nodes);
  const bool is_stopped = !event.unmanaged.empty();
  if (is_stopped) result += " stops without --force";
  result += fmt::format("{} {}", is_stopped ? "; with it," : ":",
                        pods_text(count_of(event, PodEnd::Stays), "stays", "stay"));
  if (event.others_known) {
    result += fmt::format(", {} evicted", counted(event.evicted, "other pod is", "other pods are"));
  }
  return result;
}

std::vector<std::string> event_details(const NodeEventForecast& event, const Style& style) {
  std::vector<std::string> lines;
  if (!event.unmanaged.empty()) {
    std::vector<const PodInEvent*> pods;
    for (const PodInEvent& pod : event.unmanaged) pods.push_back(&pod);
    lines.push_back(fmt::format("stop kubectl drain, because no controller creates them again: {}",
                                names_of(pods, false, style)));
  }
  for (const fixes::BudgetInEvent& each : event.budgets) {
    lines.push_back(base::printable_line(
        fmt::format("PodDisruptionBudget {}/{} forbids evicting {} now; kubectl drain retries",
                    each.ns.view(), each.budget.view(), each.pod.view())));
  }
  add_lines(
      event, PodEnd::Stuck, "cannot end while it has a finalizer",
      [](const PodInEvent& pod) { return base::printable_line(pod.finalizer); }, style, lines);
  if (event.kind == NodeEdit::Kind::Reboot) {
    add_lines(event, PodEnd::Gone, "gone", why, style, lines);
    add_lines(event, PodEnd::GoneIfEnded,
              "gone if the kubelet ends pods at shutdown (shutdownGracePeriod)", why, style, lines);
  }
  add_lines(
      event, PodEnd::Evicted,
      "evicted although DaemonSets are ignored, because they have ended or are not of apps/v1",
      no_clause, style, lines);
  if (event.kind == NodeEdit::Kind::Delete) {
    lines.emplace_back(
        "if the kubelet still runs, the node registers again, without labels and taints that "
        "others have set");
  }
  if (event.kind == NodeEdit::Kind::Drain && !event.others_known) {
    lines.emplace_back(
        "not known: other pods of these nodes, or PodDisruptionBudgets, were not all read");
  }
  return lines;
}

std::string pace_sentence(const RolloutPace& pace) {
  std::string result =
      base::printable_line(fmt::format("{}/{}: ", pace.ns.view(), pace.name.view()));
  if (pace.rounds == 0) return result + "no pod is replaced";
  result += fmt::format("{} of {}", counted(pace.rounds, "round"), pace.budget);
  const std::string ready =
      pace.until_ready ? fmt::format("{} until Ready (median of {})",
                                     seconds_text(*pace.until_ready), counted(pace.pods, "pod"))
                       : std::string("until the new pod is Ready, a time that no pod shows");
  if (pace.surges) {
    result += fmt::format("; a new pod is Ready before the old one ends, {}", ready);
  } else {
    result += fmt::format("; a node lacks its pod for up to {} of termination and then {}",
                          seconds_text(pace.grace), ready);
  }
  if (pace.until_ready && pace.rounds > 0) {
    result +=
        fmt::format("; at least {} in total",
                    seconds_text(std::chrono::seconds(pace.until_ready->count() * pace.rounds)));
  }
  if (pace.dependents != 0) {
    result += base::printable_line(fmt::format("; meanwhile {} cannot mount volumes of {}",
                                               counted(pace.dependents, "pod there", "pods there"),
                                               pace.driver));
  }
  return result;
}

}  // namespace dsdoctor::render
