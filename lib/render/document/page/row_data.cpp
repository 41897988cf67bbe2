// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "render/data/json_parts.h"
#include "render/document/page/block_data.h"
#include "render/document/page/sheet.h"
#include "render/document/reports.h"
#include "render/words/fix_parts.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render::page {
namespace {

constexpr std::size_t most_bytes_of_rows =
    500'000;  // beyond it, rows are made when they are opened
constexpr std::size_t most_bytes_of_brief_rows = 1'000'000;
constexpr std::size_t most_node_rows = 20'000;

/// "1 4": for page.js.
std::string list_of(const std::vector<std::size_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

/// The columns of kubectl, and the number of nodes that are not eligible, for the selected nodes.
/// "?": unknown.
Json values_of(const diagnosis::DaemonSetReport& report) {
  const Json counts = evaluated_json(counts_of_nodes(report));
  Json result = Json::array();
  for (const char* key : {"desiredNumberScheduled", "currentNumberScheduled", "numberReady",
                          "updatedNumberScheduled", "numberAvailable", "numberMisscheduled"}) {
    result.push_back(counts[key].is_null() ? "?" : counts[key].dump());
  }
  const std::size_t excluded = report.nodes.count(diagnosis::NodeVerdict::Excluded);
  result.push_back(report.evaluated.nodes_known ? std::to_string(excluded) : "?");
  return result;
}

Json row_of(const Sheet& sheet, std::size_t i) {
  const std::string name = base::printable_line(full_name(sheet.report(i)));
  return {{"ds", name},
          {"anchor", anchor_of("d", name)},
          {"values", values_of(sheet.report(i))},
          {"problemList", list_of(sheet.numbers[i])},
          {"links", links_data(sheet.numbers[i])},
          {"noLinks", sheet.numbers[i].empty()}};
}

/// The details below the row of a DaemonSet. `in_brief`: without the table of its nodes.
Json more_data(const Sheet& sheet, std::size_t i, bool in_brief, bool alone) {
  AnswerBlocks blocks = answer_blocks(sheet.explanation.daemon_sets[i], in_brief, sheet.style);
  std::vector<Block> told = std::move(blocks.counts);
  if (!in_brief) std::ranges::move(blocks.groups, std::back_inserter(told));
  Json possible = false;
  if (!blocks.suggestions.empty()) {
    possible = {{"possibleSummary", "Possible changes"},
                {"blocks", blocks_data(blocks.suggestions)}};
  }
  return {{"unfolded", alone}, {"blocks", blocks_data(told)}, {"possible", std::move(possible)}};
}

/// The problems of each node, ascending.
std::vector<std::set<std::size_t>> problems_of_nodes(const Sheet& sheet) {
  std::vector<std::set<std::size_t>> result(sheet.index.names().size());
  const auto& problems = sheet.explanation.problems.problems;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    for (const diagnosis::Placement at : problems[p].placements) {
      result[sheet.index.of(sheet.report(at.daemon_set), at.node)].insert(p + 1);
    }
  }
  return result;
}

std::string taints_of(const model::Node& node) {
  std::vector<std::string> texts;
  for (const model::Taint& taint : node.taints) {
    texts.push_back(fmt::format("{}{}{}:{}", taint.key.view(), taint.value.empty() ? "" : "=",
                                taint.value.view(), taint.effect.view()));
  }
  return base::printable_line(fmt::format("{}", fmt::join(texts, ", ")));
}

/// The columns of one node. The order of ages is by seconds.
struct NodeColumns {
  std::string pool;
  std::string age;
  std::string taints;
  std::int64_t seconds = 0;
};

NodeColumns columns_of(const Sheet& sheet, std::size_t i) {
  NodeColumns result;
  result.pool = base::printable_line(sheet.pool_of(i));
  const model::Node* node = sheet.nodes[i];
  if (node == nullptr) return result;
  if (node->meta.created) {
    const auto age = sheet.explanation.now - *node->meta.created;
    result.age = base::age_text(*node->meta.created, sheet.explanation.now);
    result.seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  }
  result.taints = taints_of(*node);
  return result;
}

Json node_rows(const Sheet& sheet) {
  const auto problems = problems_of_nodes(sheet);
  Json rows = Json::array();
  for (std::size_t i = 0; i < sheet.index.names().size(); ++i) {
    const NodeColumns columns = columns_of(sheet, i);
    const std::vector<std::size_t> numbers(problems[i].begin(), problems[i].end());
    rows.push_back({{"node", base::printable_line(sheet.index.names()[i])},
                    {"pool", columns.pool},
                    {"age", columns.age},
                    {"seconds", columns.seconds},
                    {"taints", columns.taints},
                    {"problemList", list_of(numbers)},
                    {"links", links_data(numbers)},
                    {"noLinks", numbers.empty()}});
  }
  return rows;
}

/// The same for page.js: numbers of texts.
Json packed_node_rows(const Sheet& sheet, Json& texts) {
  std::unordered_map<std::string, std::size_t> numbers;
  const auto number_of = [&](const std::string& text) {
    const auto [at, is_new] = numbers.try_emplace(text, texts.size());
    if (is_new) texts.push_back(text);
    return at->second;
  };
  Json result = {{"pools", Json::array()},
                 {"ages", Json::array()},
                 {"seconds", Json::array()},
                 {"taints", Json::array()}};
  for (std::size_t i = 0; i < sheet.index.names().size(); ++i) {
    const NodeColumns columns = columns_of(sheet, i);
    result["pools"].push_back(number_of(columns.pool));
    result["ages"].push_back(number_of(columns.age));
    result["seconds"].push_back(columns.seconds);
    result["taints"].push_back(number_of(columns.taints));
  }
  return result;
}

/// Adds the rows of nodes, or a note that says why they are left out.
void add_nodes(Json& data, const Sheet& sheet, Json rows, bool by_script) {
  constexpr std::size_t few = 20;
  const std::size_t nodes = sheet.index.names().size();
  const bool is_left_out = rows.empty() && nodes != 0;
  data["nodes"] = nodes != 0;
  data["nodesOpen"] = nodes <= few && !by_script;
  data["poolTitle"] = sheet.pool_label == diagnosis::role_prefix ? "ROLE" : "POOL";
  data["nodesSummary"] = grouped_count(nodes, "node");
  data["nodeRows"] = std::move(rows);
  const auto command = sheet.style.address.own_command("explain");
  data["nodesByScript"] =
      by_script     ? fmt::format("A script makes these rows; without it: {} -o wide", command)
      : is_left_out ? fmt::format("These rows are too many for a page: {} -o wide", command)
                    : std::string();
}

/// The details of the DaemonSets in full; empty if they are larger than `room` bytes.
std::vector<Json> more_rows(const Sheet& sheet, const std::vector<std::size_t>& shown, bool alone,
                            std::size_t room) {
  std::vector<Json> result;
  std::size_t bytes = 0;
  for (const std::size_t i : shown) {
    result.push_back(more_data(sheet, i, false, alone));
    bytes += script_safe(result.back()).size();
    if (bytes > room) return {};
  }
  return result;
}

}  // namespace

void add_rows(Json& data, const Sheet& sheet, Json& placements) {
  const auto& answers = sheet.explanation.daemon_sets;
  const bool alone = answers.size() == 1;
  std::vector<std::size_t> shown = sheet.troubled;
  std::vector<std::size_t> healthy;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!sheet.numbers[i].empty()) continue;
    (alone || sheet.style.lists_every_node() ? shown : healthy).push_back(i);
  }
  const std::size_t nodes = sheet.index.names().size();
  Json rows = nodes <= most_node_rows ? node_rows(sheet) : Json::array();
  const std::size_t bytes = script_safe(rows).size();
  const bool rows_fit = nodes <= most_node_rows && bytes < most_bytes_of_rows;
  std::vector<Json> more;
  if (rows_fit) more = more_rows(sheet, shown, alone, most_bytes_of_rows - bytes);
  const bool by_script = (!rows_fit || more.size() < shown.size()) && !placements.is_null();
  if (by_script) {
    placements["rowsByScript"] = true;
    placements["nodeRows"] = packed_node_rows(sheet, placements["texts"]);
  }
  if (by_script || !rows_fit) rows = Json::array();
  Json daemon_sets = Json::array();
  std::size_t brief_bytes = 0;
  for (std::size_t n = 0; n < shown.size(); ++n) {
    Json row = row_of(sheet, shown[n]);
    row["more"] = false;
    if (n < more.size()) {
      row["more"] = std::move(more[n]);
    } else if (brief_bytes < most_bytes_of_brief_rows) {
      row["more"] = more_data(sheet, shown[n], true, alone);
      brief_bytes += script_safe(row["more"]).size();
    }
    daemon_sets.push_back(std::move(row));
  }
  data["hasDaemonSets"] = !answers.empty();
  data["hasRows"] = !shown.empty();
  data["dsColumns"] = {"NAME",      "DESIRED",      "CURRENT",      "READY",   "UP-TO-DATE",
                       "AVAILABLE", "MISSCHEDULED", "NOT ELIGIBLE", "PROBLEMS"};
  data["dsWidth"] = data["dsColumns"].size();
  data["daemonSets"] = std::move(daemon_sets);
  std::ranges::sort(healthy, {}, [&](std::size_t i) { return full_name(sheet.report(i)); });
  Json healthy_rows = Json::array();
  for (const std::size_t i : healthy) healthy_rows.push_back(row_of(sheet, i));
  data["healthySummary"] = healthy.empty() ? std::string() : Others(sheet).sentence();
  data["healthyRows"] = std::move(healthy_rows);
  add_nodes(data, sheet, std::move(rows), by_script);
}

}  // namespace dsdoctor::render::page
