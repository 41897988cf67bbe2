// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/printable.h"
#include "render/document/page/block_data.h"
#include "render/document/page/sheet.h"
#include "render/document/report_parts.h"
#include "render/words/finding_text.h"
#include "render/words/fix_parts.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render::page {
namespace {

constexpr std::size_t most_placements = 1'500'000;  // at most 3 MB of states

/// Gives equal texts the same number.
class Texts {
 public:
  std::size_t number_of(const std::string& text) {
    const auto [at, is_new] = numbers_.try_emplace(text, numbers_.size());
    if (is_new) list_.push_back(base::printable_line(text));
    return at->second;
  }
  [[nodiscard]] Json take() { return std::move(list_); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  Json list_ = Json::array();
};

/// The states of the nodes of one DaemonSet.
class States {
 public:
  /// Group of the node, and its problem from one, or 0.
  using State = std::pair<std::size_t, std::size_t>;

  explicit States(std::size_t nodes) : of_(nodes, 0) {}

  void set(std::size_t node, State state) {
    const auto [at, is_new] = numbers_.try_emplace(state, numbers_.size() + 1);
    if (is_new) list_.push_back(Json::array({state.first, state.second}));
    of_[node] = at->second;
  }

  void add_to(Json& result) const {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::size_t width = 1;
    for (std::size_t room = digits.size(); room <= numbers_.size(); room *= digits.size()) ++width;
    std::string text;
    text.reserve(of_.size() * width);
    for (const std::size_t state : of_) {
      std::string number(width, digits.front());
      std::size_t rest = state;
      for (std::size_t i = width; i-- > 0; rest /= digits.size()) {
        number[i] = digits[rest % digits.size()];
      }
      text += number;
    }
    result["states"] = list_;
    result["width"] = width;
    result["of"] = std::move(text);
  }

 private:
  std::vector<std::size_t> of_;  // 0: no report
  std::map<State, std::size_t> numbers_;
  Json list_ = Json::array();
};

/// The problem of each placement of each DaemonSet, from one; 0: none.
std::vector<std::vector<std::size_t>> problems_of(const Sheet& sheet) {
  std::vector<std::vector<std::size_t>> result(sheet.explanation.daemon_sets.size());
  const auto& problems = sheet.explanation.problems.problems;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    for (const diagnosis::Placements::Part& part : problems[p].placements.parts()) {
      std::vector<std::size_t>& of = result[part.daemon_set];
      of.resize(sheet.report(part.daemon_set).nodes.size());
      for (const std::size_t at : part.nodes) of[at] = p + 1;
    }
  }
  return result;
}

/// The groups of the answer, and one without a reason for each verdict of the other nodes.
class Groups {
 public:
  Groups(const fixes::DaemonSetAnswer& answer, const Presentation& style, Texts& texts)
      : answer_(answer), texts_(texts), of_(answer.report.nodes.size(), no_group) {
    for (const diagnosis::NodeGroup& group : answer.groups) {
      ExplainedTaints explained;
      Json why = Json::array();
      // Running nodes have no reason to be named.
      if (group.verdict != diagnosis::NodeVerdict::Running) {
        for (const std::string& sentence : reason_sentences(group, explained)) {
          why.push_back(texts.number_of(sentence));
        }
        for (const auto& sentence : finding_sentences(group, answer.report.nodes, style)) {
          why.push_back(texts.number_of(sentence.text));
        }
      }
      for (const std::size_t at : group.nodes) of_[at] = list_.size();
      add(group.verdict, std::move(why));
    }
  }

  std::size_t of(std::size_t at) {
    if (of_[at] != no_group) return of_[at];
    const diagnosis::NodeVerdict verdict = answer_.report.nodes[at].verdict();
    const auto [place, is_new] = others_.try_emplace(verdict, list_.size());
    if (is_new) add(verdict, Json::array());
    return place->second;
  }
  [[nodiscard]] Json take() { return std::move(list_); }

 private:
  static constexpr std::size_t no_group = std::string::npos;

  void add(diagnosis::NodeVerdict verdict, Json why) {
    const std::string tone(page::name_of(render::tone_of(verdict)));
    list_.push_back({texts_.number_of(std::string(to_string(verdict))), texts_.number_of(tone),
                     std::move(why)});
  }

  const fixes::DaemonSetAnswer& answer_;
  Texts& texts_;
  std::vector<std::size_t> of_;
  std::map<diagnosis::NodeVerdict, std::size_t> others_;
  Json list_ = Json::array();
};

}  // namespace

Json placements_data(const Sheet& sheet, const diagnosis::PlacementMatrix& matrix) {
  const auto& answers = sheet.explanation.daemon_sets;
  const std::size_t nodes = sheet.index.names().size();
  if (nodes == 0 || nodes * answers.size() > most_placements) return nullptr;
  Json names = Json::array();
  for (const model::Text& name : sheet.index.names()) names.push_back(base::printable_line(name));
  Json columns = Json::array();
  for (const diagnosis::NodeClass& each : matrix.classes) columns.push_back(each.nodes);
  if (!matrix.rest.nodes.empty()) columns.push_back(matrix.rest.nodes);
  const auto problems = problems_of(sheet);
  Texts texts;
  Json daemon_sets = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const diagnosis::DaemonSetReport& report = answers[i].report;
    Groups groups(answers[i], sheet.style, texts);
    States states(nodes);
    for (std::size_t at = 0; at < report.nodes.size(); ++at) {
      const std::size_t problem = problems[i].empty() ? 0 : problems[i][at];
      states.set(sheet.index.of(report, at), {groups.of(at), problem});
    }
    Json entry = {{"name", base::printable_line(full_name(report))},
                  {"problems", sheet.numbers[i]},
                  {"groups", groups.take()}};
    states.add_to(entry);
    daemon_sets.push_back(std::move(entry));
  }
  return {{"nodes", std::move(names)},
          {"columns", std::move(columns)},
          {"texts", texts.take()},
          {"daemonSets", std::move(daemon_sets)}};
}

}  // namespace dsdoctor::render::page
