// SPDX-License-Identifier: Apache-2.0
#include "render/document/page/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/printable.h"
#include "base/text.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render::page {
namespace {

std::vector<const diagnosis::DaemonSetReport*> reports_of(const fixes::Explanation& explanation) {
  std::vector<const diagnosis::DaemonSetReport*> result;
  result.reserve(explanation.daemon_sets.size());
  for (const auto& answer : explanation.daemon_sets) result.push_back(&answer.report);
  return result;
}

}  // namespace

Sheet::Sheet(const fixes::Explanation& of, const diagnosis::Reporter& by, const Presentation& shown,
             bool lacks_answers)
    : explanation(of),
      reporter(by),
      style(shown),
      index(reports_of(of)),
      pool_label(diagnosis::pool_label(by.cluster())) {
  unanswered = lacks_answers;
  nodes.reserve(index.names().size());
  for (std::size_t i = 0; i < index.names().size(); ++i) {
    nodes.push_back(model::find_node(by.cluster(), index.names()[i], i));
  }
  const auto& problems = explanation.problems.problems;
  numbers.resize(explanation.daemon_sets.size());
  anchors.reserve(problems.size());
  std::unordered_set<std::string> seen;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    std::string anchor = anchor_of("p", problems[p].id);
    if (!seen.insert(anchor).second) anchor += fmt::format("-{}", p + 1);
    anchors.push_back(std::move(anchor));
    for (const std::size_t i : problems[p].daemon_sets) numbers[i].push_back(p + 1);
  }
  for (const std::size_t i : by_urgency(explanation)) {
    if (!numbers[i].empty()) troubled.push_back(i);
  }
}

std::string_view Sheet::pool_of(std::size_t node) const {
  return nodes[node] == nullptr ? std::string_view() : diagnosis::pool_of(*nodes[node], pool_label);
}

Others::Others(const Sheet& sheet) {
  const fixes::Explanation& explanation = sheet.explanation;
  bool conclusive = !sheet.unanswered;
  bool of_alert = false;
  for (std::size_t i = 0; i < explanation.daemon_sets.size(); ++i) {
    if (!sheet.numbers[i].empty()) continue;
    ++count;
    conclusive = conclusive && fixes::is_conclusive(explanation.daemon_sets[i]);
    of_alert = of_alert || explanation.daemon_sets[i].alert.has_value();
  }
  const std::size_t accepted = explanation.problems.accepted.size();
  healthy = conclusive && !of_alert && accepted == 0 && !is_selection(explanation);
  label = healthy      ? "healthy"
          : of_alert   ? "the condition does not hold"
          : conclusive ? "without a problem"
                       : "without a problem in what could be read";
  if (is_selection(explanation) && !of_alert) label += " on these nodes";
  if (accepted != 0) {
    label += fmt::format(" ({} with ignored problems only)", grouped_digits(accepted));
  }
}

std::string Others::row() const {
  return healthy ? fmt::format("{} healthy", grouped_digits(count))
                 : grouped_count(count, "DaemonSet");
}

std::string Others::sentence() const {
  if (!healthy) return fmt::format("{}: {}", grouped_count(count, "DaemonSet"), label);
  return fmt::format("{} healthy DaemonSet{}", grouped_digits(count), count == 1 ? "" : "s");
}

std::string_view tone_of(const diagnosis::Problem& problem) {
  switch (problem.action) {
    case diagnosis::Action::Needed: return "wrong";
    case diagnosis::Action::Overdue: return "waiting";
    case diagnosis::Action::None: return "later";
  }
  return "";
}

std::string anchor_of(std::string_view kind, std::string_view name) {
  std::string result = fmt::format("{}-{}", kind, base::printable_line(name));
  std::ranges::replace(result, ' ', '_');
  return result;
}

std::string link_to(std::string_view anchor) {
  constexpr std::string_view usual = "-._=/:,@";
  std::string result;
  for (const char c : anchor) {
    const bool is_usual = base::is_alphanumeric(c) || usual.find(c) != std::string_view::npos;
    result += is_usual ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

Json links_data(const std::vector<std::size_t>& numbers) {
  constexpr std::size_t most = 12;
  Json result = Json::array();
  std::size_t shown = 0;
  while (shown < std::min(most, numbers.size()) && numbers[shown] <= most_problems) {
    const std::size_t i = shown++;
    result.push_back({{"target", fmt::format("n{}", numbers[i])}, {"number", numbers[i]}});
  }
  if (numbers.size() > shown) {
    result.push_back(
        {{"target", "problems"},
         {"number", fmt::format("{}{} more", shown == 0 ? "" : "and ", numbers.size() - shown)}});
  }
  return result;
}

}  // namespace dsdoctor::render::page
