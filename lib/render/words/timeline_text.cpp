// SPDX-License-Identifier: Apache-2.0
#include "render/words/timeline_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::render {
namespace {

constexpr std::size_t most_shown = 30;

/// "≤ 2026-11-21 02:36:11 UTC    Node/gpu-1 was created"
std::string entry_line(const diagnosis::TimelineEntry& entry, std::size_t indent,
                       const Style& style) {
  const std::string_view bound = style.unicode ? "≤ " : "<=";
  const std::string when =
      fmt::format("{}{}", entry.upper_bound ? bound : "  ", diagnosis::format_utc(entry.time));
  std::string said =
      fmt::format("{} {}", base::printable_line(entry.object), base::printable_line(entry.text));
  if (style.wide) said += fmt::format("  ({})", base::printable_line(entry.field));
  // The first word of `wrapped` must not be broken off, so the time is inserted before it.
  Style narrower = style;
  const std::size_t taken = indent + 2 + std::string_view("2026-11-21 02:36:11 UTC").size() + 2;
  if (style.width != 0) narrower.width = std::max(style.width, taken + 20) - taken;
  const std::string lines = wrapped(narrower, 0, said);
  std::string result = fmt::format("{:{}}{}  ", "", indent, when);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    result += lines[i];
    if (lines[i] == '\n' && i + 1 < lines.size()) result += std::string(taken, ' ');
  }
  return result;
}

}  // namespace

std::string_view limits_of(const diagnosis::Timeline& timeline) {
  return timeline.events_known ? "events older than about an hour are gone" : "no events were read";
}

std::string timeline_lines(const diagnosis::Timeline& timeline, std::size_t indent,
                           const Style& style) {
  const auto& entries = timeline.entries;
  const std::size_t skipped = entries.size() - std::min(most_shown, entries.size());
  std::string result = fmt::format("{:{}}timeline ({})\n", "", indent, limits_of(timeline));
  if (entries.empty()) result += fmt::format("{:{}}no entries\n", "", indent + 2);
  if (skipped != 0) {
    result += fmt::format("{:{}}{} earlier: -o json has {}\n", "", indent + 2, skipped,
                          skipped == 1 ? "it" : "them");
  }
  for (std::size_t i = skipped; i < entries.size(); ++i) {
    result += entry_line(entries[i], indent + 2, style);
  }
  return result;
}

}  // namespace dsdoctor::render
