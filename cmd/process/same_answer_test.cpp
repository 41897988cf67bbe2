// SPDX-License-Identifier: Apache-2.0

// The same cluster in other formats, with kinds left out, and in other commands.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "decode/cluster/snapshot.h"
#include "decode/yaml/yaml_to_json.h"
#include "test_program.h"
#include "testing/dump_layouts.h"
#include "testing/folder.h"
#include "testing/gzip_file.h"
#include "testing/packing.h"
#include "testing/troubled_cluster.h"

using namespace dsdoctor;
using testing::DumpLayout;
using Json = nlohmann::ordered_json;

namespace {

const std::string recorded_folder = std::string(DSDOCTOR_TESTDATA) + "/clusters/";
const std::string scenarios = std::string(DSDOCTOR_TESTDATA) + "/scenarios/";
constexpr const char* time_of_answers = "2026-11-21T00:00:00Z";

Json answer(const std::vector<std::string>& input, const std::string& text = {}) {
  std::vector<std::string> words = {"explain", "-A", "-o", "json", "--now", time_of_answers};
  words.insert(words.end(), input.begin(), input.end());
  const cmd::Ran ran = cmd::run_program(words, {}, {}, text);
  CAPTURE(ran.err);
  return ran.out.empty() ? Json() : Json::parse(ran.out);
}

/// The answer without its source and the warnings, which name files.
Json content(Json answer) {
  answer.erase("source");
  answer.erase("warnings");
  return answer;
}

// ---- formats

std::string plural_of(const Json& object) {
  const std::string kind = base::lower_case(object["kind"].get<std::string>());
  return kind + (kind.ends_with("s") ? "es" : "s");
}
std::string group_of(const Json& object) {
  const std::string version = object["apiVersion"];
  const std::size_t slash = version.find('/');
  return slash == std::string::npos ? "" : version.substr(0, slash);
}
std::string text_of(const Json& object, const char* key) {
  return object["metadata"].value(key, "");
}

/// The objects of each kind, in the order of the kinds' names.
std::map<std::string, Json> by_kind(const Json& items) {
  std::map<std::string, Json> result;
  for (const Json& item : items) {
    Json& list = result[item["kind"]];
    if (list.is_null()) list = Json::array();
    list.push_back(item);
  }
  return result;
}

std::string documents(const Json& items, const std::function<std::string(const Json&)>& write) {
  std::string result;
  for (const Json& item : items) result += write(item);
  return result;
}

std::string typed_lists(const Json& items, bool kind_first) {
  std::string result;
  for (auto& [kind, list] : by_kind(items)) {
    const Json head = {{"apiVersion", list[0]["apiVersion"]}, {"kind", kind + "List"}};
    Json whole = kind_first ? head : Json::object();
    whole["items"] = Json::array();
    for (Json item : list) {
      item.erase("apiVersion");
      item.erase("kind");
      whole["items"].push_back(std::move(item));
    }
    if (!kind_first) whole.update(head);
    result += whole.dump() + "\n";
  }
  return result;
}

/// `kubectl cluster-info dump` on standard output: logs between the lists.
std::string printed_dump(const Json& items) {
  std::string result;
  for (auto& [kind, list] : by_kind(items)) {
    const Json whole = {{"kind", kind + "List"},
                        {"apiVersion", list[0]["apiVersion"]},
                        {"metadata", {{"resourceVersion", "1"}}},
                        {"items", list}};
    result += whole.dump(4) + "\n==== START logs for container c of pod x/y ====\n" +
              "{\"level\": \"info\"}\n{ not json\n==== END logs for container c of pod x/y ====\n";
  }
  return result;
}

std::vector<testing::TarEntry> velero(const Json& items) {
  std::vector<testing::TarEntry> result = {{"metadata/version", "1.1.0"}};
  for (const Json& item : items) {
    const std::string group = group_of(item);
    const std::string ns = text_of(item, "namespace");
    const std::string resource = plural_of(item) + (group.empty() ? "" : "." + group);
    result.push_back({"resources/" + resource +
                          (ns.empty() ? "/cluster/" : "/namespaces/" + ns + "/") +
                          text_of(item, "name") + ".json",
                      item.dump()});
  }
  return result;
}

std::vector<testing::TarEntry> crust_gather(const Json& items) {
  std::vector<testing::TarEntry> result;
  for (const Json& item : items) {
    const std::string ns = text_of(item, "namespace");
    std::string version = item["apiVersion"];
    std::ranges::replace(version, '/', '-');
    result.push_back({(ns.empty() ? "cluster/" : "namespaces/" + ns + "/") + version + "/" +
                          base::lower_case(item["kind"].get<std::string>()) + "/" +
                          text_of(item, "name") + ".yaml",
                      testing::yaml_from_json(item.dump())});
  }
  return result;
}

std::vector<testing::TarEntry> manifests(const Json& items, const std::string& suffix) {
  std::vector<testing::TarEntry> result;
  for (const Json& item : items) {
    result.push_back({"cluster/" + std::to_string(result.size()) + suffix, item.dump()});
  }
  return result;
}

/// Every format that is written here, by name.
std::map<std::string, std::string> formats_of(const std::string& list) {
  const Json whole = Json::parse(list);
  const Json& items = whole["items"];
  Json reversed = Json::object();
  reversed["items"] = items;
  reversed["kind"] = "List";
  reversed["apiVersion"] = "v1";
  const auto yaml = [](const Json& item) { return "---\n" + testing::yaml_from_json(item.dump()); };
  const auto event = [](const Json& item) {
    return Json({{"type", "ADDED"}, {"object", item}}).dump() + "\n";
  };
  std::map<std::string, std::string> result = {
      {"one line", whole.dump()},
      {"indented", whole.dump(4)},
      {"items before the kind", reversed.dump(2)},
      {"objects one after the other",
       documents(items, [](const Json& item) { return item.dump() + "\n"; })},
      {"an array", items.dump()},
      {"lists of one kind", typed_lists(items, true)},
      {"lists of one kind that comes last", typed_lists(items, false)},
      {"YAML", testing::yaml_from_json(list)},
      {"YAML documents", documents(items, yaml)},
      {"watch events", documents(items, event)},
      {"a printed dump", printed_dump(items)},
      {"gzip", testing::gzip(list)},
      {"xz", testing::xz(list)},
      {"zstd", testing::zstd(list)},
      {"a list in an archive", testing::tar({{"cluster.json", list}})},
      {"manifests", testing::tar(manifests(items, ".json"))},
      {"manifests without an extension", testing::tar(manifests(items, ""))},
      {"Velero", testing::gzip(testing::tar(velero(items)))},
      {"crust-gather", testing::tar(crust_gather(items))},
  };
  const std::pair<const char*, DumpLayout> layouts[] = {
      {"cluster-info dump", DumpLayout::ClusterInfo}, {"must-gather", DumpLayout::MustGather},
      {"support bundle", DumpLayout::SupportBundle},  {"Sonobuoy", DumpLayout::Sonobuoy},
      {"an old Sonobuoy", DumpLayout::OldSonobuoy},
  };
  for (const auto& [name, layout] : layouts) {
    result[name] = testing::zstd(testing::tar(testing::dumped(list, layout)));
  }
  return result;
}

// ---- kinds left out

/// The objects in a file; none if it is not YAML.
Json objects_in(const std::string& file) {
  std::vector<model::Warning> warnings;
  const auto documents = decode::yaml_to_json(testing::read_file(file), file, warnings);
  Json result = Json::array();
  if (!documents) return result;
  for (const nlohmann::json& document : *documents) {
    if (!document.is_object()) continue;
    const auto items = document.find("items");
    if (items == document.end()) {
      result.push_back(Json(document));
    } else if (items->is_array()) {
      for (const auto& item : *items) result.push_back(Json(item));
    }
  }
  return result;
}

Json list_of(Json items) {
  return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}};
}

struct Told {
  std::string verdict;
  std::string action;  // empty if no problem affects the placement
};

/// The verdict and the action for each placement, by a name like "x/agent on n1".
std::map<std::string, Told> told_by(const Json& answer) {
  std::map<std::string, Told> result;
  for (const Json& ds : answer["daemonSets"]) {
    const std::string name =
        ds["namespace"].get<std::string>() + "/" + ds["name"].get<std::string>();
    for (const Json& node : ds["nodes"]) {
      Told& told = result[name + " on " + node["name"].get<std::string>()];
      told.verdict = node["verdict"];
      for (const Json& problem : answer["problems"]) {
        const Json& affected = problem["affected"];
        const auto has = [](const Json& list, const Json& value) {
          return std::ranges::find(list, value) != list.end();
        };
        if (has(affected["nodes"], node["name"]) && has(affected["daemonSets"], Json(name)) &&
            told.action != "needed") {
          told.action = problem["action"];
        }
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("a recorded cluster has one answer in all formats", "[cmd][inputs]") {
  const std::string name =
      GENERATE("autoscaler-taint.json", "controller-forbidden.json", "nfd-label-flip.json");
  const std::string list = testing::read_file(recorded_folder + name);
  const testing::Folder
      folder;  // each input has the same name, because answers have commands with it
  const Json expected = content(answer({"-f", folder.write("input", list)}));
  REQUIRE(!expected["problems"].empty());
  const auto formats = formats_of(list);
  CHECK(formats.size() >= 20);
  for (const auto& [format, text] : formats) {
    CAPTURE(name, format);
    const std::string file = folder.write("input", text);
    const Json found = content(answer({"-f", file}));
    CHECK(Json::diff(expected, found) == Json::array());
  }
}

TEST_CASE("an answer without some kinds does not contradict the whole one", "[cmd][inputs]") {
  std::size_t compared = 0;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenarios)) {
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  }
  for (const std::filesystem::path& file : files) {
    const Json objects = objects_in(file.string());
    const Json whole = answer({"-f", "-"}, list_of(objects).dump());
    if (whole.is_null()) continue;
    const auto expected = told_by(whole);
    for (const auto& [kind, unused] : by_kind(objects)) {
      if (kind == "DaemonSet" || kind == "Node") continue;  // verdicts depend on all of them
      Json others = Json::array();
      for (const Json& object : objects) {
        if (object["kind"] != kind) others.push_back(object);
      }
      const Json part = answer({"-f", "-"}, list_of(std::move(others)).dump());
      if (part.is_null()) continue;
      for (const auto& [placement, told] : told_by(part)) {
        const auto at = expected.find(placement);
        if (at == expected.end()) continue;
        CAPTURE(file, kind, placement, told.verdict, told.action, at->second.verdict);
        const bool of_pods = kind == "Pod";
        const bool may_differ =
            told.verdict == "unknown" || told.verdict == "excluded" || told.verdict == "missing";
        CHECK((told.verdict == at->second.verdict || (of_pods && may_differ)));
        CHECK_FALSE((at->second.action == "needed" && told.action == "none"));
        ++compared;
      }
    }
  }
  CHECK(compared > 500);
}

namespace {

/// The problems in the answer of a command to an input, by their ids: action and fix.
std::map<std::string, Json> problems_of(std::vector<std::string> words, const std::string& input) {
  words.insert(words.end(), {"-o", "json", "-f", "-", "--now", time_of_answers});
  const cmd::Ran ran = cmd::run_program(words, {}, {}, input);
  CAPTURE(words, ran.err);
  std::map<std::string, Json> result;
  if (ran.out.empty()) return result;
  const Json found = Json::parse(ran.out);
  for (const Json& problem : found["problems"]) {
    result[problem["id"]] = {{"action", problem["action"]}, {"fix", problem["fix"]}};
  }
  return result;
}

std::string troubled_list(std::uint64_t seed) {
  std::string result;
  const model::Cluster cluster = testing::troubled_cluster(seed, {.nodes = 20, .daemon_sets = 6});
  REQUIRE(decode::write_snapshot({}, cluster, [&](std::string_view piece) -> base::Status {
    result += piece;
    return std::monostate{};
  }));
  return result;
}

/// All recorded clusters, a story of each folder, and random clusters, by name.
std::map<std::string, std::string> clusters() {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> result;
  for (const auto& entry : fs::directory_iterator(recorded_folder)) {
    result[entry.path().string()] = testing::read_file(entry.path().string());
  }
  for (const auto& folder : fs::directory_iterator(scenarios)) {
    if (!folder.is_directory()) continue;
    std::set<fs::path> stories;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") stories.insert(entry.path());
    }
    if (stories.empty()) continue;
    result[stories.begin()->string()] = testing::read_file(stories.begin()->string());
  }
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    result["seed " + std::to_string(seed)] = troubled_list(seed);
  }
  return result;
}

}  // namespace

TEST_CASE("all commands report the same problems with the same fixes", "[cmd][inputs]") {
  std::size_t problems = 0;
  for (const auto& [name, input] : clusters()) {
    CAPTURE(name);
    const auto checked = problems_of({"check", "-A"}, input);
    problems += checked.size();
    CHECK(problems_of({"explain", "-A"}, input) == checked);
    // Those of a difference or of an alert are a part of them.
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"diff-nodes", "-A"},
             {"check", "-A", "--alert", "KubeDaemonSetMisScheduled"},
             {"check", "-A", "--alert", "KubeDaemonSetRolloutStuck"}}) {
      for (const auto& [id, problem] : problems_of(command, input)) {
        CAPTURE(command, id);
        REQUIRE(checked.contains(id));
        CHECK(checked.at(id) == problem);
      }
    }
  }
  CHECK(problems > 100);
}
