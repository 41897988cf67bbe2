// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "render/terminal/texts.h"
#include "render/words/taint_text.h"

using namespace dsdoctor;
using namespace dsdoctor::render;
using Catch::Matchers::Contains;

namespace {

/// The number of code points. The text has no escape sequences, because it has no color.
std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Presentation style_of(std::size_t width, bool wide) {
  Presentation style;
  style.width = width;
  style.wide = wide;
  return style;
}

model::Cluster large_cluster(std::size_t taints, std::size_t daemon_sets) {
  model::Cluster cluster;
  for (std::size_t i = 0; i < taints; ++i) {
    model::Node& node = cluster.nodes.emplace_back();
    node.meta.name = "node-" + std::to_string(100 + i);
    node.taints = {{"example.com/team-" + std::to_string(10 + i), "", "NoSchedule"}};
  }
  for (std::size_t i = 0; i < daemon_sets; ++i) {
    model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
    ds.meta.ns = "ns";
    ds.meta.name = "agent-" + std::to_string(100 + i);
    // Five kinds of DaemonSets, each with the same tolerations.
    for (std::size_t taint = i % 5; taint < taints; taint += 5) {
      ds.pod_template.tolerations.push_back(
          {cluster.nodes[taint].taints[0].key, "Exists", "", "", std::nullopt});
    }
  }
  return cluster;
}

std::string text_of(const model::Cluster& cluster, const Presentation& style) {
  std::vector<const model::DaemonSet*> all;
  for (const auto& ds : cluster.daemon_sets) all.push_back(&ds);
  return taints_text(diagnosis::taint_matrix(cluster, all, {}), {}, {}, style);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t result = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++result;
  return result;
}

}  // namespace

TEST_CASE("a large matrix fits every width of a terminal", "[taints]") {
  const model::Cluster cluster = large_cluster(30, 100);
  for (const std::size_t width : {40u, 80u, 200u}) {
    for (const bool wide : {false, true}) {
      if (width < 80u && !wide) continue;  // rows of a table are not wrapped
      const std::string text = text_of(cluster, style_of(width, wide));
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        CAPTURE(width, wide, line);
        // Only a text without blanks may be wider.
        const auto first = line.find_first_not_of(' ');
        const bool one_word = first == line.npos || line.find(' ', first) == line.npos;
        CHECK((one_word || columns(line) <= width));
      }
    }
  }
}

TEST_CASE("DaemonSets that treat all taints alike share a line", "[taints]") {
  Presentation everything;
  everything.limit = 0;
  const std::string together = text_of(large_cluster(30, 100), everything);
  CHECK(count(together, "ns/agent-1") == 100);
  const auto matrix = together.substr(together.find("DaemonSets, by"));
  CHECK(std::ranges::count(matrix, '\n') == 1 + 1 + 5);  // legend, numbers, kinds
  const std::string wide = text_of(large_cluster(30, 100), style_of(0, true));
  const auto rows = wide.substr(wide.find("DaemonSets, by"));
  CHECK(std::ranges::count(rows, '\n') == 1 + 1 + 100);
}

TEST_CASE("every treatment of a taint has a mark", "[taints]") {
  model::Cluster cluster;
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.name = "n";
  node.taints = {{"a", "", "NoSchedule"},
                 {"b", "", "PreferNoSchedule"},
                 {"node-role.kubernetes.io/control-plane", "", "NoSchedule"},
                 {"node.kubernetes.io/unschedulable", "", "NoSchedule"}};
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.pod_template.tolerations = {{"a", "Exists", "", "", std::nullopt}};
  ds.pod_template.spec.host_pid = true;
  Presentation style;
  style.unicode = false;
  const std::string text = text_of(cluster, style);
  CHECK_THAT(text, Contains(" 1 2 3 4\n + - ! a  x/agent\n"));
  CHECK_THAT(text, Contains("Ignored: this effect"));
  CHECK_THAT(text, Contains("4  node.kubernetes.io/unschedulable:NoSchedule"));
  CHECK_THAT(text, Contains("tolerated by x/agent: tolerations[0], Exists a\n"));
  CHECK_THAT(text, Contains("tolerated by x/agent: by default, Exists "
                            "node.kubernetes.io/unschedulable:NoSchedule\n"));
}

TEST_CASE("all values of a key and effect share a row", "[taints]") {
  model::Cluster cluster = large_cluster(3, 2);
  for (model::Node& node : cluster.nodes) node.taints[0].key = "dedicated";
  cluster.nodes[0].taints[0].value = "db";
  cluster.nodes[1].taints[0].value = "web";
  cluster.nodes[2].taints[0].value = "web";
  cluster.daemon_sets[0].pod_template.tolerations = {
      {"dedicated", "Equal", "db", "", std::nullopt}};
  cluster.daemon_sets[1].pod_template.tolerations = {{"dedicated", "Exists", "", "", std::nullopt}};
  Presentation style;
  style.unicode = false;
  const std::string text = text_of(cluster, style);
  CHECK_THAT(text, Contains("1 taint on 3 of 3 nodes"));
  CHECK_THAT(text, Contains("1  dedicated:NoSchedule  db, web      3      -  node-100, node-101"));
  CHECK_THAT(text, Contains(" 1\n ~  ns/agent-100\n +  ns/agent-101\n"));
  style.wide = true;
  CHECK_THAT(text_of(cluster, style), Contains("2  dedicated=web:NoSchedule    2 nodes"));
}

TEST_CASE("names of nodes are below a table that is too wide for them", "[taints]") {
  model::Cluster cluster;
  for (const char* name : {"ip-10-0-1-7.eu-west-1.compute.internal", "n2"}) {
    model::Node& node = cluster.nodes.emplace_back();
    node.meta.name = name;
    node.taints = {{"example.com/reserved-for-the-team-of-databases", "tier-1", "NoSchedule"}};
  }
  const std::string beside = text_of(cluster, style_of(160, false));
  CHECK_THAT(beside, Contains("SINCE  ON\n") &&
                         Contains("-  ip-10-0-1-7.eu-west-1.compute.internal, n2\n"));
  const std::string below = text_of(cluster, style_of(90, false));
  CHECK_THAT(below, Contains("SINCE\n") &&
                        Contains("\n    on ip-10-0-1-7.eu-west-1.compute.internal, n2\n"));
  Presentation sorted = style_of(90, false);
  sorted.sort_by = "on";
  CHECK_THAT(text_of(cluster, sorted), Contains("SINCE  ON\n"));
}

TEST_CASE("hostile names do not break a line", "[taints]") {
  model::Cluster cluster = large_cluster(1, 1);
  cluster.nodes[0].meta.name = "n\x1b[31m\nfake";
  cluster.nodes[0].taints[0].value = "\x1b]0;x\x07";
  cluster.daemon_sets[0].meta.name = "d\nfake";
  for (const bool wide : {false, true}) {
    const std::string text = text_of(cluster, style_of(0, wide));
    CHECK(text.find('\x1b') == text.npos);
    CHECK(text.find("\nfake") == text.npos);
  }
}

TEST_CASE("a cluster without taints has a one-line answer", "[taints]") {
  CHECK(text_of(large_cluster(0, 3), {}) == "No taints on 0 nodes\n");
}

TEST_CASE("a known taint is described in a line", "[taints]") {
  model::KnownTaint known;
  known.meaning = "It is so.";
  CHECK(known_clause(known) == "It is so.");
  known.lifecycle = model::TaintLifecycle::Permanent;
  CHECK(known_clause(known) == "It is so. It is permanent.");
  known.set_by = "us (on Mondays)";
  CHECK(known_clause(known) == "It is so. Set by us (on Mondays); permanent.");
  known.setter = "us and others";
  CHECK(known_clause(known) == "It is so. Set by us and others; permanent.");
  known.lifecycle = model::TaintLifecycle::Unknown;
  CHECK(known_clause(known) == "It is so. Set by us and others.");
}
