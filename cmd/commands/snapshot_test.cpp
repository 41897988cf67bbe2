// SPDX-License-Identifier: Apache-2.0

// A snapshot gives the same answers as its source; and how its file is written.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands/snapshot_file.h"
#include "test_program.h"
#include "testing/folder.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

const model::Time now =
    model::Time(std::chrono::sys_days{std::chrono::year{2026} / 11 / 21}) + std::chrono::hours(2);

using Answer = cmd::Ran;

Answer run_at(const Words& words, model::Time at = now, const std::string& input = {}) {
  return cmd::run_program(words, {.variables = {{"LANG", "C.UTF-8"}}, .working_directory = {}}, at,
                          input);
}

std::string recording(const std::string& name) {
  return DSDOCTOR_TESTDATA "/clusters/" + name + ".json";
}

/// The document without its source: the commands in it name the file.
json without_source(const Answer& answer, const std::string& file = {}) {
  std::string text = answer.out;
  for (std::size_t at = text.find(file); !file.empty() && at != text.npos; at = text.find(file)) {
    text.replace(at, file.size(), "FILE");
  }
  json document = json::parse(text);
  document.erase("source");
  return document;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a snapshot gives the answers of its source at any later time", "[snapshot]") {
  const std::string name =
      GENERATE("autoscaler-taint-patched", "autoscaler-taint", "controller-forbidden",
               "mixed-40-nodes", "nfd-label-flip", "status-lag");
  CAPTURE(name);
  const testing::Folder folder;
  const std::string file = folder / "x.json.zst";
  REQUIRE(run_at({"snapshot", file, "-f", recording(name)}).code == 0);
  const Answer original = run_at({"check", "-A", "-o", "json", "-f", recording(name)});
  const Answer saved =
      run_at({"check", "-A", "-o", "json", "-f", file}, now + std::chrono::days(400));
  CHECK(without_source(saved, file) == without_source(original, recording(name)));
  CHECK(saved.code == original.code);
  const json source = json::parse(saved.out)["source"];
  CHECK(source["kind"] == "snapshot");
  CHECK(source["savedFrom"] == "files");
  CHECK(source["readAt"] == json::parse(original.out)["source"]["asOf"]);
}

TEST_CASE("the extension of the file name selects the compression", "[snapshot]") {
  const testing::Folder folder;
  const Words check = {"check", "-A", "-o", "json", "-f"};
  const json demo = without_source(run_at({"check", "-A", "-o", "json", "--demo"}), "--demo");
  for (const auto& [name, opening] :
       {std::pair("x.json", "{"), std::pair("x.JSON.GZ", "\x1f\x8b"),
        std::pair("x.json.zst", "\x28\xb5\x2f\xfd"), std::pair("x.state", "\x28\xb5\x2f\xfd")}) {
    CAPTURE(name);
    const std::string file = folder / name;
    REQUIRE(run_at({"snapshot", file, "--demo"}).code == 0);
    CHECK(testing::read_file(file).starts_with(opening));
    Words words = check;
    words.push_back(file);
    CHECK(without_source(run_at(words), "-f " + file) == demo);
  }
}

TEST_CASE("a snapshot of a snapshot is the same", "[snapshot]") {
  const Answer first = run_at({"snapshot", "-", "--demo"});
  const Answer second = run_at({"snapshot", "-", "-f", "-"}, now + std::chrono::days(1), first.out);
  CHECK(first.code == 0);
  CHECK(second.code == 0);
  CHECK(second.out.size() < first.out.size() + 100);
  const Words check = {"check", "-A", "-o", "json", "-f", "-"};
  const Answer a = run_at(check, now, first.out);
  const Answer b = run_at(check, now, second.out);
  CHECK(a.out == b.out);
}

TEST_CASE("a redacted snapshot has the same summary", "[snapshot]") {
  const std::string file = recording("mixed-40-nodes");
  const Answer plain = run_at({"snapshot", "-", "-f", file});
  const Answer redacted = run_at({"snapshot", "-", "--redact", "-f", file});
  const Words explain = {"explain", "-A", "-o", "json", "-f", "-"};
  const json before = json::parse(run_at(explain, now, plain.out).out);
  const json after = json::parse(run_at(explain, now, redacted.out).out);
  CHECK(after["summary"] == before["summary"]);
  CHECK(after["daemonSets"].size() == before["daemonSets"].size());
  CHECK(run_at(explain, now, redacted.out).out.find("datadog-agent") == std::string::npos);
}

TEST_CASE("a snapshot of some DaemonSets has an omission for the others", "[snapshot]") {
  const Answer part = run_at({"snapshot", "-", "-n", "datadog", "--demo"});
  REQUIRE(part.code == 0);
  const Answer answer = run_at({"check", "-A", "-o", "json", "-f", "-"}, now, part.out);
  const json document = json::parse(answer.out);
  CHECK(document["summary"]["daemonSets"] == 1);
  REQUIRE(document["omissions"].size() == 1);
  CHECK(document["omissions"][0]["reason"] == "NotSelected");
}

TEST_CASE("an existing file is not overwritten", "[snapshot]") {
  const testing::Folder folder;
  const std::string file = folder.write("x.json.zst", "mine");
  const Answer refused = run_at({"snapshot", file, "--demo"});
  CHECK(refused.code == 2);
  CHECK(refused.err == "error: " + file + ": the file exists; use --force to overwrite it\n");
  CHECK(testing::read_file(file) == "mine");
  CHECK(run_at({"snapshot", file, "--demo", "--force"}).code == 0);
  CHECK(testing::read_file(file) != "mine");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a failed write leaves no file behind", "[snapshot]") {
  const testing::Folder folder;
  const Answer nowhere = run_at({"snapshot", folder / "no/x.json.zst", "--demo"});
  CHECK(nowhere.code == 2);
  CHECK(nowhere.err == "error: " + (folder / "no/x.json.zst") +
                           ": cannot be written: No such file or directory\n");
  const Answer is_folder = run_at({"snapshot", folder.path(), "--demo", "--force"});
  CHECK(is_folder.code == 2);
  CHECK(is_folder.err == "error: " + folder.path() + ": is a folder; expected a file name\n");
  CHECK(run_at({"snapshot", "/dev/null", "--demo", "--force"}).code == 2);
  CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("a snapshot is named after its source and time", "[snapshot]") {
  model::SourceInfo info;
  info.kind = "cluster";
  info.read_at = now;
  CHECK(cmd::snapshot_name(info) == "dsdoctor-cluster-20261121T020000Z.json.zst");
  info.context = "arn:aws:eks:x/prod";
  CHECK(cmd::snapshot_name(info) == "dsdoctor-arn-aws-eks-x-prod-20261121T020000Z.json.zst");
  info.context = "";
  info.kind = "snapshot";
  info.saved_from = "demo";
  CHECK(cmd::snapshot_name(info) == "dsdoctor-demo-20261121T020000Z.json.zst");
}

TEST_CASE("a snapshot of the same state has no differences", "[snapshot]") {
  const testing::Folder folder;
  const std::string file = folder / "x.json.zst";
  REQUIRE(run_at({"snapshot", file, "--demo"}).code == 0);
  const Answer same = run_at({"diff-nodes", "-A", "--since", file, "--demo"});
  CHECK(same.code == 0);
  const std::string history = std::string(DSDOCTOR_TESTDATA) + "/scenarios/history/";
  const Answer later = run_at({"diff-nodes", "-A", "-o", "json", "--since",
                               history + "before.json.zst", "-f", history + "cluster.yaml"});
  CHECK(later.code == 1);
  const json document = json::parse(later.out);
  CHECK(document["kind"] == "NodeHistory");
  CHECK(document["since"]["source"]["kind"] == "snapshot");
  CHECK(document["nodes"].size() == 5);

  const Answer other = run_at({"diff-nodes", "-A", "--since", file, "-f", recording("status-lag")});
  CHECK(other.code == 2);  // another cluster, with nodes of the same names
  CHECK(other.err.find("these are two clusters") != std::string::npos);
}
