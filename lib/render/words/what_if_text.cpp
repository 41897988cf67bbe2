#include "render/words/what_if_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/printable.h"
#include "render/words/cure_parts.h"
#include "render/words/reason_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using advice::Consequence;
using advice::Flip;

std::string_view arrow(const Style& style) { return style.unicode ? "→" : "->"; }

/// "desired 11 → 12, misscheduled 1 → 0"; what stays is left out.
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

std::string flip_line(const Consequence& c, const Flip& first,
                      const std::vector<model::Text>& names, const std::string& reason,
                      const Style& style) {
  const std::string before(first.before ? to_string(*first.before) : std::string_view("new"));
  std::string line =
      fmt::format("{} {} {}    {}    {}", before, arrow(style), to_string(first.after.verdict()),
                  counted(names.size(), "node"), name_list(names));
  const std::string_view fate = advice::fate(c, first);
  if (!fate.empty()) line += fmt::format(": {}", fate);
  if (!reason.empty()) line += fmt::format("; {}", reason);
  return line;
}

/// What the counts rest on.
std::string rollout_clause(const Consequence& c) {
  std::string result;
  if (c.replaces_pods) result = "; a rolling update replaces its pods";
  if (c.replaces_pods && !c.settled.deletes.empty()) {
    result +=
        fmt::format(" and deletes those that are not eligible ({})", name_list(c.settled.deletes));
  }
  if (!c.settled.waits_for.empty()) {
    result += fmt::format("; it waits while no pod is available on {} ({})",
                          name_list(c.settled.waits_for), c.settled.budget);
  }
  return result;
}

WhatIfEntry entry_of(const Consequence& c, const Style& style) {
  WhatIfEntry result;
  result.head = fmt::format(
      "{}    {}{}", base::printable_line(fmt::format("{}/{}", c.ns.view(), c.name.view())),
      c.is_new ? fmt::format("new, {} desired", c.after.counts.desired_number_scheduled)
               : changes(c, style),
      rollout_clause(c));
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

/// The predicted counts are settled; what is listed below them is not.
bool settles_later(const Consequence& c) {
  return !c.settled.deletes.empty() || std::ranges::any_of(c.flips, [](const Flip& flip) {
    return flip.after.verdict() != diagnosis::NodeVerdict::Running &&
           flip.after.verdict() != diagnosis::NodeVerdict::Excluded;
  });
}

std::string percent(const scheduling::Quantity& part, const scheduling::Quantity& whole) {
  if (whole.nanos() <= 0) return {};
  return fmt::format(" ({} %)", static_cast<std::int64_t>(part.nanos() * 100 / whole.nanos()));
}

std::string amounts_text(const scheduling::Amounts& amounts) {
  std::string result;
  for (const auto& [name, amount] : amounts) {
    if (amount.is_zero()) continue;
    result += fmt::format("{}{} {}", result.empty() ? "" : ", ", name, to_string(amount));
  }
  return result.empty() ? "nothing" : result;
}

std::vector<std::string> node_load_sentences(const diagnosis::NodeLoad& load, const Style& style) {
  std::vector<std::string> result = {node_load_sentence(load)};
  if (!style.lists_every_node()) return result;
  for (const diagnosis::DaemonShare& share : load.shares) {
    result.push_back(base::printable_line(
        fmt::format("{}/{}: {}{}", share.ns.view(), share.name.view(), amounts_text(share.requests),
                    share.present ? "" : " (no pod yet)")));
  }
  return result;
}

}  // namespace

std::vector<WhatIfEntry> what_if_entries(const advice::Changed& changed, const Style& style) {
  std::vector<WhatIfEntry> result;
  std::size_t quiet = 0;
  for (const Consequence& c : changed.consequences) {
    if (is_quiet(c)) {
      ++quiet;
    } else {
      result.push_back(entry_of(c, style));
    }
  }
  if (quiet != 0) {
    result.push_back(
        {fmt::format("{}: no verdict changes", quiet == changed.consequences.size()
                                                   ? counted(quiet, "DaemonSet")
                                                   : counted(quiet, "other DaemonSet")),
         {}});
  }
  if (std::ranges::any_of(changed.consequences, settles_later)) {
    result.push_back(
        {"these counts hold once pods are created and deleted; below is the state right after the "
         "change",
         {}});
  }
  for (const diagnosis::NodeLoad& load : changed.added) {
    result.push_back({fmt::format("node {}, new:", base::printable_line(load.node)),
                      node_load_sentences(load, style)});
  }
  return result;
}

std::string what_if_title(const advice::Changed& changed) {
  return base::printable_line(fmt::format("What if: {}", fmt::join(changed.flags, " ")));
}

std::string what_if_text(const advice::Changed& changed, const Style& style) {
  std::string result = paint(style, Color::Bold, what_if_title(changed)) + "\n";
  for (const WhatIfEntry& entry : what_if_entries(changed, style)) {
    result += fmt::format("  {}\n", entry.head);
    for (const std::string& line : entry.lines) result += wrapped(style, 4, line);
  }
  return result;
}

std::string node_load_sentence(const diagnosis::NodeLoad& load) {
  if (load.shares.empty()) return "no DaemonSet requests any of it";
  std::string line = fmt::format("{} request", counted(load.shares.size(), "DaemonSet"));
  if (load.shares.size() == 1) line += "s";
  char separator = ' ';
  for (const auto& [name, amount] : load.requests) {
    if (amount.is_zero()) continue;
    const auto offered = load.allocatable.find(name);
    line += fmt::format("{}{} {}", separator == ' ' ? " " : ", ", name, to_string(amount));
    if (offered != load.allocatable.end()) {
      line += fmt::format(" of {}{}", to_string(offered->second), percent(amount, offered->second));
    }
    separator = ',';
  }
  line += fmt::format("{}{}", separator == ' ' ? " " : ", ", counted(load.shares.size(), "pod"));
  if (const auto pods = load.allocatable.find("pods"); pods != load.allocatable.end()) {
    line += fmt::format(" of {}", to_string(pods->second));
  }
  return line;
}

std::string node_load_lines(const diagnosis::NodeLoad& load, std::size_t indent,
                            const Style& style) {
  std::string result;
  std::size_t further = 0;
  for (const std::string& sentence : node_load_sentences(load, style)) {
    result += wrapped(style, indent + further, sentence);
    further = 2;
  }
  return result;
}

}  // namespace dsdoctor::render
