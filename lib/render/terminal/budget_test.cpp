// SPDX-License-Identifier: Apache-2.0

// Checks that answers about troubled clusters fit on one screen.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/views/node_history.h"
#include "diagnosis/views/taint_matrix.h"
#include "fixes/explanation.h"
#include "fixes/fixes.h"
#include "fixes/what_if.h"
#include "render/data/json.h"
#include "render/document/page/page.h"
#include "render/document/reports.h"
#include "render/terminal/problem_lines.h"
#include "render/terminal/texts.h"
#include "render/what_if/what_if_text.h"
#include "render/words/difference_words.h"
#include "render/words/problem_words.h"
#include "testing/rounds.h"
#include "testing/troubled_cluster.h"

using namespace dsdoctor;

namespace {

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

render::Presentation terminal(std::size_t width = 100) {
  render::Presentation style;
  style.width = width;
  return style;
}

/// A cluster with many problems, and its reporter.
struct Trouble {
  model::Cluster cluster;
  diagnosis::Reporter reporter;
  std::vector<const model::DaemonSet*> all;

  Trouble(std::uint64_t seed, const testing::TroubledSize& size)
      : cluster(testing::troubled_cluster(seed, size)),
        reporter(cluster, {{}, testing::troubled_now(), nullptr}) {
    for (const model::DaemonSet& ds : cluster.daemon_sets) all.push_back(&ds);
  }

  /// Predicts `asked` with a taint on every node, and returns the text before the answer.
  [[nodiscard]] std::string if_tainted(const std::vector<const model::DaemonSet*>& asked,
                                       const render::Style& style) const {
    const fixes::Pick pick = [&](const model::Cluster& of) {
      std::vector<const model::DaemonSet*> result;
      for (const model::DaemonSet* ds : asked) {
        result.push_back(
            &of.daemon_sets[static_cast<std::size_t>(ds - cluster.daemon_sets.data())]);
      }
      return result;
    };
    fixes::WhatIf what_if;
    what_if.edits.push_back(
        {fixes::NodeEdit::Kind::Taint, {"*", "*", {}}, {"x", "y", "NoExecute"}, {}, {}});
    auto imagined = fixes::imagine(what_if, pick, reporter, asked);
    REQUIRE(imagined);
    imagined->changed.flags = {"--taint *=x=y:NoExecute"};
    return render::what_if_text(imagined->changed, style) + "\n";
  }
};

testing::TroubledSize size_of(unsigned seed) { return {20 + 60 * seed, 12 * seed, 8 * seed}; }

/// The text of every command about all DaemonSets.
std::vector<std::pair<std::string, std::string>> overviews(const Trouble& trouble,
                                                           const render::Presentation& style) {
  using fixes::Selection;
  const auto explained = [&](const Selection& selection) {
    return fixes::explain(trouble.reporter, trouble.all, {}, {}, selection);
  };
  const fixes::Explanation explanation = explained({});
  std::vector<std::pair<std::string, std::string>> result = {
      {"check", render::check_text(explanation, {}, {}, style)},
      {"explain", render::explanation_text(explanation, {}, {}, style)},
      {"taints", render::taints_text(diagnosis::taint_matrix(trouble.cluster, trouble.all,
                                                             trouble.reporter.options()),
                                     {}, {}, style)}};
  const auto differing = explained({.problems = Selection::Problems::OfDifferences});
  const auto diffs = fixes::placement_diffs(differing);
  result.emplace_back("diff-nodes", render::diff_text(differing, diffs, {}, {}, style));
  for (const diagnosis::Alert alert : diagnosis::all_alerts) {
    result.emplace_back(to_string(alert),
                        render::alert_text(explained({.alert = alert}), false, {}, {}, style));
  }
  return result;
}

std::string text_of_node(const Trouble& trouble, const model::Node& node,
                         const render::Presentation& style) {
  const fixes::Explanation explanation =
      fixes::explain(trouble.reporter, trouble.all, {}, {},
                     {.selects = [&](const model::Node& other) { return &other == &node; },
                      .problems = fixes::Selection::Problems::OfOneNode});
  const auto load = fixes::load_of_node(explanation, trouble.reporter, trouble.all, node);
  return render::node_explanation_text(explanation, node, load, {}, {}, style);
}

/// An explanation with `count` problems.
fixes::Explanation with_problems(std::size_t count) {
  fixes::Explanation result;
  result.daemon_sets.resize(100);
  for (std::size_t i = 0; i < result.daemon_sets.size(); ++i) {
    result.daemon_sets[i].report.ns = "team";
    result.daemon_sets[i].report.name = fmt::format("agent-{:03}", i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    diagnosis::Problem& problem = result.problems.problems.emplace_back();
    problem.finding = "create-quota-exceeded";
    problem.action = i % 3 == 0 ? diagnosis::Action::None : diagnosis::Action::Needed;
    const std::string title = fmt::format("FailedCreate: exceeded quota compute-{}", i);
    problem.title = diagnosis::phrase::PodIsRejected{.reason = title};
    problem.message = diagnosis::phrase::PodIsRejected{
        .reason = title + ", with more that is known of the first of them"};
    problem.daemon_sets = {i % result.daemon_sets.size()};
    problem.fix = {{"Raise the quota, or free pods in the namespace."}};
    std::vector<model::Text> nodes;
    for (std::size_t node = 0; node < 8; ++node) {
      nodes.emplace_back(fmt::format("ip-10-0-{}-{}.eu-west-1.compute.internal", i, node));
    }
    problem.nodes = std::move(nodes);
  }
  return result;
}

}  // namespace

TEST_CASE("overviews stay within their number of lines", "[render][budget]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(8)));
  CAPTURE(seed);
  const Trouble trouble(seed, size_of(seed));
  for (const auto& [command, text] : overviews(trouble, terminal())) {
    CAPTURE(command, text);
    const bool is_alert = command.starts_with("Kube");
    CHECK(lines_in(text) <= (command == "check" || is_alert ? 50 : 60));
  }
}

namespace {

/// The lines that are wider than the terminal. A command is never cut, so the lines of commands do
/// not count.
std::vector<std::string> too_wide(const std::string& text, std::size_t columns) {
  std::vector<std::string> result;
  bool in_command = false;
  for (const std::string& line : render::lines_of_text(text)) {
    in_command = in_command || line.find("kubectl ") != std::string::npos;
    if (!in_command && render::columns_of(line) > columns) result.push_back(line);
    in_command = in_command && line.ends_with('\\');
  }
  return result;
}

render::Presentation screen(std::size_t columns, std::size_t rows) {
  render::Presentation style = terminal(columns);
  style.rows = rows;
  style.address.own_flags = {"-f", "a-folder/with-many/clusters-in-it.json"};
  return style;
}

}  // namespace

TEST_CASE("on a terminal an answer has its rows and its columns", "[render][budget]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(6)));
  const auto [columns, rows] = GENERATE(table<std::size_t, std::size_t>(
      {{80, 24}, {60, 5}, {40, 5}, {40, 30}, {120, 50}, {200, 100}}));
  CAPTURE(seed, columns, rows);
  const Trouble trouble(seed, size_of(seed));
  const render::Presentation style = screen(columns, rows);
  const std::size_t most = std::max<std::size_t>(rows, 20) - 1;
  const auto check = [&](const std::string& command, const std::string& text) {
    CAPTURE(command, text);
    CHECK(lines_in(text) <= most);
    CHECK(too_wide(text, columns).empty());
  };
  for (const auto& [command, text] : overviews(trouble, style)) check(command, text);
  check("many", render::check_text(with_problems(10'000), {}, {}, style));
  for (std::size_t i = 0; i < 8; ++i) {
    check("explain", render::explanation_text(fixes::explain(trouble.reporter, {trouble.all[i]}),
                                              {}, {}, style));
    check("node", text_of_node(trouble, trouble.cluster.nodes[i], style));
  }
}

TEST_CASE("more rows show more of an answer", "[render][budget]") {
  const Trouble trouble(3, size_of(3));
  const fixes::Explanation explanation = fixes::explain(trouble.reporter, trouble.all);
  std::size_t before = 0;
  for (const std::size_t rows : {20U, 40U, 80U, 160U}) {
    const std::string text = render::check_text(explanation, {}, {}, screen(100, rows));
    CAPTURE(rows, text);
    CHECK(lines_in(text) > before);
    before = lines_in(text);
  }
}

TEST_CASE("on a small screen the first problem has its fix", "[render][budget]") {
  const fixes::Explanation explanation = with_problems(40);
  const std::string text = render::check_text(explanation, {}, {}, screen(80, 24));
  CAPTURE(text);
  CHECK(text.find("fix: Raise the quota") < text.find("\n  3 "));
  CHECK(text.find("more: --limit 0 lists them") != std::string::npos);
}

TEST_CASE("problems of one field of one DaemonSet are shown together", "[render][budget]") {
  fixes::Explanation explanation = with_problems(12);
  auto& problems = explanation.problems.problems;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const bool is_misscheduled = i == 1 || i == 4 || i == 7;
    problems[i].action = diagnosis::Action::Needed;
    if (!is_misscheduled) continue;
    problems[i].finding = "pod-misscheduled";
    problems[i].root = {"Taint", "", fmt::format("key-{}:NoSchedule", i)};
    problems[i].daemon_sets = {3};
  }
  const std::string text = render::check_text(explanation, {}, {}, terminal());
  CAPTURE(text);
  CHECK(text.find("and problems 5, 8 for key-4:NoSchedule, key-7:NoSchedule: 16 nodes") !=
        std::string::npos);
  CHECK(text.find("\n  5 info") == std::string::npos);
  CHECK(text.find("\n  4 info") != std::string::npos);
  // Not with problems of another DaemonSet, and not if every problem is to be listed.
  problems[7].daemon_sets = {4};
  CHECK(render::check_text(explanation, {}, {}, terminal()).find("and problem 5 for key-4") !=
        std::string::npos);
  render::Presentation everything = terminal();
  everything.limit = 0;
  CHECK(render::check_text(explanation, {}, {}, everything).find("and problem") ==
        std::string::npos);
}

TEST_CASE("a script of suggest has at most sixty lines for a DaemonSet", "[render][budget]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(6)));
  const Trouble trouble(seed, size_of(seed));
  const auto answers = fixes::fixes_for(trouble.reporter, trouble.all, {});
  for (const auto& answer : answers) {
    for (const std::size_t width : {0U, 80U, 120U}) {
      const std::string text =
          render::suggest_text({answer}, {}, {}, render::Extent::Short, terminal(width));
      CAPTURE(seed, width, text);
      // A line has any width in a pipe; wrapping at COLUMNS adds lines.
      CHECK(lines_in(text) <= (width == 0 ? 60U : 90U));
      CHECK_FALSE(text.starts_with("\n"));
      // Every possible fix is in the script or counted.
      const std::string whole =
          render::suggest_text({answer}, {}, {}, render::Extent::Whole, terminal(width));
      CHECK(lines_in(whole) + 6 >= lines_in(text));
    }
  }
}

TEST_CASE("comments of a script need no quotes", "[render][budget]") {
  const Trouble trouble(3, size_of(3));
  const auto answers = fixes::fixes_for(trouble.reporter, trouble.all, {});
  const std::string text = render::suggest_text(answers, {}, {}, render::Extent::Whole, terminal());
  for (const std::string& line : render::lines_of_text(text)) {
    const bool has_command = line.find("kubectl ") != std::string::npos;
    if (!line.starts_with("#") || has_command) continue;
    CAPTURE(line);
    CHECK(line.find_first_of("'\"`$&|;<>()[]{}*?!~^%\\") == std::string::npos);
  }
}

TEST_CASE("with all nodes listed problems name all their nodes", "[render][budget]") {
  const fixes::Explanation explanation = with_problems(20);
  render::Presentation style = terminal(0);
  CHECK_THAT(render::check_text(explanation, {}, {}, style),
             Catch::Matchers::Contains("and 3 more"));
  style.all_nodes = true;
  const std::string text = render::check_text(explanation, {}, {}, style);
  CHECK_THAT(text, !Catch::Matchers::Contains("and 3 more"));
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    for (const model::Text& node : problem.nodes.items()) {
      CHECK_THAT(text, Catch::Matchers::Contains(node.str()));
    }
  }
}

TEST_CASE("the answer about one DaemonSet stays within its number of lines", "[render][budget]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(8)));
  CAPTURE(seed);
  const Trouble trouble(seed, {60 * seed, 4, 10 * seed});
  const auto width = GENERATE(80U, 100U);
  std::vector<model::Omission> omissions;
  for (const char* resource : {"controllerrevisions", "events", "leases", "priorityclasses"}) {
    omissions.push_back({resource, "", "Forbidden", "the API server forbids the list of it",
                         "cannot tell what it would say of the DaemonSet"});
  }
  for (const model::DaemonSet* ds : trouble.all) {
    const std::string text = render::explanation_text(fixes::explain(trouble.reporter, {ds}), {},
                                                      omissions, terminal(width));
    CAPTURE(text);
    CHECK(lines_in(text) <= 45);
  }
}

TEST_CASE("the answer about one node stays within its number of lines", "[render][budget]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(8)));
  CAPTURE(seed);
  Trouble trouble(seed, {20, 12 * seed, 10 * seed});
  for (const model::Node& node : trouble.cluster.nodes) {
    const std::string text = text_of_node(trouble, node, terminal());
    CAPTURE(text);
    CHECK(lines_in(text) <= 50);
  }
}

TEST_CASE("a what-if summary leaves lines for the answer", "[render][budget]") {
  const auto seed = GENERATE(values({2U, 5U, 8U}));
  if (seed > testing::rounds(8)) return;
  CAPTURE(seed);
  Trouble trouble(seed, size_of(seed));
  render::Presentation style = terminal();
  const std::string before = trouble.if_tainted(trouble.all, style);
  CAPTURE(before);
  CHECK(lines_in(before) <= 15);
  style.lines_above = lines_in(before);
  for (const auto& [command, text] : overviews(trouble, style)) {
    if (command == "taints") continue;  // has no what-if
    CAPTURE(command, text);
    const bool is_short = command == "check" || command.starts_with("Kube");
    CHECK(lines_in(before + text) <= (is_short ? 50 : 60));
  }
  for (std::size_t i = 0; i < 6; ++i) {
    const model::DaemonSet* ds = trouble.all[i];
    const std::string of_one = trouble.if_tainted({ds}, style);
    style.lines_above = lines_in(of_one);
    const std::string text =
        of_one + render::explanation_text(fixes::explain(trouble.reporter, {ds}), {}, {}, style);
    CAPTURE(text);
    CHECK(lines_in(text) <= 45);
  }
  style.lines_above = lines_in(before);
  for (std::size_t i = 0; i < 8; ++i) {
    const std::string text = before + text_of_node(trouble, trouble.cluster.nodes[i], style);
    CAPTURE(text);
    CHECK(lines_in(text) <= 50);
  }
  render::Presentation everything = terminal();
  everything.all_nodes = true;
  CHECK(lines_in(trouble.if_tainted(trouble.all, everything)) > 15);
}

TEST_CASE("a history of changes on every node stays within its number of lines",
          "[render][budget]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(8)));
  CAPTURE(seed);
  const Trouble then(seed, size_of(seed));
  model::Cluster cluster = then.cluster;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    model::Node& node = cluster.nodes[i];
    for (std::size_t label = 0; label < i % 7; ++label) {
      node.meta.labels.set(fmt::format("label-{}-{}", i, label), "new");
    }
    node.taints.push_back({fmt::format("k{}", i % 40), fmt::format("v{}", i % 9),
                           i % 2 == 0 ? "NoExecute" : "NoSchedule"});
  }
  const diagnosis::Reporter reporter(cluster, then.reporter.options());
  std::vector<const model::DaemonSet*> all;
  for (const model::DaemonSet& ds : cluster.daemon_sets) all.push_back(&ds);
  const auto history = diagnosis::node_history({then.reporter, then.all}, {reporter, all});
  const render::Envelope of_file;
  const std::string text = render::history_text(history, of_file, of_file, terminal());
  CAPTURE(text);
  CHECK(lines_in(text) <= 60);
  render::Presentation everything = terminal();
  const std::size_t in_all = history.nodes.size() + history.flips.size();
  CHECK(text.find("more (--all-nodes lists them)") != std::string::npos);
  everything.limit = 0;
  const std::string whole = render::history_text(history, of_file, of_file, everything);
  CHECK(whole.find(" more (") == std::string::npos);
  CHECK(lines_in(whole) > std::min<std::size_t>(60, in_all));
  std::size_t joined = 0;
  for (const auto& block : render::joined_blocks(render::flip_blocks(history, terminal()))) {
    joined += block.changes;
  }
  CHECK(joined == history.flips.size());
}

TEST_CASE("every answer fits into a GitHub comment", "[render][budget]") {
  const auto seed = GENERATE(values({2U, 5U, 8U}));
  CAPTURE(seed);
  const Trouble trouble(seed, size_of(seed));
  const fixes::Explanation explanation = fixes::explain(trouble.reporter, trouble.all);
  const auto fits = [](const render::Document& document) {
    return render::markdown(document, render::comment_limit).size() <= render::comment_limit;
  };
  CHECK(fits(render::explanation_document(explanation, {}, terminal())));
  CHECK(fits(render::check_document(explanation, {}, terminal())));
  CHECK(fits(render::taints_document(
      diagnosis::taint_matrix(trouble.cluster, trouble.all, trouble.reporter.options()), {},
      terminal())));
  const auto diffs = fixes::placement_diffs(explanation);
  CHECK(fits(render::diff_document(explanation, diffs, {}, terminal())));
}

TEST_CASE("every output has the same problems and the same number of taints", "[render][budget]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(5)));
  CAPTURE(seed);
  const Trouble trouble(seed, size_of(seed));
  const fixes::Explanation explanation = fixes::explain(trouble.reporter, trouble.all);
  const auto& problems = explanation.problems.problems;
  render::Presentation everything = terminal(0);
  everything.limit = 0;
  everything.wide = true;
  const std::string text = render::check_text(explanation, {}, {}, everything);
  const auto document = render::check_document(explanation, {}, everything);
  const std::string markdown = render::markdown(document);
  const std::string html = render::report_page(explanation, trouble.reporter, {}, everything, {});
  const std::string json = render::to_json(explanation, {}, everything).dump();
  const std::string summary = render::problems_summary(explanation.problems);
  for (const std::string* output : {&text, &markdown, &html}) {
    CHECK(output->find(summary) != std::string::npos);
  }
  std::size_t listed = 0;
  const auto parsed = nlohmann::json::parse(json);
  for (const auto& problem : parsed["problems"]) {
    REQUIRE(listed < problems.size());
    CHECK(problem["id"] == problems[listed++].id);
  }
  CHECK(listed == problems.size());
  for (const diagnosis::Problem& problem : problems) {
    CAPTURE(problem.id);
    CHECK(text.find("id: " + problem.id) != std::string::npos);
    CHECK(markdown.find("id: `" + problem.id + "`") != std::string::npos);
    CHECK(html.find("id=\"p-" + problem.id + "\"") != std::string::npos);
  }
  // Without a limit on its size, Markdown lists all of them in one table.
  for (std::size_t i = 1; i <= problems.size(); ++i) {
    CHECK(markdown.find(fmt::format("\n| {} | **", i)) != std::string::npos);
  }

  const auto matrix =
      diagnosis::taint_matrix(trouble.cluster, trouble.all, trouble.reporter.options());
  const std::size_t taints = diagnosis::with_values_folded(matrix).taints.size();
  const std::string count = fmt::format("{} taint{} on ", taints, taints == 1 ? "" : "s");
  const render::Presentation style = terminal();
  const auto of_taints = render::taints_document(matrix, {}, style);
  CHECK(render::taints_text(matrix, {}, {}, style).find(count) == 0);
  CHECK(render::markdown(of_taints).find(count) != std::string::npos);
  CHECK(render::document_page(of_taints, {}).find(count) != std::string::npos);
  const auto of_json = nlohmann::json::parse(render::to_json(matrix, {}).dump());
  CHECK(of_json["summary"]["taints"] == taints);
  CHECK(of_json["summary"]["taintValues"] == of_json["taints"].size());
}

TEST_CASE("an answer with ten thousand problems is short", "[render][budget]") {
  const fixes::Explanation explanation = with_problems(10'000);
  const std::string text = render::check_text(explanation, {}, {}, terminal());
  CAPTURE(text);
  CHECK(lines_in(text) <= 50);
  CHECK(lines_in(render::explanation_text(explanation, {}, {}, terminal())) <= 60);
  const auto document = render::check_document(explanation, {}, terminal());
  CHECK(render::markdown(document, render::comment_limit).size() <= render::comment_limit);
  render::Presentation everything = terminal();
  everything.limit = 0;
  CHECK(lines_in(render::check_text(explanation, {}, {}, everything)) > 10'000);
}

TEST_CASE("the flag --limit limits only the problems", "[render][budget]") {
  const auto seed = GENERATE(values({3U, 6U}));
  CAPTURE(seed);
  const Trouble trouble(seed, size_of(seed));
  render::Presentation style = terminal();
  style.limit = 1;
  for (const auto& [command, text] : overviews(trouble, style)) {
    CAPTURE(command, text);
    CHECK(lines_in(text) <= 60);
  }
  // The limit includes problems that resolve without action.
  const fixes::Explanation many = with_problems(9);
  style.limit = 6;  // these need action
  const std::string shown = render::check_text(many, {}, {}, style);
  CAPTURE(shown);
  CHECK(shown.find("for example") < shown.find("RESOLVES WITHOUT ACTION"));
  CHECK(shown.find("for example", shown.find("RESOLVES WITHOUT ACTION")) == std::string::npos);
  style.limit = 12;
  const fixes::Explanation explanation = fixes::explain(trouble.reporter, trouble.all);
  REQUIRE(explanation.problems.problems.size() > 13);
  const std::string text = render::check_text(explanation, {}, {}, style);
  std::size_t fixes = 0;
  for (std::size_t at = 0; (at = text.find(" fix: ", at)) != std::string::npos; ++at) ++fixes;
  CAPTURE(text);
  CHECK(fixes >= 12);
}

TEST_CASE("an answer fits a terminal of twenty columns", "[render][budget]") {
  const auto width = GENERATE(1U, 20U);
  Trouble trouble(3, size_of(3));
  for (const auto& [command, text] : overviews(trouble, terminal(width))) {
    CAPTURE(command);
    CHECK_FALSE(text.empty());
  }
  CHECK_FALSE(text_of_node(trouble, trouble.cluster.nodes.front(), terminal(width)).empty());
}
