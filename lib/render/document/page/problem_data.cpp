// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "render/data/patch.h"
#include "render/document/page/sheet.h"
#include "render/words/finding_text.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render::page {
namespace {

using diagnosis::Problem;

constexpr std::size_t most_bodies = 100;  // problems with details
constexpr std::size_t most_bytes_of_bodies = 900'000;
constexpr std::size_t most_bytes_of_names = 16'000;
constexpr std::size_t opened = 3;
constexpr std::size_t few_names = 3;
constexpr std::size_t unfolded = 15;  // problems that need action; the others are folded
constexpr std::size_t names_listed = 200;
constexpr std::size_t longest_title = 300;

std::string_view symbol_of(const Problem& problem) {
  return diagnosis::needs_action(problem) ? "!" : "◷";
}

/// "29 of 33 pods of security/falco", "9 pods of a/x, b/y", "a/x, 3 nodes"
std::string affected_text(const Problem& problem, const Sheet& sheet) {
  if (problem.daemon_sets.empty()) return {};
  constexpr std::size_t named = 3;
  std::string of = grouped_count(problem.daemon_sets.size(), "DaemonSet");
  if (problem.daemon_sets.size() <= named) {
    of = base::listed(problem.daemon_sets.size(), [&](std::size_t i) {
      return full_name(sheet.report(problem.daemon_sets[i]));
    });
  }
  const std::size_t pods = problem.placements.size();
  if (pods == 0) {
    return problem.nodes.empty()
               ? of
               : fmt::format("{}, {}", of, grouped_count(problem.nodes.size(), "node"));
  }
  if (problem.daemon_sets.size() > 1)
    return fmt::format("{} of {}", grouped_count(pods, "pod"), of);
  const std::size_t expected =
      diagnosis::expected_placements(sheet.report(problem.daemon_sets.front()));
  return fmt::format("{} of {} of {}", grouped_digits(pods), grouped_count(expected, "pod"), of);
}

/// "for 36h", "should resolve by 2026-11-21 02:36:11 UTC"
std::string since_text(const Problem& problem, const Sheet& sheet) {
  std::string result = lasting_clause(problem, sheet.explanation);
  const bool is_due = problem.action == diagnosis::Action::None && problem.resolves_at.has_value();
  if (!is_due || title_of(problem).says_due) return result;
  return fmt::format("{}{}should resolve by {}", result, result.empty() ? "" : ", ",
                     base::utc_text(*problem.resolves_at));
}

/// The pools of the problem's nodes with their numbers of nodes, the largest first.
Json pools_data(const Problem& problem, const Sheet& sheet) {
  Json result = Json::array();
  if (sheet.pool_label.empty()) return result;
  std::map<std::string_view, std::size_t> counts;
  for (const model::Text& name : problem.nodes.items()) {
    const auto at = std::ranges::lower_bound(sheet.index.names(), name);
    if (at == sheet.index.names().end() || *at != name) continue;
    ++counts[sheet.pool_of(static_cast<std::size_t>(at - sheet.index.names().begin()))];
  }
  std::vector<std::pair<std::string_view, std::size_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, std::ranges::greater{},
                           &std::pair<std::string_view, std::size_t>::second);
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    const auto& [pool, count] = order[i];
    result.push_back({{"pool", pool.empty() ? "no pool" : base::printable_line(pool)},
                      {"count", grouped_digits(count)}});
  }
  if (order.size() > most) {
    result.push_back({{"pool", "more pools"}, {"count", grouped_digits(order.size() - most)}});
  }
  return result;
}

/// Names of nodes, in the text if there are few of them.
void add_names(Json& data, const Problem& problem) {
  const auto& names = problem.nodes.items();
  std::size_t listed = 0;
  std::string text;
  while (listed < std::min(names.size(), names_listed) && text.size() < most_bytes_of_names) {
    text += (listed == 0 ? "" : ", ") + base::printable_line(names[listed]);
    ++listed;
  }
  data["nodeCount"] = grouped_count(names.size(), "node");
  data["nodeNames"] = std::move(text);
  data["fewNodes"] = names.size() <= few_names;
  data["notListed"] = names.size() > listed ? fmt::format(" and {} that are not listed here",
                                                          grouped_digits(names.size() - listed))
                                            : std::string();
}

Json steps_data(const Problem& problem, const Sheet& sheet) {
  Json result = Json::array();
  for (const diagnosis::Step& step : problem.fix) {
    result.push_back({{"words", base::printable_line(render::words_of(step))},
                      {"command", step.command ? addressed(*step.command, sheet.style) : ""}});
  }
  return result;
}

/// Whether the suggestion makes a node of the problem eligible.
bool helps(const fixes::Suggestion& suggestion, const Problem& problem) {
  const auto& nodes = problem.nodes.items();
  return std::ranges::any_of(suggestion.effect.gained, [&](const model::Text& name) {
    return std::ranges::binary_search(nodes, name);
  });
}

/// A change of the template that helps the problem's first DaemonSet, and the predicted effect.
/// False if no suggestion helps it.
Json possible_data(const Problem& problem, const Sheet& sheet) {
  if (problem.daemon_sets.empty() || problem.placements.empty()) return false;
  const auto& answer = sheet.explanation.daemon_sets[problem.daemon_sets.front()];
  const auto at = std::ranges::find_if(
      answer.suggestions, [&](const fixes::Suggestion& each) { return helps(each, problem); });
  if (at == answer.suggestions.end()) return false;
  const auto& report = answer.report;
  const auto command = at->of_manifest
                           ? manifest_command(report.ns, report.name, at->id, sheet.style)
                           : patch_command(report.ns, report.name, *at, sheet.style);
  constexpr std::size_t shown_taints = 3;
  return {{"lead", lead_of(*at)},
          {"what", fmt::format("{} in {}", tolerate_clause(*at, shown_taints), full_name(report))},
          {"purpose", render::text_of(at->purpose)},
          {"effect", effect_line(at->effect, at->restarted_pods, at->on_delete, sheet.style)},
          {"patch", command.value_or("")}};
}

Json body_data(const Problem& problem, const Sheet& sheet) {
  constexpr std::size_t shown = 5;
  Json evidence = Json::array();
  for (std::size_t i = 0; i < std::min(shown, problem.evidence.size()); ++i) {
    const diagnosis::Evidence& row = problem.evidence[i];
    evidence.push_back({{"object", fmt::format("{}/{}{}{}", row.object.kind, row.object.ns,
                                               row.object.ns.empty() ? "" : "/", row.object.name)},
                        {"path", row.path},
                        {"value", base::printable_line(row.value)}});
  }
  std::vector<std::string> also;
  for (const diagnosis::Beside& other : problem.also) {
    also.push_back(render::text_of(other.message));
  }
  Json body = {{"example", example_of(problem)},
               {"pools", pools_data(problem, sheet)},
               {"also", base::listed(also)},
               {"steps", steps_data(problem, sheet)},
               {"possible", possible_data(problem, sheet)},
               {"evidence", std::move(evidence)},
               {"strip", strip_data(sheet, problem)},
               {"id", problem.id}};
  add_names(body, problem);
  return body;
}

}  // namespace

void add_problems(Json& data, const Sheet& sheet) {
  const auto& problems = sheet.explanation.problems.problems;
  Json needed = Json::array();
  Json folded = Json::array();
  Json later = Json::array();
  std::size_t bytes = 0;
  std::size_t bodies = 0;
  const std::size_t lines = std::min(most_problems, problems.size());
  for (std::size_t i = 0; i < lines; ++i) {
    const Problem& problem = problems[i];
    Json body = false;
    if (bodies < most_bodies && bytes < most_bytes_of_bodies) {
      body = body_data(problem, sheet);
      bytes += script_safe(body).size();
      ++bodies;
    }
    const bool acts = diagnosis::needs_action(problem);
    Json entry = {{"number", i + 1},
                  {"anchor", sheet.anchors[i]},
                  {"link", link_to(sheet.anchors[i])},
                  {"tone", tone_of(problem)},
                  {"action", to_string(problem.action)},
                  {"symbol", symbol_of(problem)},
                  {"severity", to_string(problem.severity)},
                  {"title", base::printable_line(title_of(problem, longest_title).text)},
                  {"affected", affected_text(problem, sheet)},
                  {"since", since_text(problem, sheet)},
                  {"open", acts && needed.size() < opened},
                  {"body", std::move(body)}};
    (!acts ? later : needed.size() < unfolded ? needed : folded).push_back(std::move(entry));
  }
  const auto all_needed =
      static_cast<std::size_t>(std::ranges::count_if(problems, diagnosis::needs_action));
  const std::size_t waiting = problems.size() - all_needed;
  const std::size_t more = all_needed - needed.size();
  data["hasProblems"] = !problems.empty();
  data["laterOpen"] = needed.empty();
  data["problems"] = std::move(needed);
  data["folded"] = more != 0;
  data["foldedSummary"] = fmt::format("{} more {} action", grouped_digits(more),
                                      more == 1 ? "problem needs" : "problems need");
  data["foldedProblems"] = std::move(folded);
  data["later"] = waiting != 0;
  data["laterProblems"] = std::move(later);
  data["laterSummary"] = fmt::format(
      "{} without action",
      waiting == 1 ? "1 problem resolves" : grouped_digits(waiting) + " problems resolve");
  data["moreProblems"] =
      problems.size() > lines
          ? fmt::format("{} of these problems have no line on this page: -o json lists all of them",
                        grouped_digits(problems.size() - lines))
          : std::string();
}

}  // namespace dsdoctor::render::page
