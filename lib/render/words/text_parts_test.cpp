// SPDX-License-Identifier: Apache-2.0
#include "render/words/text_parts.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace dsdoctor::render {
namespace {

model::Omission events_of(std::string ns, std::string message = "Forbidden") {
  return {"events", std::move(ns), "Forbidden", std::move(message), "rejections are unknown"};
}

}  // namespace

TEST_CASE("omissions in several namespaces are one sentence", "[render]") {
  using Sentences = std::vector<std::string>;
  CHECK(omission_sentences({events_of("a")}) ==
        Sentences{"Not known: events of namespace a (Forbidden): rejections are unknown"});
  CHECK(omission_sentences({events_of("a"), events_of("b", "timed out"), events_of("c")}) ==
        Sentences{"Not known: events of namespaces a, c (Forbidden): rejections are unknown",
                  "Not known: events of namespace b (timed out): rejections are unknown"});
  CHECK(omission_sentences({events_of("a", "no list in the namespace \"a\""),
                            events_of("b", "no list in the namespace \"b\"")}) ==
        Sentences{"Not known: events of namespaces a, b (no list): rejections are unknown"});
  const auto account_of = [](const std::string& ns) {
    const std::string who = R"(" is forbidden: User "eve" cannot get resource "events")";
    return events_of(ns, "events \"of-" + ns + who + " in the namespace \"" + ns + "\"");
  };
  CHECK(omission_sentences({account_of("a"), account_of("b")}) ==
        Sentences{R"(Not known: events of namespaces a, b (events is forbidden: User "eve" cannot )"
                  R"(get resource "events"): rejections are unknown)"});
  CHECK(omission_sentences({events_of(""), events_of("a")}) ==
        Sentences{"Not known: events (Forbidden): rejections are unknown",
                  "Not known: events of namespace a (Forbidden): rejections are unknown"});
}

TEST_CASE("omissions of several resources with one consequence are one sentence", "[render]") {
  const auto lacks = [](std::string resource, std::string ns, std::string reason = "Forbidden") {
    std::string message = resource + " is forbidden";
    return model::Omission{std::move(resource), std::move(ns), std::move(reason),
                           std::move(message), "taints of devices are unknown"};
  };
  using Sentences = std::vector<std::string>;
  CHECK(omission_sentences({lacks("resourceclaims", "a"), lacks("resourceclaims", "b"),
                            lacks("resourceslices", ""), lacks("devicetaintrules", "")}) ==
        Sentences{"Not known: resourceclaims of namespaces a, b, resourceslices, devicetaintrules "
                  "(resourceclaims is forbidden; 2 similar errors): taints of devices are "
                  "unknown"});
  CHECK(omission_sentences({lacks("resourceclaims", ""), lacks("resourceslices", "", "Timeout")})
            .size() == 2);
}

TEST_CASE("the texts of an omission are limited in a sentence", "[render]") {
  const std::string text(20'000, 'x');
  const model::Omission omission = {text, text, text, text, text};
  const std::vector<std::string> sentences = omission_sentences({omission});
  REQUIRE(sentences.size() == 1);
  CHECK(sentences[0].size() < 4'000);
  CHECK(sentences[0].find("bytes") != std::string::npos);  // the number of omitted bytes is shown
}

TEST_CASE("a cell has as many names as fit and shortens the first", "[render]") {
  const std::vector<model::Text> names = {"node-one.example", "node-two.example", "c"};
  CHECK(names_within(names, 100) == "node-one.example, node-two.example, c");
  CHECK(names_within(names, 36) == "node-one.example and 2 more");
  CHECK(names_within(names, 27) == "node-one.example and 2 more");
  CHECK(names_within(names, 26) == "node-one...mple and 2 more");
  CHECK(names_within(names, 22) == "node-o...le and 2 more");
  CHECK(names_within(names, 21) == "3 in all");
  CHECK(names_within(std::vector<model::Text>{"node-one.example"}, 15) == "node-one...mple");
  CHECK(names_within(std::vector<model::Text>{"short"}, 2) == "short");
  CHECK(names_within(std::vector<model::Text>(), 2).empty());
}

TEST_CASE("the mark of a verdict depends on the action that is needed", "[render]") {
  using diagnosis::NodeVerdict;
  const diagnosis::DaemonSetReport report;
  Style style;
  const auto label = [&](const ActionCounts& actions) {
    return verdict_label(NodeVerdict::Misscheduled, report, actions, 0, style);
  };
  CHECK(label({}) == "! MISSCHEDULED");
  CHECK(label({.needed = 1, .none = 2}) == "! MISSCHEDULED");
  CHECK(label({.none = 2}) == "~ MISSCHEDULED");
  style.color = true;
  const auto color_of = [&](const ActionCounts& actions) { return label(actions).substr(0, 5); };
  CHECK(color_of({.needed = 1}) == "\x1b[31m");
  CHECK(color_of({.overdue = 1}) == "\x1b[33m");
  CHECK(color_of({.none = 1}) == "\x1b[36m");
  // Never by color alone.
  CHECK(action_clause({.needed = 2}).empty());
  CHECK(action_clause({.overdue = 2}) == "overdue");
  CHECK(action_clause({.none = 2}) == "resolves without action");
  CHECK(action_clause({.needed = 1, .none = 2}) == "2 resolve without action");
  CHECK(action_clause({.needed = 1, .overdue = 3, .none = 1}) ==
        "3 overdue, 1 resolves without action");
  CHECK(action_clause({.overdue = 1, .none = 1}) == "1 overdue, 1 resolves without action");
}

}  // namespace dsdoctor::render
