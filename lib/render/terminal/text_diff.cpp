#include "render/terminal/text_diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "render/terminal/text_parts.h"
#include "render/words/reason_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::NodeReport;
using diagnosis::PlacementDiff;

std::size_t nodes_of(const PlacementDiff& diff) {
  return diff.missing.size() + diff.unexpected.size() + diff.agreeing + diff.unknown;
}

std::string node_block(const std::vector<NodeReport>& nodes, const Style& style) {
  constexpr std::size_t shown_unless_all = 20;
  const std::size_t shown = style.lists_every_node() ? nodes.size() : shown_unless_all;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < std::min(shown, nodes.size()); ++i) {
    widest = std::max(widest, nodes[i].name.view().size());
  }
  std::string result;
  ExplainedTaints explained;
  for (std::size_t i = 0; i < std::min(shown, nodes.size()); ++i) {
    const NodeReport& node = nodes[i];
    const std::string pods = pods_clause(node.pods);
    result += fmt::format("    {:<{}}    {}{}{}\n", base::printable_line(node.name), widest,
                          to_string(node.verdict), pods.empty() ? "" : "    ", pods);
    result += reason_lines(node, explained, 6, style);
  }
  if (nodes.size() > shown) {
    result += fmt::format("    and {} more (--all-nodes lists them)\n", nodes.size() - shown);
  }
  return result;
}

std::string diff_block(const PlacementDiff& diff, const model::SourceInfo& source,
                       const Style& style) {
  const std::string name =
      base::printable_line(fmt::format("{}/{}", diff.ns.view(), diff.name.view()));
  std::string result = fmt::format("{}    {}{}\n", paint(style, Color::Bold, name),
                                   diff_counts(diff), scope_suffix(nodes_of(diff), source));
  if (!diff.missing.empty()) {
    result += paint(style, Color::Red, "- MISSING") + "     should have a pod, have none\n";
    result += node_block(diff.missing, style);
  }
  if (!diff.unexpected.empty()) {
    result += paint(style, Color::Red, "+ UNEXPECTED") + "  have a pod that should not be there\n";
    result += node_block(diff.unexpected, style);
  }
  return result;
}

/// Pods that are where they should be, but of no use there: not a difference, yet no secret.
std::string unwell_note(const PlacementDiff& diff, const Style& style) {
  const std::string what = unwell_clause(diff);
  if (what.empty()) return "";
  std::string line = fmt::format("{}/{}: {} ", base::printable_line(diff.ns),
                                 base::printable_line(diff.name), what);
  const std::size_t solid = line.size();
  line += fmt::format("({})", style.own_command("explain", diff.ns, diff.name));
  return wrapped(style, Layout{.solid = solid}, line);
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

std::string taint_block(const diagnosis::NodeComparison& comparison, const Style& style) {
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
  std::string result = paint(style, Color::Bold, "DAEMONSETS");
  result += fmt::format("  {} treated differently, {} alike\n", comparison.daemon_sets.size(),
                        comparison.alike);
  for (const diagnosis::DaemonSetContrast& contrast : comparison.daemon_sets) {
    result +=
        fmt::format("{}/{}    {} on {}, {} on {}\n", base::printable_line(contrast.ns),
                    base::printable_line(contrast.name), to_string(contrast.first.verdict),
                    base::printable_line(contrast.first.name), to_string(contrast.second.verdict),
                    base::printable_line(contrast.second.name));
    for (const NodeReport* side : {&contrast.first, &contrast.second}) {
      for (const placement::Reason& reason : side->reasons) {
        result += wrapped(style, 4,
                          fmt::format("{}: {}", base::printable_line(side->name),
                                      base::printable_line(sentence(reason))));
      }
    }
  }
  return result;
}

}  // namespace

std::vector<MapRow> map_rows(const diagnosis::MapDiff& diff) {
  const auto shown = [](const model::Text& value) {
    return value.empty() ? std::string("\"\"") : base::printable_line(value);
  };
  std::vector<MapRow> rows;
  for (const auto& [key, value] : diff.only_first) {
    rows.push_back({base::printable_line(key), shown(value), "<none>"});
  }
  for (const auto& [key, value] : diff.only_second) {
    rows.push_back({base::printable_line(key), "<none>", shown(value)});
  }
  for (const auto& [key, values] : diff.changed) {
    rows.push_back({base::printable_line(key), shown(values.first), shown(values.second)});
  }
  std::ranges::sort(rows, {}, &MapRow::key);
  return rows;
}

std::string diff_counts(const PlacementDiff& diff) {
  return fmt::format("{} missing, {} unexpected, {} as they should be", diff.missing.size(),
                     diff.unexpected.size(), diff.agreeing);
}

std::string unwell_clause(const PlacementDiff& diff) {
  if (diff.unbound + diff.unwell == 0) return "";
  std::string what;
  if (diff.unbound != 0) what += fmt::format("{} not bound yet", diff.unbound);
  if (diff.unwell != 0)
    what += fmt::format("{}{} not ready", what.empty() ? "" : ", ", diff.unwell);
  return fmt::format("of the pods in place, {}", what);
}

bool is_compared(const std::vector<PlacementDiff>& diffs) {
  return std::ranges::all_of(
      diffs, [](const PlacementDiff& diff) { return diff.unknown == 0 && nodes_of(diff) > 0; });
}

std::string diff_text(const std::vector<PlacementDiff>& diffs, const model::SourceInfo& source,
                      const std::vector<model::Omission>& omissions, const Style& style) {
  std::string result;
  std::size_t agreeing = 0;
  std::size_t most_nodes = 0;
  for (const PlacementDiff& diff : diffs) {
    most_nodes = std::max(most_nodes, nodes_of(diff));
    if (diagnosis::differs(diff)) {
      if (!result.empty()) result += "\n";
      result += diff_block(diff, source, style);
    } else {
      ++agreeing;
    }
  }
  const bool none = agreeing == diffs.size();
  if (none && !is_compared(diffs)) {
    result += fmt::format("{} Not compared: too little was read{}\n",
                          paint(style, Color::Yellow, "?"), scope_suffix(most_nodes, source));
  } else if (none) {
    result +=
        fmt::format("{} No difference: every pod of {} is where it should be{}\n", tick(style),
                    counted(agreeing, "DaemonSet"), scope_suffix(most_nodes, source));
  } else if (agreeing != 0) {
    result += fmt::format("\n{} {} without a difference\n", tick(style),
                          counted(agreeing, "other DaemonSet"));
  }
  for (const PlacementDiff& diff : diffs) result += unwell_note(diff, style);
  if (!omissions.empty()) result += "\n" + omission_lines(omissions, style);
  return result;
}

std::string comparison_text(const diagnosis::NodeComparison& comparison,
                            const std::vector<model::Omission>& omissions, const Style& style) {
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

}  // namespace dsdoctor::render
