// SPDX-License-Identifier: Apache-2.0

// Checks the formats that other programs read against those programs' rules.

#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "diagnosis/catalogue/findings/rollout.h"
#include "render/data/prometheus.h"
#include "render/document/junit.h"

using namespace dsdoctor;
using namespace dsdoctor::render;

namespace {

const std::string hostile =
    "a\"b\\c\nd<e>&f'g]]>\x01\x1b[31m\x7f\xff\xed\xa0\x80\xef\xbf\xbf\xc3\xa9{}=,";

diagnosis::OwnNodeReport wrong_node(const std::string& name) {
  diagnosis::NodeState state;
  state.verdict = diagnosis::NodeVerdict::Missing;
  diagnosis::Finding finding;
  finding.id = diagnosis::FindingId::CreateRefused;
  finding.severity = diagnosis::Severity::Error;
  finding.message = diagnosis::phrase::PodIsRejected{.reason = hostile};
  state.findings = {finding, finding};
  return {name, std::move(state)};
}

fixes::Explanation explanation() {
  fixes::Explanation result;
  for (const std::string& name : {std::string("good"), std::string("bad"), hostile}) {
    auto& answer = result.daemon_sets.emplace_back();
    answer.report.ns = name;
    answer.report.name = name;
    answer.report.nodes.push_back({"n", {}});
    if (name == "good") continue;
    answer.report.nodes.push_back(wrong_node(hostile));
    diagnosis::NodeGroup& group = answer.groups.emplace_back();
    group.verdict = diagnosis::NodeVerdict::Missing;
    group.nodes = {1};
    answer.report.findings = {answer.report.nodes[1].findings()[0]};
    answer.has_problem = true;
    diagnosis::Problem& problem = result.problems.problems.emplace_back();
    problem.id = "p" + std::to_string(result.problems.problems.size());
    problem.finding = "create-refused";
    problem.title = problem.message = diagnosis::phrase::PodIsRejected{.reason = hostile};
    problem.severity = diagnosis::Severity::Error;
    problem.daemon_sets = {result.daemon_sets.size() - 1};
    problem.placements = {{static_cast<std::uint32_t>(result.daemon_sets.size() - 1), 1}};
    problem.nodes = {model::Text(hostile)};
  }
  auto& unknown = result.daemon_sets.emplace_back();
  unknown.report.name = "unknown";
  unknown.report.evaluated.pods_known = false;
  unknown.report.covered = false;
  return result;
}

/// Checks the rules of XML 1.0 that a writer can break: characters, nesting, attributes,
/// references.
void check_well_formed(std::string_view xml, std::vector<std::string>& elements) {
  std::vector<std::string> open;
  static const std::regex tag(
      R"xx(<(/?)([A-Za-z]+)((?: [A-Za-z]+="(?:[^<&"]|&(?:amp|lt|gt|quot);)*")*)(/?)>)xx");
  static const std::regex content(R"((?:[^<&]|&(?:amp|lt|gt|quot);)*)");
  const std::string_view declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  REQUIRE(xml.starts_with(declaration));
  const std::string text(xml.substr(declaration.size()));
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t next = std::min(text.find('<', at), text.size());
    CHECK(std::regex_match(text.substr(at, next - at), content));
    CHECK(text.substr(at, next - at).find("]]>") == std::string::npos);
    if (next == text.size()) break;
    std::smatch match;
    const std::size_t end = text.find('>', next);
    REQUIRE(end != std::string::npos);
    const std::string word = text.substr(next, end - next + 1);
    CAPTURE(word);
    REQUIRE(std::regex_match(word, match, tag));
    if (match[1].length() != 0) {
      REQUIRE_FALSE(open.empty());
      CHECK(open.back() == match[2]);
      open.pop_back();
    } else {
      elements.push_back(match[2]);
      if (match[4].length() == 0) open.push_back(match[2]);
    }
    at = end + 1;
  }
  CHECK(open.empty());
}

bool has_only_xml_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') return false;
    if (text.substr(i, 3) == "\xEF\xBF\xBF" || text.substr(i, 3) == "\xEF\xBF\xBE") return false;
    if (byte == 0xED && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0xA0) {
      return false;  // a surrogate
    }
    if (byte == 0xFF) return false;
  }
  return true;
}

struct Sample {
  std::string metric;
  std::string labels;
  std::string value;
};

/// Parses as `promtool check metrics` does: HELP, TYPE, then the samples of that metric.
std::vector<Sample> parse_exposition(const std::string& text) {
  static const std::regex help(R"(# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) [^\n]+)");
  static const std::regex type(R"(# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) gauge)");
  static const std::regex sample(
      R"xx(([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (-?[0-9]+))xx");
  REQUIRE(text.ends_with('\n'));
  std::vector<Sample> samples;
  std::set<std::string> seen;
  std::string current;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    std::smatch match;
    if (line.starts_with("# HELP")) {
      REQUIRE(std::regex_match(line, match, help));
      current = match[1];
      CHECK(seen.insert(current).second);  // the lines of a metric are contiguous
    } else if (line.starts_with("#")) {
      REQUIRE(std::regex_match(line, match, type));
      CHECK(match[1] == current);
    } else {
      REQUIRE(std::regex_match(line, match, sample));
      CHECK(match[1] == current);
      samples.push_back({match[1], match[2], match[3]});
      CHECK(seen.insert(current + "{" + match[2].str() + "}").second);  // every series is unique
    }
  }
  return samples;
}

}  // namespace

TEST_CASE("JUnit is well-formed for any names", "[render][junit]") {
  const std::string xml = junit_text(explanation(), {}, {}, {}, Presentation{});
  CHECK(has_only_xml_characters(xml));
  std::vector<std::string> elements;
  check_well_formed(xml, elements);
  std::map<std::string, int> counts;
  for (const std::string& element : elements) ++counts[element];
  CHECK(counts ==
        std::map<std::string, int>{
            {"testsuites", 1}, {"testsuite", 1}, {"testcase", 4}, {"failure", 2}, {"error", 1}});
  CHECK(xml.find("tests=\"4\" failures=\"2\" errors=\"1\"") != std::string::npos);
  CHECK(xml.find("message=\"1 problem needs action: ") != std::string::npos);
  CHECK(xml.find("classname=\"a&quot;b\\c\\nd&lt;e&gt;&amp;f'g]]&gt;U+0001^[[31mU+007F") !=
        std::string::npos);
}

TEST_CASE("JUnit reports an error if a DaemonSet was not read", "[render][junit]") {
  const std::string xml =
      junit_text({}, {}, {}, {"no DaemonSet was <read>", "another"}, Presentation{});
  std::vector<std::string> elements;
  check_well_formed(xml, elements);
  CHECK(xml.find("tests=\"2\" failures=\"0\" errors=\"2\"") != std::string::npos);
  CHECK(xml.find("message=\"another\"") != std::string::npos);
  CHECK(xml.find("message=\"no DaemonSet was &lt;read&gt;\"") != std::string::npos);
}

TEST_CASE("Prometheus can parse the exposition for any names", "[render][prometheus]") {
  std::vector<model::Omission> omissions(2);
  omissions[0].resource = "pods";
  const fixes::Explanation whole = explanation();
  const auto samples = parse_exposition(prometheus_text(whole, {}, omissions));
  std::map<std::string, int> counts;
  std::size_t affected = 0;
  for (const Sample& sample : samples) {
    ++counts[sample.metric];
    if (sample.metric == "dsdoctor_problem_placements") affected += std::stoul(sample.value);
    CHECK((sample.value != "0" || !sample.metric.starts_with("dsdoctor_problem")));
  }
  std::size_t expected = 0;
  for (const auto& problem : whole.problems.problems) expected += problem.placements.size();
  CHECK(affected == expected);
  CHECK(affected > 0);
  CHECK(counts["dsdoctor_problem"] == 2);
  CHECK(counts["dsdoctor_problems"] == 1);
  CHECK(counts["dsdoctor_finding_info"] == 1);
  CHECK(counts["dsdoctor_problem_node"] == 0);
  // "running" of three DaemonSets and "missing" of two; no node was read for the fourth.
  CHECK(counts["dsdoctor_daemonset_placements"] == 5);
  CHECK(counts["dsdoctor_omission"] == 2);
  CHECK(counts["dsdoctor_complete"] == 1);
  CHECK(counts["dsdoctor_read_timestamp_seconds"] == 1);
  CHECK(counts.count("dsdoctor_alert_condition") == 0);
  const auto value_of = [&](std::string_view labels) {
    for (const Sample& sample : samples) {
      if (sample.labels == labels) return sample.value;
    }
    return std::string("none");
  };
  CHECK(value_of(R"(namespace="bad",daemonset="bad",verdict="missing")") == "1");
  CHECK(value_of(R"(namespace="good",daemonset="good",verdict="missing")") == "none");
  CHECK(value_of(R"(id="p1",finding="create-refused",severity="error",action="needed",)"
                 R"(daemonset="bad",namespace="bad")") == "1");
  CHECK(value_of(R"(id="p2",finding="create-refused",severity="error",action="needed",)"
                 R"(daemonset="a\"b\\c\nd<e>&f'g]]>U+0001^[[31mU+007F)"
                 "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDU+FFFF\xC3\xA9"
                 R"({}=,",namespace="a\"b\\c\nd<e>&f'g]]>U+0001^[[31mU+007F)"
                 "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDU+FFFF\xC3\xA9"
                 R"({}=,")") == "1");
}

TEST_CASE("nodes have series if they are requested", "[render][prometheus]") {
  const std::string text = prometheus_text(explanation(), {}, {}, MetricLabels::WithNodes);
  int nodes = 0;
  for (const Sample& sample : parse_exposition(text)) {
    nodes += sample.metric == "dsdoctor_problem_node" ? 1 : 0;
  }
  CHECK(nodes == 2);
}

TEST_CASE("the number of series is bounded, that of problems is complete", "[render][prometheus]") {
  fixes::Explanation many = explanation();
  const diagnosis::Problem one = many.problems.problems.front();
  for (int i = 0; i < 5000; ++i) {
    many.problems.problems.push_back(one);
    many.problems.problems.back().id = "q" + std::to_string(i);
  }
  std::map<std::string, int> counts;
  std::string all;
  for (const Sample& sample : parse_exposition(prometheus_text(many, {}, {}))) {
    ++counts[sample.metric];
    if (sample.metric == "dsdoctor_problems") all = sample.value;
  }
  CHECK(counts["dsdoctor_problem"] == 1000);
  CHECK(all == "5002");
}

TEST_CASE("a problem of several DaemonSets is one series", "[render][prometheus]") {
  fixes::Explanation whole = explanation();
  whole.problems.problems.resize(1);
  whole.problems.problems[0].daemon_sets = {0, 1};
  CHECK(prometheus_text(whole, {}, {}).find("daemonset=\"\",namespace=\"\"} 1\n") !=
        std::string::npos);
  whole.daemon_sets[1].report.ns = "good";
  CHECK(prometheus_text(whole, {}, {}).find("daemonset=\"\",namespace=\"good\"} 1\n") !=
        std::string::npos);
}

TEST_CASE("the exposition has metrics of an alert", "[render][prometheus]") {
  fixes::Explanation asked = explanation();
  for (auto& answer : asked.daemon_sets) answer.alert.emplace();
  asked.daemon_sets[0].alert->holds = true;
  const std::string text = prometheus_text(asked, {}, {});
  const auto samples = parse_exposition(text);
  CHECK(text.find("dsdoctor_alert_condition{namespace=\"good\",daemonset=\"good\","
                  "alert=\"KubeDaemonSetNotScheduled\"} 1\n") != std::string::npos);
  CHECK(text.find("dsdoctor_alert_condition{namespace=\"bad\"") == std::string::npos);
}
