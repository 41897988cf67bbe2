// SPDX-License-Identifier: Apache-2.0
#include "render/fleet/fleet_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using fixes::ClusterAnswer;
using fixes::ClusterProblem;
using fixes::FleetProblem;

bool needs_action(const ClusterAnswer& answer) {
  return std::ranges::any_of(answer.problems, [](const ClusterProblem& problem) {
    return diagnosis::needs_action(problem.problem);
  });
}

const ClusterProblem& problem_of(const FleetProblem::Part& part, const Fleet& fleet) {
  return fleet.answers[part.cluster].problems[part.problem];
}

template <typename Count>
std::size_t sum_of(const Fleet& fleet, Count count) {
  std::size_t result = 0;
  for (const ClusterAnswer& answer : fleet.answers) result += std::invoke(count, answer);
  return result;
}

/// The texts with the clusters that have them, the most frequent first.
class SharedTexts {
 public:
  void add(const std::string& text, const std::string& cluster) {
    const auto [at, is_new] = by_text_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back({text, {}});
    texts_[at->second].clusters.push_back(cluster);
  }
  [[nodiscard]] std::vector<SharedText> take() {
    std::ranges::stable_sort(texts_, std::greater<>(),
                             [](const SharedText& text) { return text.clusters.size(); });
    return std::move(texts_);
  }

 private:
  std::vector<SharedText> texts_;
  std::unordered_map<std::string, std::size_t> by_text_;
};

/// The sort key of a cluster in the table.
struct Place {
  std::size_t first_problem = 0;
  std::vector<std::string> numbers;  // its problems, as they are numbered
};

std::vector<Place> places_of(const Fleet& fleet) {
  std::vector<Place> result(fleet.answers.size(), Place{fleet.problems.size(), {}});
  for (std::size_t p = 0; p < fleet.problems.size(); ++p) {
    for (const FleetProblem::Part& part : fleet.problems[p].parts) {
      Place& place = result[part.cluster];
      place.first_problem = std::min(place.first_problem, p);
      const std::string number = std::to_string(p + 1);
      if (place.numbers.empty() || place.numbers.back() != number) place.numbers.push_back(number);
    }
  }
  return result;
}

}  // namespace

std::size_t answered_clusters(const Fleet& fleet) {
  return fleet.answers.size() - clusters_in(ClusterAnswer::State::Failed, fleet).size();
}

std::string fleet_scope(const Fleet& fleet) {
  std::string result = grouped_count(fleet.answers.size(), fleet.noun);
  const auto add = [&](std::size_t count, std::string_view noun) {
    if (count != 0) result += "  " + grouped_count(count, noun);
  };
  add(sum_of(fleet, &ClusterAnswer::nodes), "node");
  add(sum_of(fleet, &ClusterAnswer::daemon_sets), "DaemonSet");
  add(sum_of(fleet, &ClusterAnswer::pods), "pod");
  return result;
}

std::string fleet_states(const Fleet& fleet) {
  std::size_t urgent = 0;
  std::size_t partial = 0;
  std::size_t failed = 0;
  for (const ClusterAnswer& answer : fleet.answers) {
    if (answer.state == ClusterAnswer::State::Failed) {
      ++failed;
    } else if (needs_action(answer)) {
      ++urgent;
    } else if (answer.state == ClusterAnswer::State::Unclear) {
      ++partial;
    }
  }
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    parts.push_back(fmt::format(
        "{} {}", parts.empty() ? grouped_count(count, fleet.noun) : grouped_digits(count),
        count == 1 ? one : many));
  };
  add(urgent, "needs action", "need action");
  add(fleet.answers.size() - urgent - partial - failed, "needs no action", "need no action");
  add(partial, "was read in part", "were read in part");
  add(failed, "gave no answer", "gave no answer");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string fleet_summary(const Fleet& fleet, const Style& style) {
  diagnosis::Problems problems;
  problems.problems.reserve(fleet.problems.size());
  for (const FleetProblem& problem : fleet.problems) {
    problems.problems.emplace_back().action = problem.problem.action;
  }
  problems.placements = sum_of(fleet, &ClusterAnswer::placements);
  problems.affected = sum_of(fleet, &ClusterAnswer::affected);
  problems.ignored = sum_of(fleet, &ClusterAnswer::ignored);
  return problems_summary(problems, style);
}

std::vector<std::string> clusters_of(const FleetProblem& problem, const Fleet& fleet) {
  std::vector<std::string> result;
  result.reserve(problem.clusters);
  std::set<std::size_t> seen;
  for (const FleetProblem::Part& part : problem.parts) {
    if (!seen.insert(part.cluster).second) continue;
    result.push_back(base::printable_line(fleet.answers[part.cluster].name));
  }
  return result;
}

std::string share_clause(const FleetProblem& problem, const Fleet& fleet) {
  return fmt::format("{} of {}", grouped_digits(problem.clusters),
                     grouped_count(answered_clusters(fleet), fleet.noun));
}

std::string affected_clause(const FleetProblem& problem, const Fleet& fleet) {
  std::set<std::string_view> names;
  for (const FleetProblem::Part& part : problem.parts) {
    const auto& some = problem_of(part, fleet).daemon_sets;
    names.insert(some.begin(), some.end());
  }
  if (names.empty()) return {};
  std::string result =
      names.size() == 1 ? std::string(*names.begin()) : grouped_count(names.size(), "DaemonSet");
  const ClusterProblem& first = problem_of(problem.parts.front(), fleet);
  if (problem.parts.size() == 1 && first.nodes != 0) {
    const auto name_of = [&](std::size_t i) { return base::printable_line(first.first_nodes[i]); };
    constexpr std::size_t shown = 3;
    return fmt::format("{}, {}: {}", result, grouped_count(first.nodes, "node"),
                       base::listed(first.nodes, name_of, shown));
  }
  if (problem.placements != 0) result += ", " + grouped_count(problem.placements, "placement");
  return result;
}

std::string lasting_clause(const FleetProblem& problem, const Fleet& fleet) {
  const MessageText title = title_of(problem.problem);
  std::optional<base::Time::duration> longest;
  const ClusterProblem* oldest = nullptr;
  for (const FleetProblem::Part& part : problem.parts) {
    const ClusterProblem& one = problem_of(part, fleet);
    if (!one.problem.since || !one.now) continue;
    const auto age = *one.now - *one.problem.since;
    if (longest && *longest >= age) continue;
    longest = age;
    oldest = &one;
  }
  std::string result;
  if (oldest != nullptr && !title.says_since) {
    result = fmt::format("for {}{}", problem.parts.size() == 1 ? "" : "up to ",
                         base::age_text(*oldest->problem.since, *oldest->now));
  }
  if (problem.problem.action == diagnosis::Action::Overdue && !title.says_due) {
    result += result.empty() ? "overdue" : ", overdue";
  }
  return result;
}

Grid cluster_grid(const Fleet& fleet, bool all) {
  const std::vector<Place> places = places_of(fleet);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (all || !places[i].numbers.empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::tuple(places[i].first_problem, ~fleet.answers[i].affected);
  });
  Grid grid = grid_of(tables::fleet);
  for (const std::size_t i : order) {
    const ClusterAnswer& answer = fleet.answers[i];
    const bool is_read = answer.state != ClusterAnswer::State::Failed;
    const auto cell = [&](bool known, std::size_t count) {
      return known ? std::to_string(count) : std::string("?");
    };
    grid.rows.push_back({base::printable_line(answer.name),
                         cell(is_read && answer.nodes_known, answer.nodes),
                         cell(is_read, answer.daemon_sets), cell(is_read, answer.affected),
                         !is_read                    ? "?"
                         : places[i].numbers.empty() ? "-"
                                                     : base::listed(places[i].numbers)});
  }
  return grid;
}

std::vector<SharedText> failures_of(const Fleet& fleet) {
  SharedTexts texts;
  for (const ClusterAnswer& answer : fleet.answers) {
    for (const std::string& error : answer.errors) {
      texts.add(base::printable_line(error), base::printable_line(answer.name));
    }
  }
  return texts.take();
}

std::vector<std::string> omission_sentences(const Fleet& fleet) {
  SharedTexts texts;
  for (const ClusterAnswer& answer : fleet.answers) {
    for (const std::string& sentence : omission_sentences(answer.omissions)) {
      texts.add(sentence, base::printable_line(answer.name));
    }
  }
  std::vector<std::string> result;
  const std::size_t all = answered_clusters(fleet);
  for (const SharedText& text : texts.take()) {
    const std::size_t count = text.clusters.size();
    result.push_back(
        count == all && all > 1
            ? fmt::format("{} (in all {}s)", text.text, fleet.noun)
            : fmt::format("{} (in {}{})", text.text,
                          count > 1 ? grouped_count(count, fleet.noun) + ": " : std::string(),
                          base::listed(text.clusters, 3)));
  }
  return result;
}

std::vector<std::string> clusters_in(ClusterAnswer::State state, const Fleet& fleet) {
  std::vector<std::string> result;
  for (const ClusterAnswer& answer : fleet.answers) {
    if (answer.state == state) result.push_back(base::printable_line(answer.name));
  }
  return result;
}

Presentation style_of(std::size_t cluster, const Fleet& fleet, const Presentation& style) {
  Presentation result = style;
  result.address = fleet.addresses[cluster];
  return result;
}

std::string next_command(const Fleet& fleet) {
  for (const FleetProblem& problem : fleet.problems) {
    const FleetProblem::Part first = problem.parts.front();
    const Address& address = fleet.addresses[first.cluster];
    const auto& names = problem_of(first, fleet).daemon_sets;
    if (names.empty()) return address.own_command("check");
    const std::string& name = names.front();
    const std::size_t slash = name.find('/');
    const auto command =
        address.own_command("explain", name.substr(0, slash), name.substr(slash + 1));
    if (command) return *command;
  }
  return {};
}

}  // namespace dsdoctor::render
