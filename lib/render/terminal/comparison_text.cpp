// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "render/terminal/texts.h"
#include "render/words/difference_words.h"
#include "render/words/reason_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::DaemonSetComparison;
using diagnosis::OwnNodeReport;

std::string joined_name(const std::pair<model::Text, model::Text>& names) {
  return base::printable_line(fmt::format("{}/{}", names.first.view(), names.second.view()));
}

template <typename Name>
std::string map_block(std::string_view title, const diagnosis::MapDiff& diff, Name&& column,
                      const Style& style) {
  if (diff.empty()) return "";
  const std::vector<MapRow> rows = map_rows(diff);
  std::size_t key_width = title.size();
  std::size_t first_width = column(0).size();
  for (const MapRow& row : rows) {
    key_width = std::max(key_width, row.key.size());
    first_width = std::max(first_width, row.first.size());
  }
  std::string result = paint(style, Color::Bold,
                             fmt::format("{:<{}}   {:<{}}   {}", title, key_width, column(0),
                                         first_width, column(1))) +
                       "\n";
  for (const MapRow& row : rows) {
    result += fmt::format("{:<{}}   {:<{}}   {}\n", row.key, key_width, row.first, first_width,
                          row.second);
  }
  return result + "\n";
}

std::string taint_block(const diagnosis::NodeComparison& comparison, const Presentation& style) {
  if (comparison.taints_only_first.empty() && comparison.taints_only_second.empty()) return "";
  std::string result = paint(style, Color::Bold, "TAINTS") + "\n";
  const auto add = [&](const std::vector<model::Taint>& taints, const model::Text& node) {
    for (const model::Taint& taint : taints) {
      result += fmt::format("only {}: {}\n", base::printable_line(node),
                            base::printable_line(to_string(taint)));
    }
  };
  add(comparison.taints_only_first, comparison.first);
  add(comparison.taints_only_second, comparison.second);
  return result + "\n";
}

std::string contrast_block(const diagnosis::NodeComparison& comparison, const Style& style) {
  if (comparison.daemon_sets.empty() && comparison.alike == 0) return {};
  std::string result = paint(style, Color::Bold, "DAEMONSETS");
  result += fmt::format("  {} treated differently, {} alike\n", comparison.daemon_sets.size(),
                        comparison.alike);
  for (const diagnosis::DaemonSetContrast& contrast : comparison.daemon_sets) {
    result +=
        fmt::format("{}/{}    {} on {}, {} on {}\n", base::printable_line(contrast.ns),
                    base::printable_line(contrast.name), to_string(contrast.first.verdict()),
                    base::printable_line(contrast.first.name), to_string(contrast.second.verdict()),
                    base::printable_line(contrast.second.name));
    for (const OwnNodeReport* side : {&contrast.first, &contrast.second}) {
      for (const placement::Reason& reason : side->reasons()) {
        result += wrapped(style, 4,
                          fmt::format("{}: {}", base::printable_line(side->name),
                                      base::printable_line(sentence(reason))));
      }
    }
  }
  return result;
}

/// The nodes that are eligible for only one of the two DaemonSets, grouped by the reasons that
/// exclude the other.
std::string side_text(const DaemonSetComparison& comparison, bool first, const Style& style) {
  const std::vector<ContrastGroup> groups = contrast_groups(comparison, first);
  if (groups.empty()) return {};
  std::size_t count = 0;
  for (const ContrastGroup& group : groups) count += group.nodes.size();
  const auto& wanted = first ? comparison.first : comparison.second;
  const auto& other = first ? comparison.second : comparison.first;
  std::string result =
      fmt::format("{}    {}\n", paint(style, Color::Bold, "only " + joined_name(wanted)),
                  counted(count, "node"));
  for (const auto& [reasons, nodes] : groups) {
    if (style.lists_every_node()) {
      for (const model::Text& node : nodes) {
        result += fmt::format("    {}\n", base::printable_line(node));
      }
    } else {
      result += wrapped(style, 4, name_list(nodes));
    }
    for (const std::string& reason : reasons) {
      result += wrapped(style, 6, fmt::format("{}: {}", joined_name(other), reason));
    }
  }
  return result;
}

}  // namespace

std::string comparison_text(const diagnosis::NodeComparison& comparison,
                            const std::vector<model::Omission>& omissions,
                            const Presentation& style) {
  const auto column = [&](int which) {
    return base::printable_line(which == 0 ? comparison.first : comparison.second);
  };
  std::string result = map_block("LABELS", comparison.labels, column, style);
  result += taint_block(comparison, style);
  result += map_block("ALLOCATABLE", comparison.allocatable, column, style);
  result += map_block("CONDITIONS", comparison.conditions, column, style);
  result += contrast_block(comparison, style);
  if (!omissions.empty()) result += "\n" + omission_lines(omissions, style);
  return result;
}

std::string comparison_text(const DaemonSetComparison& comparison, const model::SourceInfo& source,
                            const std::vector<model::Omission>& omissions,
                            const Presentation& style) {
  const std::size_t all = comparison.nodes.size() + comparison.both + comparison.neither;
  std::string result = side_text(comparison, true, style);
  const std::string other = side_text(comparison, false, style);
  if (!result.empty() && !other.empty()) result += "\n";
  result += other;
  if (comparison.nodes.empty() && all == 0) {
    result += fmt::format("{} Not compared: no node was read\n", paint(style, Color::Yellow, "?"));
  } else if (comparison.nodes.empty()) {
    result += fmt::format("{} No difference: the same nodes are eligible for {} and {}{}\n",
                          tick(style), joined_name(comparison.first),
                          joined_name(comparison.second), scope_suffix(all, source));
  } else {
    result += fmt::format("\nBoth are eligible on {}, neither on {}{}\n",
                          counted(comparison.both, "node"), comparison.neither,
                          scope_suffix(all, source));
  }
  if (!omissions.empty()) result += "\n" + omission_lines(omissions, style);
  return result;
}

}  // namespace dsdoctor::render
