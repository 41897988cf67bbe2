// SPDX-License-Identifier: Apache-2.0
#include "render/document/catalogue_text.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "diagnosis/catalogue/catalogue.h"
#include "placement/verdict.h"
#include "render/words/reason_text.h"

using namespace dsdoctor;
using namespace dsdoctor::render;
using Catch::Matchers::Contains;

namespace {

constexpr diagnosis::StepPattern steps[] = {
    {"", false, "", "Look at it:", ""},
    {"", false, "", "", "kubectl --namespace {ns} get daemonset {ds} -o yaml"},
    {"it_is_wrong", false, "the tag is wrong", "fix the tag", ""}};
constexpr diagnosis::CatalogueEntry entries[] = {
    {"some-finding",
     diagnosis::Severity::Warning,
     diagnosis::Scope::DaemonSet,
     "daemonset",
     diagnosis::Family::Startup,
     "Something that takes a good many words to say | with a pipe",
     "status.x is compared with spec.y",
     "older-name",
     steps,
     {}},
    {"x",
     diagnosis::Severity::Info,
     diagnosis::Scope::Pod,
     "daemonset",
     diagnosis::Family::Pods,
     "Short",
     "by looking",
     "",
     {},
     {}}};
constexpr const diagnosis::CatalogueEntry& entry = entries[0];
constexpr const diagnosis::CatalogueEntry& other = entries[1];

/// Lines that could have been wrapped; a single word such as a field path may be longer than a
/// line.
std::vector<std::string> too_long(const std::string& text, std::size_t width) {
  std::vector<std::string> result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(' ');
    const bool one_word = line.find(' ', std::min(start, line.size())) == line.npos;
    if (line.size() > width && !one_word) result.push_back(line);
  }
  return result;
}

}  // namespace

TEST_CASE("the list has a heading for each family and fits the terminal", "[render][catalogue]") {
  Presentation style;
  style.width = 70;
  CHECK(catalogue_text(CatalogueEntries(entries), style) ==
        "startup\n"
        "  some-finding   warning    Something that takes a good many words to\n"
        "                            say | with a pipe\n"
        "\n"
        "pods\n"
        "  x              info       Short\n");
  for (const bool wide : {false, true}) {
    for (std::size_t width = 80; width < 200; ++width) {
      style.width = width;
      style.wide = wide;
      CAPTURE(width, wide);
      const std::string text = catalogue_text(diagnosis::listed_entries(), style);
      CHECK(too_long(text, width).empty());
      CHECK(text.find(" \n") == text.npos);
    }
  }
}

TEST_CASE("a single entry is shown with all details", "[render][catalogue]") {
  CHECK(catalogue_text(entry, Presentation{}) ==
        "some-finding    warning, scope daemonset, family startup, formerly older-name\n"
        "\n"
        "Meaning:\n"
        "  Something that takes a good many words to say | with a pipe.\n"
        "\n"
        "Detected:\n"
        "  status.x is compared with spec.y\n"
        "\n"
        "What to do:\n"
        "  Look at it:\n"
        "    kubectl --namespace NAMESPACE get daemonset NAME -o yaml\n"
        "  if it is wrong: if the tag is wrong: fix the tag\n");
  CHECK_THAT(catalogue_text(other, Presentation{}), !Contains("What to do"));
}

TEST_CASE("the whole catalogue contains every string of every entry", "[render][catalogue]") {
  const std::string text = whole_catalogue_text(diagnosis::listed_entries(), Presentation{});
  for (const auto& each : diagnosis::listed_entries()) {
    CAPTURE(each.id);
    CHECK_THAT(text, Contains(std::string(each.id)) && Contains(std::string(each.title)) &&
                         Contains(std::string(each.detected)));
    for (const auto& step : each.fix) {
      CHECK_THAT(text, Contains(std::string(step.condition)));
      if (step.text.find('{') == step.text.npos) CHECK_THAT(text, Contains(std::string(step.text)));
    }
  }
}

TEST_CASE("the catalogue is rendered as Markdown", "[render][catalogue]") {
  CHECK_THAT(markdown(catalogue_document(CatalogueEntries(entries))),
             Contains("| `some-finding` | warning | daemonset | Something that takes a good many "
                      "words to say \\| with a pipe |\n"));
  CHECK_THAT(markdown(catalogue_document(entry, {})),
             Contains("Look at it:\n\n```sh\nkubectl --namespace NAMESPACE get daemonset NAME -o "
                      "yaml\n```\n\nif it is wrong: if the tag is wrong: fix the tag\n"));
}

TEST_CASE("the catalogue is rendered as JSON", "[render][catalogue]") {
  const auto document = catalogue_json(CatalogueEntries(entries).first(1));
  CHECK(document["kind"].get<std::string>() == "Catalogue");
  CHECK(document["findings"][0].dump() ==
        R"({"id":"some-finding","family":"startup","severity":"warning","scope":"daemonset",)"
        R"("meaning":"Something that takes a good many words to say | with a pipe",)"
        R"("detected":"status.x is compared with spec.y",)"
        R"("fix":[{"text":"Look at it:","command":null,"condition":""},)"
        R"({"text":"","command":"kubectl --namespace {ns} get daemonset {ds} -o yaml",)"
        R"("condition":""},)"
        R"({"text":"fix the tag","command":null,"condition":"the tag is wrong"}],)"
        R"("alias":"older-name","words":[]})");
}

TEST_CASE("every kind of reason has an entry in the catalogue", "[render][catalogue]") {
  const placement::Reason reasons[] = {
      placement::NodeNameMismatch{}, placement::NodeSelectorMismatch{},
      placement::AffinityTermMismatch{}, placement::AffinityMatchesNothing{},
      placement::UntoleratedTaint{}};
  CHECK(std::size(reasons) == std::variant_size_v<placement::Reason>);
  std::set<std::string_view> kinds;
  for (const placement::Reason& reason : reasons) {
    CAPTURE(kind_of(reason));
    kinds.insert(kind_of(reason));
    const auto* found = diagnosis::find_listed(kind_of(reason));
    REQUIRE(found != nullptr);
    CHECK(found->family == diagnosis::Family::Reasons);
  }
  CHECK(std::ssize(kinds) == std::ranges::count(diagnosis::listed_entries(),
                                                diagnosis::Family::Reasons,
                                                &diagnosis::CatalogueEntry::family));
}
