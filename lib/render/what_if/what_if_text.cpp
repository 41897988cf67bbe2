// SPDX-License-Identifier: Apache-2.0
#include "render/what_if/what_if_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/printable.h"
#include "base/text.h"
#include "render/what_if/event_text.h"
#include "render/what_if/load_text.h"
#include "render/what_if/pool_text.h"
#include "render/words/fix_parts.h"
#include "render/words/problem_words.h"
#include "render/words/reason_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using fixes::Consequence;
using fixes::Flip;

std::string_view arrow(const Style& style) { return style.unicode ? "→" : "->"; }

/// "desired 11 → 12, misscheduled 1 → 0"; unchanged counts are left out.
std::string changes(const Consequence& c, const Style& style) {
  if (!c.after.nodes_known) return "unknown: no node was read";
  std::string result;
  const auto add = [&](std::string_view what, std::int64_t before, std::int64_t after) {
    if (before == after) return;
    result +=
        fmt::format("{}{} {} {} {}", result.empty() ? "" : ", ", what, before, arrow(style), after);
  };
  add("desired", c.before.counts.desired_number_scheduled, c.after.counts.desired_number_scheduled);
  if (c.after.pods_known) {
    add("current", c.before.counts.current_number_scheduled,
        c.after.counts.current_number_scheduled);
    add("misscheduled", c.before.counts.number_misscheduled, c.after.counts.number_misscheduled);
  }
  return result.empty() ? "counts do not change" : result;
}

/// Flips of one kind: the same verdicts for the same reason.
using Key = std::tuple<diagnosis::NodeVerdict, int, std::string>;

std::string first_reason(const Flip& flip) {
  if (flip.after.reasons().empty()) return {};
  return base::printable_line(sentence(flip.after.reasons().front()));
}

/// "running → excluded"
std::string transition(const Flip& flip, const Style& style) {
  return fmt::format("{} {} {}", flip.before ? to_string(*flip.before) : std::string_view("new"),
                     arrow(style), to_string(flip.after.verdict()));
}

std::string flip_line(const Consequence& c, const Flip& first,
                      const std::vector<model::Text>& names, const std::string& reason,
                      const Style& style) {
  std::string line = fmt::format("{}    {}    {}", transition(first, style),
                                 counted(names.size(), "node"), name_list(names));
  const std::string_view fate = fixes::fate(c, first);
  if (!fate.empty()) line += fmt::format(": {}", fate);
  if (!reason.empty()) line += fmt::format("; {}", reason);
  return line;
}

/// The rollout that precedes the predicted counts.
std::string rollout_clause(const Consequence& c) {
  std::string result;
  const bool deletes = c.rolls && !c.settled.deletes.empty();
  if (c.replaces_pods) result = "; a rolling update replaces its pods";
  if (deletes) {
    result += fmt::format(
        "{} that are not eligible ({})",
        c.replaces_pods ? " and deletes those" : "; a rolling update deletes the pods on nodes",
        name_list(c.settled.deletes));
  }
  if (!c.settled.waits_for.empty()) {
    result += fmt::format("; {} waits while no pod is available on {} ({})",
                          c.replaces_pods || deletes ? "it" : "the rolling update",
                          name_list(c.settled.waits_for), c.settled.budget);
  }
  return result;
}

std::string head_of(const Consequence& c, const Style& style) {
  return fmt::format(
      "{}    {}{}", base::printable_line(fmt::format("{}/{}", c.ns.view(), c.name.view())),
      c.is_new ? fmt::format("new, {} desired", c.after.counts.desired_number_scheduled)
               : changes(c, style),
      rollout_clause(c));
}

WhatIfEntry entry_of(const Consequence& c, const Style& style) {
  WhatIfEntry result;
  result.head = head_of(c, style);
  std::map<Key, std::vector<const Flip*>> groups;
  for (const Flip& flip : c.flips) {
    const int before = flip.before ? static_cast<int>(*flip.before) : -1;
    groups[{flip.after.verdict(), before, first_reason(flip)}].push_back(&flip);
  }
  for (const auto& [key, flips] : groups) {
    std::vector<model::Text> names;
    names.reserve(flips.size());
    for (const Flip* flip : flips) names.push_back(flip->node);
    result.lines.push_back(flip_line(c, *flips.front(), names, std::get<2>(key), style));
  }
  return result;
}

bool is_quiet(const Consequence& c) {
  const auto counts = [](const diagnosis::EvaluatedCounts& of) {
    return std::tuple(of.counts.desired_number_scheduled, of.counts.current_number_scheduled,
                      of.counts.number_misscheduled);
  };
  return c.after.nodes_known && c.flips.empty() && !c.is_new && !c.replaces_pods &&
         counts(c.before) == counts(c.after);
}

/// Whether the listed verdicts still change before the predicted counts are reached.
bool settles_later(const Consequence& c) {
  return !c.settled.deletes.empty() || std::ranges::any_of(c.flips, [](const Flip& flip) {
    return flip.after.verdict() != diagnosis::NodeVerdict::Running &&
           flip.after.verdict() != diagnosis::NodeVerdict::Excluded;
  });
}

std::size_t line_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// More lines would push the rest of the answer off the screen.
constexpr std::size_t most_lines = 14;
/// The part of them about templates of new nodes.
constexpr std::size_t most_pools = 10;

/// "61 running → removing, 7 missing → excluded": the most placements first.
std::string flip_counts(const std::vector<const Consequence*>& of, const Style& style) {
  constexpr std::size_t shown = 4;
  std::map<std::string, std::size_t> counts;
  for (const Consequence* c : of) {
    for (const Flip& flip : c->flips) ++counts[transition(flip, style)];
  }
  std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, std::ranges::greater(), &decltype(order)::value_type::second);
  std::vector<std::string> clauses;
  clauses.reserve(order.size());
  for (const auto& [what, count] : order) {
    clauses.push_back(fmt::format("{} {}", grouped_digits(count), what));
  }
  return base::listed(clauses, shown);
}

/// The changes of one DaemonSet, those of the most nodes first, in about `room` lines.
std::string folded_flips(const Consequence& c, std::size_t room, const Style& style) {
  const WhatIfEntry entry = entry_of(c, style);
  std::string result = wrapped(style, 2, entry.head);
  const std::size_t head = line_count(result);
  const std::size_t shown = std::min(room > head + 2 ? room - head - 1 : 1, entry.lines.size());
  for (std::size_t i = 0; i < shown; ++i) result += one_line(style, 4, entry.lines[i]);
  if (const std::size_t rest = entry.lines.size() - shown; rest != 0) {
    result += fmt::format("    {}: --all-nodes lists {}\n", counted(rest, "more change"),
                          rest == 1 ? "it" : "them");
  }
  return result;
}

/// The changes of several DaemonSets in about `room` lines: their sum, and those that change most.
std::string folded_daemon_sets(std::vector<const Consequence*> of, std::size_t room,
                               const Style& style) {
  std::ranges::stable_sort(of, std::ranges::greater(),
                           [](const Consequence* c) { return c->flips.size(); });
  std::size_t placements = 0;
  for (const Consequence* c : of) placements += c->flips.size();
  std::string result =
      wrapped(style, 2,
              fmt::format("{} of {} change{}: {}", grouped_count(placements, "placement"),
                          grouped_count(of.size(), "DaemonSet"), placements == 1 ? "s" : "",
                          placements == 0 ? "counts only" : flip_counts(of, style)));
  const std::size_t head = line_count(result);
  const std::size_t shown = std::min(room > head + 2 ? room - head - 1 : 1, of.size());
  for (std::size_t i = 0; i < shown; ++i) result += one_line(style, 4, head_of(*of[i], style));
  if (of.size() > shown) {
    result += fmt::format("    {}: --all-nodes lists them\n",
                          counted(of.size() - shown, "more DaemonSet"));
  }
  return result;
}

std::vector<const Consequence*> changing(const fixes::Changed& changed) {
  std::vector<const Consequence*> result;
  const auto is_change = [](std::string_view flag) {
    return !flag.starts_with("--pools") && !flag.starts_with("--add-node");
  };
  const bool only_forecast = !changed.pools.empty() && changed.added.empty() &&
                             std::ranges::none_of(changed.flags, is_change);
  if (only_forecast) return result;
  for (const Consequence& c : changed.consequences) {
    if (!is_quiet(c)) result.push_back(&c);
  }
  return result;
}

/// Closing entries: unchanged DaemonSets, when the counts will be reached, and `shown` of the added
/// nodes.
void append_closing(std::vector<WhatIfEntry>& to, const fixes::Changed& changed, std::size_t shown,
                    const Style& style) {
  const auto quiet =
      static_cast<std::size_t>(std::ranges::count_if(changed.consequences, is_quiet));
  const bool only_pools = changing(changed).empty() && !changed.pools.empty();
  if (quiet != 0 && !only_pools) {
    to.push_back({fmt::format("{}: no verdict changes", quiet == changed.consequences.size()
                                                            ? counted(quiet, "DaemonSet")
                                                            : counted(quiet, "other DaemonSet")),
                  {}});
  }
  if (std::ranges::any_of(changed.consequences, settles_later)) {
    to.push_back(
        {"these counts hold once pods are created and deleted; below is the state right after the "
         "change",
         {}});
  }
  for (std::size_t i = 0; i < std::min(shown, changed.added.size()); ++i) {
    to.push_back({fmt::format("node {}, new:", base::printable_line(changed.added[i].node)),
                  node_load_sentences(changed.added[i], style)});
  }
  if (changed.added.size() > shown) {
    to.push_back({fmt::format("{}: --all-nodes lists them",
                              counted(changed.added.size() - shown, "more new node")),
                  {}});
  }
}

std::string text_of(const std::vector<WhatIfEntry>& entries, const Style& style) {
  std::string result;
  for (const WhatIfEntry& entry : entries) {
    result += wrapped(style, 2, entry.head);
    for (const std::string& line : entry.lines) result += wrapped(style, 4, line);
  }
  return result;
}

/// The events, with their details if there is one, and the slowest rollouts.
std::string folded_events(const fixes::Changed& changed, const Style& style) {
  std::string result;
  for (const auto& event : changed.events) {
    result += wrapped(style, 2, event_sentence(event));
    if (changed.events.size() > 1) continue;
    constexpr std::size_t most_details = 6;
    const std::vector<std::string> details = event_details(event, style);
    const std::size_t named = details.size() > most_details ? most_details - 1 : details.size();
    for (std::size_t i = 0; i < named; ++i) result += one_line(style, 4, details[i]);
    if (named < details.size()) {
      result += fmt::format("    {}: --all-nodes lists them\n",
                            counted(details.size() - named, "more line"));
    }
  }
  constexpr std::size_t shown = 3;
  std::vector<fixes::RolloutPace> paces = changed.paces;
  std::ranges::stable_sort(paces, std::ranges::greater(), &fixes::RolloutPace::rounds);
  for (std::size_t i = 0; i < std::min(shown, paces.size()); ++i) {
    const std::string line = pace_sentence(paces[i]);
    result += paces.size() == 1 ? wrapped(style, 2, line) : one_line(style, 2, line);
  }
  if (paces.size() > shown) {
    result += fmt::format("  {}: --all-nodes lists them\n",
                          counted(paces.size() - shown, "more rollout"));
  }
  return result;
}

}  // namespace

std::vector<WhatIfEntry> what_if_entries(const fixes::Changed& changed, const Style& style) {
  std::vector<WhatIfEntry> result;
  for (const auto& event : changed.events) {
    result.push_back({event_sentence(event), event_details(event, style)});
  }
  for (const auto& pace : changed.paces) result.push_back({pace_sentence(pace), {}});
  for (const auto& pool : changed.pools) {
    result.push_back({pool_sentence(pool), pool_details(pool, style)});
  }
  for (const Consequence* c : changing(changed)) result.push_back(entry_of(*c, style));
  append_closing(result, changed, changed.added.size(), style);
  return result;
}

std::string what_if_title(const fixes::Changed& changed) {
  return base::printable_line(fmt::format("What if: {}", fmt::join(changed.flags, " ")));
}

std::string what_if_text(const fixes::Changed& changed, const Style& style) {
  const std::string title = paint(style, Color::Bold, what_if_title(changed)) + "\n";
  std::string whole = title + text_of(what_if_entries(changed, style), style);
  if (style.lists_every_node() || style.limit == 0U || line_count(whole) <= most_lines) {
    return whole;
  }
  const std::string pools =
      folded_events(changed, style) + folded_pools(changed.pools, most_pools, style);
  constexpr std::size_t shown_nodes = 2;
  std::vector<WhatIfEntry> closing;
  append_closing(closing, changed, shown_nodes, style);
  const std::string end = text_of(closing, style);
  const std::size_t taken = 1 + line_count(pools) + line_count(end);
  const std::size_t room = most_lines > taken ? most_lines - taken : 1;
  const std::vector<const Consequence*> of = changing(changed);
  if (of.empty()) return title + pools + end;
  return title + pools +
         (of.size() == 1 ? folded_flips(*of.front(), room, style)
                         : folded_daemon_sets(of, room, style)) +
         end;
}

}  // namespace dsdoctor::render
