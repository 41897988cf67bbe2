// SPDX-License-Identifier: Apache-2.0

// --redact with -o html and -o markdown.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test_program.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;
using Strings = std::vector<std::string>;

namespace {

std::string cluster(const std::string& name) {
  return std::string(DSDOCTOR_TESTDATA) + "/clusters/" + name + ".json";
}

/// Names of nodes and pods in a list, which redaction always replaces.
Strings names_in(const std::string& path) {
  std::ifstream file(path);
  Strings result;
  const auto list = nlohmann::json::parse(file);
  for (const auto& item : list["items"]) {
    if (item["kind"] == "Node" || item["kind"] == "Pod") {
      result.push_back(item["metadata"]["name"]);
    }
  }
  return result;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The name as a word of the text.
bool has_word(const std::string& text, const std::string& name) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
  };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_part(text[at - 1]);
    if (begins && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

/// The answers without and with --redact have the same problems and verdicts.
void check_alike(const Strings& words) {
  CAPTURE(words);
  Strings plain = words;
  plain.insert(plain.end(), {"-o", "html"});
  Strings redacted = plain;
  redacted.push_back("--redact");
  const cmd::Ran before = cmd::run_program(plain);
  const cmd::Ran after = cmd::run_program(redacted);
  CHECK(after.code == before.code);
  CHECK(before.code != 2);
  for (const char* part : {"<details class=\"problem wrong\"", "<details class=\"problem later\"",
                           "<td class=\"wrong\">", "<td class=\"good\">", "<tr data-node="}) {
    CAPTURE(part);
    CHECK(times(after.out, part) == times(before.out, part));
  }
  CHECK(after.out.find(".json") == after.out.npos);
}

}  // namespace

TEST_CASE("a redacted answer has no name of a node or a pod", "[cmd][redact]") {
  for (const char* name : {"mixed-40-nodes", "autoscaler-taint", "nfd-label-flip", "status-lag"}) {
    const std::string path = cluster(name);
    const Strings names = names_in(path);
    REQUIRE(names.size() > 3);
    for (const char* format : {"html", "markdown"}) {
      for (const char* command : {"explain", "check"}) {
        CAPTURE(name, format, command);
        const cmd::Ran ran =
            cmd::run_program({command, "-A", "-f", path, "-o", format, "--redact"});
        CHECK(ran.code < 2);
        for (const std::string& each : names) {
          CAPTURE(each);
          CHECK_FALSE(has_word(ran.out, each));
        }
        CHECK(ran.out.find(name) == ran.out.npos);
      }
    }
  }
}

TEST_CASE("a redacted answer is about the same objects", "[cmd][redact]") {
  const std::string path = cluster("mixed-40-nodes");
  check_alike({"explain", "-A", "-f", path});
  check_alike({"check", "-A", "-f", path});
  check_alike({"explain", "hungry", "-n", "big", "-f", path});
  check_alike({"explain", "-n", "storage", "-f", path});
  check_alike({"explain", "-A", "--node", "gpu-*", "-f", path});
  check_alike({"check", "-A", "--node-selector", "pool=win", "-f", path});
  check_alike({"explain", "-A", "-f", path, "--ignore", "sched-insufficient-cpu=big/hungry"});
  check_alike({"check", "-A", "--alert", "KubeDaemonSetMisScheduled", "-f", path});
  const cmd::Ran node =
      cmd::run_program({"explain", "node/gpu-1", "-f", path, "-o", "markdown", "--redact"});
  CHECK(node.code == 0);
  CHECK_THAT(node.out, Contains("# Node anon-node-") && Contains("2 problems need action"));
}

TEST_CASE("the error of --redact names the way for other formats and for changes",
          "[cmd][redact]") {
  const cmd::Ran table = cmd::run_program({"explain", "-A", "--demo", "--redact"});
  CHECK(table.code == 2);
  CHECK_THAT(table.err, Contains("snapshot --redact FILE"));
  const cmd::Ran changed =
      cmd::run_program({"explain", "-A", "--demo", "--redact", "-o", "html", "--cordon", "gpu-1"});
  CHECK(changed.code == 2);
  CHECK_THAT(changed.err, Contains("--redact cannot be used with --cordon"));
  CHECK(cmd::run_program({"taints", "-A", "--demo", "--redact"}).code == 2);
}
