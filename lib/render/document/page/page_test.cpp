// SPDX-License-Identifier: Apache-2.0
#include "render/document/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "render/data/json.h"
#include "testing/rounds.h"
#include "testing/troubled_cluster.h"

namespace dsdoctor::render {
namespace {

using Catch::Contains;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

using Numbers = std::map<std::pair<std::string, std::string>, std::string>;

/// An explanation of a random cluster with everything that a page shows.
struct Subject {
  explicit Subject(model::Cluster of)
      : cluster(std::move(of)), reporter(cluster, {{}, testing::troubled_now(), nullptr}) {
    std::vector<const model::DaemonSet*> all;
    for (const model::DaemonSet& ds : cluster.daemon_sets) all.push_back(&ds);
    explanation = fixes::explain(
        reporter, all, {},
        {.groups = true, .suggestions = true, .timelines = fixes::Details::Timelines::OfProblems});
  }

  [[nodiscard]] page::Json data() const {
    return report_data(explanation, reporter, {}, {}, {"kubectl-dsdoctor", "", false});
  }
  [[nodiscard]] page::Json json() const {
    Presentation style;
    style.by_class = true;
    return to_json(explanation, {}, style);
  }

  model::Cluster cluster;
  diagnosis::Reporter reporter;
  fixes::Explanation explanation;
};

std::string sizes_of(const page::Json& data) {
  std::string result;
  for (const auto& [key, value] : data.items())
    result += fmt::format("{} {}, ", key, value.dump().size());
  return result;
}

/// The verdict of each placement, as page.js reads it; with the number of its problem.
Numbers placements_of_page(const page::Json& placements) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  Numbers result;
  for (const auto& ds : placements["daemonSets"]) {
    const std::string of = ds["of"];
    const std::size_t width = ds["width"];
    REQUIRE(of.size() == width * placements["nodes"].size());
    for (std::size_t node = 0; node * width < of.size(); ++node) {
      std::size_t state = 0;
      for (std::size_t i = 0; i < width; ++i) {
        state = state * 64 + digits.find(of[node * width + i]);
      }
      if (state == 0) continue;
      const auto& [group, problem] = std::pair(ds["states"][state - 1][0].get<std::size_t>(),
                                               ds["states"][state - 1][1].get<std::size_t>());
      const std::string verdict = placements["texts"][ds["groups"][group][0].get<std::size_t>()];
      result[{ds["name"], placements["nodes"][node]}] = fmt::format("{} {}", verdict, problem);
    }
  }
  return result;
}

/// The same from the classes of `-o json --group` and the placements of problems.
Numbers placements_of_json(const Subject& subject) {
  Numbers result;
  const page::Json json = subject.json();
  for (const auto& ds : json["daemonSets"]) {
    const std::string name =
        fmt::format("{}/{}", ds["namespace"].get<std::string>(), ds["name"].get<std::string>());
    for (const auto& each : ds["classes"]) {
      for (const std::string node : each["nodes"]) {
        result[{name, node}] = fmt::format("{} 0", each["verdict"].get<std::string>());
      }
    }
  }
  const auto& problems = subject.explanation.problems.problems;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    CHECK(json["problems"][p]["id"] == problems[p].id);
    CHECK(json["problems"][p]["affected"]["placements"] == problems[p].placements.size());
    for (const diagnosis::Placement at : problems[p].placements) {
      const auto& report = subject.explanation.daemon_sets[at.daemon_set].report;
      std::string& of = result[{fmt::format("{}/{}", report.ns.view(), report.name.view()),
                                report.nodes[at.node].name.str()}];
      of = fmt::format("{} {}", of.substr(0, of.find(' ')), p + 1);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("a document is rendered as an HTML page", "[render][document]") {
  const Document document{
      "Nodes <1>",
      plain("cluster \"x\""),
      {Heading{2, plain("First")}, Paragraph{strong("error:", Tone::Wrong) + plain(" a < b & c")},
       Heading{2, code("second")}, Table{{plain("v")}, {{{plain("one"), plain("two")}}}},
       Heading{3, plain("below")}, Bullets{{plain("item")}},
       Commands{"kubectl patch -p '<x>'\nkubectl get", "sh"}}};
  const std::string page = document_page(document, {});
  CHECK_THAT(page, Catch::StartsWith("<!DOCTYPE html>\n<html lang=\"en\">"));
  CHECK_THAT(page, Contains("<title>Nodes &lt;1&gt;</title>"));
  CHECK_THAT(page, Contains("cluster &quot;x&quot;"));
  CHECK_THAT(page, Contains("<strong class=\"wrong\">error:</strong> a &lt; b &amp; c"));
  CHECK_THAT(page, Contains("<a href=\"#s2\"><code>second</code></a>"));
  CHECK_THAT(page, Contains("<h2 id=\"s2\"><code>second</code></h2>"));
  CHECK_THAT(page, Contains("<td><div>one</div><div>two</div></td>"));
  CHECK_THAT(
      page,
      Contains(
          "<pre tabindex=\"0\"><code>kubectl patch -p &apos;&lt;x&gt;&apos;\nkubectl get</code>"));
  CHECK_THAT(page, Contains("<h3>below</h3>"));
}

TEST_CASE("a page loads nothing and runs only its own script", "[render][page]") {
  const std::string hostile =
      "<script>alert(1)</script><img src=//x onerror=y>'\"{{{script}}}{{style}}";
  const Document document{
      hostile,
      plain(hostile),
      {Heading{2, plain(hostile)}, Paragraph{code(hostile) + strong(hostile)},
       Bullets{{plain(hostile)}}, Table{{plain(hostile)}, {{{plain(hostile)}}}},
       Commands{hostile, hostile},
       folded(plain(hostile), {Paragraph{plain(hostile)}, Heading{3, plain(hostile)}})}};
  std::string page = document_page(document, {hostile, hostile, false});
  CHECK_THAT(page, Contains("default-src 'none'"));
  CHECK(count_of(page, "<script") == 1);
  CHECK(count_of(page, "{{{script}}}") == 16);
  const std::string own = "http://www.w3.org/2000/svg";
  REQUIRE(count_of(page, own) == 1);
  page.erase(page.find(own), own.size());
  for (const char* never :
       {"<img", "url(", "http://", "https://", "@import", "style=\"", "onerror=y>'"}) {
    CAPTURE(never);
    CHECK(page.find(never) == page.npos);
  }
}

// kainjow/Mustache 4.1 renders a section about an empty text, unlike mustache.js: see
// findings/mustache-empty-text-is-true.sh.
TEST_CASE("a part of a page about an empty text is left out", "[render][page]") {
  const Document document{"Title", {}, {Paragraph{plain("text")}}};
  CHECK_THAT(document_page(document, {"x", "", false}), !Contains("To get this page again"));
  CHECK_THAT(document_page(document, {"x", "kubectl dsdoctor check", false}),
             Contains("To get this page again: <code>kubectl dsdoctor check</code>"));
}

TEST_CASE("the data of a page are those of JSON", "[render][page]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(5)));
  CAPTURE(seed);
  const Subject subject(testing::troubled_cluster(seed, {20 + 30 * seed, 8 * seed, 4 * seed}));
  const page::Json data = subject.data();
  const page::Json json = subject.json();
  const std::string text = data["data"];
  CHECK(text.find('<') == text.npos);
  CHECK(placements_of_page(page::Json::parse(text)) == placements_of_json(subject));
  std::set<std::size_t> numbers;
  std::vector<std::string> ids;
  for (const char* part : {"problems", "foldedProblems", "laterProblems"}) {
    for (const auto& problem : data[part]) {
      numbers.insert(problem["number"].get<std::size_t>());
      const auto& same = json["problems"][problem["number"].get<std::size_t>() - 1];
      CHECK(problem["anchor"] == fmt::format("p-{}", same["id"].get<std::string>()));
      CHECK(problem["severity"] == same["severity"]);
      CHECK(problem["action"] == same["action"]);
      if (problem["body"].is_object()) CHECK(problem["body"]["id"] == same["id"]);
    }
  }
  CHECK(numbers.size() == json["problems"].size());
  CHECK(data["daemonSets"].size() + data["healthyRows"].size() == json["daemonSets"].size());
}

TEST_CASE("links of a page have a target", "[render][page]") {
  const Subject subject(testing::troubled_cluster(3, {60, 20, 9}));
  const std::string text = page::filled_report(subject.data());
  std::size_t links = 0;
  for (std::size_t at = text.find("href=\"#n"); at != text.npos;
       at = text.find("href=\"#n", at + 1)) {
    const std::string target = text.substr(at + 7, text.find('"', at + 7) - at - 7);
    CAPTURE(target);
    CHECK(text.find(fmt::format("id=\"{}\"", target)) != text.npos);
    ++links;
  }
  CHECK(links > 50);
}

TEST_CASE("a page of many problems, long names and many nodes stays small", "[render][page]") {
  model::Cluster cluster;
  const std::string longest(253, 'n');
  for (int i = 0; i < 400; ++i) {
    model::Node node;
    node.meta.name = model::Text(fmt::format("{}{:03}", longest.substr(3), i));
    cluster.nodes.push_back(std::move(node));
  }
  for (int i = 0; i < 1'200; ++i) {
    model::DaemonSet ds;
    ds.meta.ns = model::Text(fmt::format("team-{}", i % 300));
    ds.meta.name = model::Text(fmt::format("{}{:04}", longest.substr(4), i));
    cluster.daemon_sets.push_back(std::move(ds));
  }
  const Subject subject(std::move(cluster));
  const std::string text = page::filled_report(subject.data());
  CHECK(subject.explanation.problems.problems.size() > 300);
  CAPTURE(sizes_of(subject.data()));
  CHECK(text.size() < 5'000'000);
  const Subject empty{model::Cluster()};
  const std::string nothing = page::filled_report(empty.data());
  CHECK_THAT(nothing, Contains("</html>") && !Contains("id=\"matrix\""));
}

}  // namespace dsdoctor::render
