#include "render/terminal/text_comparison.h"

#include <fmt/format.h>

#include <map>

#include "base/printable.h"
#include "render/terminal/text_parts.h"
#include "render/words/reason_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::DaemonSetComparison;
using diagnosis::NodeContrast;
using diagnosis::NodeReport;

/// What keeps the unwanted one out, a line each.
std::vector<std::string> clauses(const NodeReport& unwanted) {
  std::vector<std::string> result;
  result.reserve(unwanted.reasons.size());
  for (const placement::Reason& reason : unwanted.reasons) {
    result.push_back(base::printable_line(sentence(reason)));
  }
  return result;
}

std::string joined_name(const std::pair<model::Text, model::Text>& names) {
  return base::printable_line(fmt::format("{}/{}", names.first.view(), names.second.view()));
}

/// The nodes that one of them has to itself, in groups of the same clauses.
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

std::vector<ContrastGroup> contrast_groups(const DaemonSetComparison& comparison, bool first) {
  std::map<std::vector<std::string>, std::vector<model::Text>> groups;
  for (const NodeContrast& node : comparison.nodes) {
    if (placement::should_run(node.first.decision) != first) continue;
    groups[clauses(first ? node.second : node.first)].push_back(node.first.name);
  }
  std::vector<ContrastGroup> result;
  result.reserve(groups.size());
  for (auto& [reasons, nodes] : groups) result.push_back({reasons, std::move(nodes)});
  return result;
}

std::string comparison_text(const DaemonSetComparison& comparison, const model::SourceInfo& source,
                            const std::vector<model::Omission>& omissions, const Style& style) {
  const std::size_t all = comparison.nodes.size() + comparison.both + comparison.neither;
  std::string result = side_text(comparison, true, style);
  const std::string other = side_text(comparison, false, style);
  if (!result.empty() && !other.empty()) result += "\n";
  result += other;
  if (comparison.nodes.empty() && all == 0) {
    result += fmt::format("{} Not compared: no node was read\n", paint(style, Color::Yellow, "?"));
  } else if (comparison.nodes.empty()) {
    result += fmt::format("{} No difference: {} and {} are wanted on the same nodes{}\n",
                          tick(style), joined_name(comparison.first),
                          joined_name(comparison.second), scope_suffix(all, source));
  } else {
    result +=
        fmt::format("\nBoth are wanted on {}, neither on {}{}\n", counted(comparison.both, "node"),
                    comparison.neither, scope_suffix(all, source));
  }
  if (!omissions.empty()) result += "\n" + omission_lines(omissions, style);
  return result;
}

}  // namespace dsdoctor::render
