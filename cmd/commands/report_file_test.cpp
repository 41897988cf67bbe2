// SPDX-License-Identifier: Apache-2.0
#include "commands/report_file.h"

#include <catch2/catch.hpp>
#include <string>

#include "test_program.h"
#include "testing/folder.h"

namespace dsdoctor::cmd {
namespace {

const std::string report_input = std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json";

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t result = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) ++result;
  return result;
}

}  // namespace

TEST_CASE("a report has the same problems without the names", "[cmd][report]") {
  const testing::Folder folder;
  const std::string file = folder / "report.tar.gz";
  const Ran saved = run_program({"check", "-A", "-f", report_input, "--report", file});
  CHECK(saved.code == 1);
  CHECK(saved.out.find("NEEDS ACTION") != std::string::npos);
  CHECK(saved.err.find("Saved a redacted snapshot") != std::string::npos);
  CHECK(saved.err.find("warning") == std::string::npos);
  // The archive is an input like any other.
  const Ran again = run_program({"check", "-A", "-f", file});
  CHECK(again.code == 1);
  CAPTURE(again.out, again.err);
  const std::string summary = "8 problems need action, 1 resolves without action: 115 of 276";
  CHECK(saved.out.find(summary) != std::string::npos);
  CHECK(again.out.find(summary) != std::string::npos);
  CHECK(count_of(again.out, "critical") == count_of(saved.out, "critical"));
  for (const char* name : {"csi-node", "hungry", "ip-10-0-1-7", "notready-1"}) {
    CAPTURE(name);
    CHECK(saved.out.find(name) != std::string::npos);
    CHECK(again.out.find(name) == std::string::npos);
  }
  // Nothing is overwritten.
  const Ran twice = run_program({"check", "-A", "-f", report_input, "--report", file});
  CHECK(twice.code == 2);
  CHECK(twice.out.empty());
  CHECK(twice.err.find("exists") != std::string::npos);
}

TEST_CASE("a report is about what was read", "[cmd][report]") {
  const Ran what_if = run_program({"check", "-A", "--demo", "--cordon", "x", "--report", "y"});
  CHECK(what_if.code == 2);
  CHECK(what_if.err.find("--report saves what was read") != std::string::npos);
  const Ran missing = run_program({"check", "-A", "--demo", "--report", "/no/such/folder/x"});
  CHECK(missing.code == 2);
  CHECK_FALSE(missing.err.empty());
}

}  // namespace dsdoctor::cmd
