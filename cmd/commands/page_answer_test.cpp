// SPDX-License-Identifier: Apache-2.0

// Parts of pages in HTML that depend on the whole answer: the color of the icon, the heading, and
// the label of DaemonSets without a problem.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "test_program.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;

namespace {

const std::string data = DSDOCTOR_TESTDATA;
const std::string mixed = data + "/clusters/mixed-40-nodes.json";

cmd::Ran page(std::vector<std::string> words) {
  words.insert(words.end(), {"-o", "html"});
  return cmd::run_program(words);
}

std::string icon(const std::string& color) { return "fill='%23" + color + "'"; }
const std::string red = icon("c4222b");
const std::string amber = icon("c98a00");
const std::string green = icon("1a7f37");
const std::string gray = icon("57606a");

}  // namespace

TEST_CASE("the icon of a page has the color of the exit code", "[cmd][page]") {
  const cmd::Ran wrong = page({"check", "-A", "-f", mixed});
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out, Contains(red));
  const cmd::Ran fine = page({"check", "kube-proxy", "-n", "kube-system", "--demo"});
  CHECK(fine.code == 0);
  CHECK_THAT(fine.out, Contains(green) && Contains("Nothing wrong<"));
  // Pods without a DaemonSet: nothing could be answered.
  const cmd::Ran none =
      page({"check", "-A", "-f", data + "/scenarios/partial-input/pods-alone.yaml"});
  CHECK(none.code == 2);
  CHECK_THAT(none.out, Contains(amber) && Contains("<h1>No DaemonSet was read</h1>"));
  const cmd::Ran some = page({"check", "-A", "-f", data + "/scenarios/inputs/one-page.json"});
  CHECK(some.code == 2);
  CHECK_THAT(some.out, Contains(amber) && !Contains("</b> healthy"));
  // Other answers have no verdict of their own.
  CHECK_THAT(page({"diff-nodes", "-A", "-f", mixed}).out, Contains(gray));
}

TEST_CASE("a page calls only those DaemonSets healthy of which all was asked", "[cmd][page]") {
  CHECK_THAT(page({"check", "-A", "-f", mixed}).out, Contains("<b>3</b> healthy DaemonSets"));
  const auto alert = page({"check", "-A", "--alert", "KubeDaemonSetMisScheduled", "-f", mixed});
  CHECK_THAT(alert.out, Contains("<b>6</b> DaemonSets: the condition does not hold") &&
                            !Contains("healthy DaemonSets"));
  const auto ignored = page({"check", "-A", "--ignore", "*", "-f", mixed});
  CHECK_THAT(ignored.out,
             Contains("<b>11</b> DaemonSets: without a problem (8 with ignored problems only)"));
  const auto nodes = page({"check", "-A", "--node", "gpu-*", "-f", mixed});
  CHECK_THAT(nodes.out, Contains("without a problem on these nodes") && Contains("4 of 39 nodes"));
}

TEST_CASE("documents name files without folders", "[cmd][page]") {
  const std::string incomplete = data + "/scenarios/inputs/one-page.json";
  for (const char* format : {"html", "markdown"}) {
    for (const char* command : {"check", "explain", "diff-nodes", "suggest", "taints"}) {
      CAPTURE(format, command);
      const cmd::Ran ran = cmd::run_program({command, "-A", "-f", incomplete, "-o", format});
      CHECK_FALSE(ran.out.empty());
      CHECK(ran.out.find("scenarios/inputs") == std::string::npos);
    }
    const cmd::Ran redacted =
        cmd::run_program({"check", "-A", "-f", incomplete, "-o", format, "--redact"});
    CHECK_THAT(redacted.out, !Contains("one-page"));
  }
}
