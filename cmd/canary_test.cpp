// SPDX-License-Identifier: Apache-2.0

// No secret is in the output of any command, in any format, at any verbosity.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "decode/objects/object_json.h"
#include "line/formats.h"
#include "redaction/test_texts.h"
#include "test_live_cluster.h"
#include "testing/folder.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

const std::string canary = "CANARY-that-nobody-may-see";
/// The beginning of every canary.
const std::string front = "CANARY";

/// Objects whose keys are chosen by users.
bool is_map(const std::string& key) {
  static const std::set<std::string> maps = {"allocatable", "allocatedResources",
                                             "annotations", "capacity",
                                             "default",     "defaultRequest",
                                             "hard",        "labels",
                                             "limits",      "matchLabels",
                                             "max",         "maxLimitRequestRatio",
                                             "min",         "nodeSelector",
                                             "overhead",    "podFixed",
                                             "requests",    "used",
                                             "f:labels"};
  return maps.contains(key);
}

/// Adds canaries to fields in which people put secrets, in the objects where the API has them.
void add_known_secrets(json& object, const std::string& key) {
  const json pair = {{"name", "TOKEN"}, {"value", canary + "-env"}};
  if (key == "metadata") {
    object["annotations"]["canary.example/a"] = canary + "-annotation";
    object["managedFields"].push_back(
        {{"manager", "kubectl"},
         {"operation", "Update"},
         {"fieldsV1",
          {{"f:metadata", {{"f:annotations", {{"f:canary.example/a", json::object()}}}}}}}});
  }
  if (key == "containers" || key == "initContainers" || key == "ephemeralContainers") {
    object["env"].push_back(pair);
    object["args"].push_back("--token=" + canary);
    object["command"].push_back(canary + "-command");
    object["lifecycle"]["preStop"]["exec"]["command"] = {canary};
    object["startupProbe"] = {{"exec", {{"command", {canary + "-exec"}}}}};
    object["readinessProbe"]["httpGet"] = {{"path", "/x?token=" + canary}, {"port", 80}};
    object["livenessProbe"]["httpGet"] = {
        {"path", "/"},
        {"port", 80},
        {"host", canary},
        {"httpHeaders", {{{"name", "Authorization"}, {"value", "Bearer " + canary}}}}};
  }
  if (key == "volumes") {
    object["csi"]["volumeAttributes"]["password"] = canary + "-csi";
    object["flexVolume"]["options"]["password"] = canary + "-flex";
    object["gitRepo"]["repository"] = "https://u:" + canary + "@git.example/x";
    object["iscsi"]["initiatorName"] = canary;
  }
}

/// Adds to each object a field that no command reads, and canaries in fields for secrets. `key` is
/// the key of the object, or of the list that contains it.
void add_canaries(json& value, const std::string& key) {
  if (value.is_object() && !is_map(key)) {
    for (auto& [name, field] : value.items()) add_canaries(field, name);
    if (value.contains("message") && value["message"].is_string()) {
      value["message"] = value["message"].get<std::string>() + " https://u:" + canary +
                         "@h.example/x?token=" + canary;
    }
    value["undescribed"] = {{"x", canary + "-" + key}};
    add_known_secrets(value, key);
  } else if (value.is_array()) {
    for (json& element : value) add_canaries(element, key);
  }
}

/// The objects of a List with canaries, plus objects of kinds that are never read.
std::string with_canaries(json list) {
  for (json& item : list["items"]) {
    const std::string kind = item.value("kind", "");
    add_canaries(item, kind);
    if (kind == "DaemonSet") {
      json applied = item["spec"];
      applied["template"]["spec"]["hostname"] = canary;
      item["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
          json({{"spec", applied}}).dump();
    }
  }
  for (const char* kind : {"Secret", "ConfigMap"}) {
    list["items"].push_back({{"apiVersion", "v1"},
                             {"kind", kind},
                             {"metadata", {{"name", "a"}, {"namespace", "b"}}},
                             {"data", {{"password", canary}}}});
  }
  return list.dump();
}

/// A list with a value in each known field of each known type.
json filled_list() {
  model::Cluster cluster;
  std::size_t number = 0;
  redaction::testing::Filler([&](const std::string&) {
    return fmt::format("t{}", ++number);
  }).fill(cluster, "");
  json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
  const auto written =
      decode::each_object_json(cluster, [&](const decode::Json& object) -> base::Status {
        list["items"].push_back(json::parse(object.dump()));
        return std::monostate{};
      });
  REQUIRE(written);
  return list;
}

/// Returns "NAME -n NAMESPACE" of the first object of that kind.
Words first_of(const json& list, const std::string& kind) {
  const json& items = list["items"];
  const auto at =
      std::ranges::find_if(items, [&](const json& item) { return item["kind"] == kind; });
  if (at == items.end()) return {"none"};
  const json& meta = (*at)["metadata"];
  Words words = {meta["name"].get<std::string>()};
  if (meta.contains("namespace")) words.insert(words.end(), {"-n", meta["namespace"]});
  return words;
}

std::string last_node(const json& list) {
  std::string name;
  for (const json& item : list["items"]) {
    if (item["kind"] == "Node") name = item["metadata"]["name"];
  }
  return name;
}

Words joined_words(Words words, const Words& others) {
  words.insert(words.end(), others.begin(), others.end());
  return words;
}

/// All commands for this list, in each format.
std::vector<Words> questions(const json& list) {
  const Words ds = first_of(list, "DaemonSet");
  const Words pod = first_of(list, "Pod");
  const std::string node = first_of(list, "Node").front();
  const std::string other = last_node(list);
  Words explain_pod = joined_words({"explain"}, pod);
  explain_pod[1].insert(0, "pod/");
  const std::vector<Words> asked = {
      {"explain", "-A"},
      joined_words({"explain"}, ds),
      joined_words({"explain", "--node", node}, ds),
      {"explain", "node/" + node},
      explain_pod,
      {"diff-nodes", "-A"},
      {"diff-nodes", node, other},
      joined_words({"suggest"}, ds),
      {"check", "-A"},
      {"check", "-A", "--limit", "0"},
      joined_words({"check", "--alert", "KubeDaemonSetRolloutStuck"}, ds),
      {"taints", "-A"},
      {"snapshot", "-"},
      {"snapshot", "-", "--redact"}};
  std::vector<Words> result;
  for (const Words& words : asked) {
    result.push_back(words);
    for (const std::string& format : cmd::output_formats(words.front())) {
      result.push_back(joined_words(words, {"-o", format}));
    }
  }
  return result;
}

void check_clean(const std::string& text, const Words& words, const std::string& secret = front) {
  INFO(fmt::format("{}", fmt::join(words, " ")));
  const std::size_t at = text.find(secret);
  INFO(text.substr(at == text.npos ? 0 : at - std::min<std::size_t>(at, 200), 400));
  CHECK(at == text.npos);
}

json recorded_list(const std::string& name) {
  return json::parse(testing::read_file(DSDOCTOR_TESTDATA "/clusters/" + name + ".json"));
}

}  // namespace

TEST_CASE("no format of any answer contains a secret", "[secrets]") {
  const std::string name = GENERATE("", "mixed-40-nodes", "controller-forbidden");
  CAPTURE(name);
  const json list = name.empty() ? filled_list() : recorded_list(name);
  const testing::Folder folder;
  const std::string file = folder.write("list.json", with_canaries(list));
  std::size_t answered = 0;
  for (const Words& words : questions(list)) {
    const cmd::Ran ran = cmd::run_program(joined_words(words, {"-f", file}));
    answered += static_cast<std::size_t>(ran.code != 2 && !ran.out.empty());
    check_clean(ran.out + ran.err, words);
  }
  CHECK(answered > 60);
}

TEST_CASE("an answer does not contain probes or volumes or annotations of an edit", "[secrets]") {
  const std::string file = DSDOCTOR_TESTDATA "/hostile/spec-edits-secrets.json";
  for (const Words& words : questions(json::parse(testing::read_file(file)))) {
    const cmd::Ran ran = cmd::run_program(joined_words(words, {"-f", file}));
    check_clean(ran.out + ran.err, words);
  }
}

/// An error about broken syntax shows at most a dozen characters.
TEST_CASE("an error about a damaged file does not contain a secret", "[secrets]") {
  const testing::Folder folder;
  const std::string whole = with_canaries(filled_list());
  const std::size_t step = whole.size() / 150;
  for (std::size_t at = step; at < whole.size(); at += step) {
    const std::size_t quote = whole.find('"', at);
    std::string damaged = whole;
    for (const std::string& text :
         {whole.substr(0, at), damaged.replace(std::min(quote, damaged.size() - 1), 1, "7"),
          whole.substr(0, at) + "\n" + whole.substr(at)}) {
      const Words words = {"check", "-A", "-f", folder.write("x.json", text)};
      const cmd::Ran ran = cmd::run_program(words);
      check_clean(ran.out + ran.err, words, canary);
    }
  }
}

TEST_CASE("only verbosities that show bodies can show a secret", "[secrets]") {
  const json list = recorded_list("controller-forbidden");
  const testing::Folder folder;
  const cmd::LiveCluster live(folder.write("list.json", with_canaries(list)), "default");
  constexpr int first_with_bodies = 8;
  for (int verbosity = 0; verbosity <= 10; ++verbosity) {
    for (const Words& words :
         {Words{"explain", "-A"}, Words{"check", "-A", "-o", "json"}, Words{"snapshot", "-"},
          joined_words({"suggest"}, first_of(list, "DaemonSet"))}) {
      const auto ran = live.run(joined_words(words, {"-v", std::to_string(verbosity)}));
      check_clean(ran.out, words);
      if (verbosity < first_with_bodies) check_clean(ran.err, words);
    }
  }
}

namespace {

/// A pod template with the fields that people set; each of its texts and numbers is edited in turn.
const json rich_spec = json::parse(R"json({
  "selector": {"matchLabels": {"app": "a"}},
  "minReadySeconds": 1,
  "template": {
    "metadata": {"labels": {"app": "a"}, "annotations": {"vault.example/token": "x"}},
    "spec": {
      "activeDeadlineSeconds": 1, "hostname": "x", "subdomain": "x", "serviceAccountName": "x",
      "dnsConfig": {"nameservers": ["x"], "searches": ["x"], "options": [{"name": "a", "value": "x"}]},
      "hostAliases": [{"ip": "x", "hostnames": ["x"]}],
      "imagePullSecrets": [{"name": "x"}],
      "securityContext": {"seLinuxOptions": {"level": "x"}, "sysctls": [{"name": "x", "value": "x"}],
                          "windowsOptions": {"gmsaCredentialSpec": "x"}},
      "containers": [{
        "name": "c", "image": "i", "args": ["x"], "command": ["x"], "workingDir": "x",
        "env": [{"name": "A", "value": "x"},
                {"name": "B", "valueFrom": {"secretKeyRef": {"name": "x", "key": "x"}}}],
        "envFrom": [{"prefix": "x", "configMapRef": {"name": "x"}}],
        "lifecycle": {"preStop": {"httpGet": {"path": "x", "httpHeaders": [{"name": "a", "value": "x"}]}},
                      "postStart": {"exec": {"command": ["x"]}}},
        "livenessProbe": {"httpGet": {"path": "/?t=x", "host": "x",
                          "httpHeaders": [{"name": "a", "value": "x"}]}},
        "readinessProbe": {"exec": {"command": ["x"]}},
        "startupProbe": {"grpc": {"service": "x"}},
        "securityContext": {"seLinuxOptions": {"user": "x"}},
        "terminationMessagePath": "x",
        "volumeDevices": [{"name": "a", "devicePath": "x"}],
        "volumeMounts": [{"name": "a", "mountPath": "x", "subPathExpr": "x"}]
      }],
      "initContainers": [{"name": "init", "image": "i", "args": ["x"], "env": [{"name": "A", "value": "x"}]}],
      "ephemeralContainers": [{"name": "debug", "image": "i", "command": ["x"]}],
      "volumes": [
        {"name": "csi", "csi": {"driver": "d", "volumeAttributes": {"password": "x"},
                                "nodePublishSecretRef": {"name": "x"}}},
        {"name": "flex", "flexVolume": {"driver": "d", "options": {"password": "x"}}},
        {"name": "git", "gitRepo": {"repository": "x", "revision": "x"}},
        {"name": "iscsi", "iscsi": {"targetPortal": "x", "iqn": "x", "initiatorName": "x"}},
        {"name": "ceph", "cephfs": {"monitors": ["x"], "user": "x", "secretFile": "x"}},
        {"name": "rbd", "rbd": {"monitors": ["x"], "keyring": "x", "user": "x"}},
        {"name": "azure", "azureFile": {"secretName": "x", "shareName": "x"}},
        {"name": "nfs", "nfs": {"server": "x", "path": "x"}},
        {"name": "api", "downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "x"}}]}},
        {"name": "p", "projected": {"sources": [{"serviceAccountToken": {"audience": "x", "path": "x"}}]}},
        {"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {"volumeName": "x"}}}}
      ]
    }
  }
})json");

json list_of_both(const json& live, const json& applied) {
  json ds = {{"apiVersion", "apps/v1"},
             {"kind", "DaemonSet"},
             {"metadata", {{"name", "d"}, {"namespace", "x"}, {"generation", 2}}},
             {"spec", live}};
  ds["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
      json({{"spec", applied}}).dump();
  const json node = {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "n"}}}};
  return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", {node, ds}}};
}

}  // namespace

TEST_CASE("an edited field that may contain a secret is shown only by its path", "[secrets]") {
  const testing::Folder folder;
  std::size_t edited = 0;
  const json fields = rich_spec.flatten();
  for (const auto& [path, value] : fields.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    const std::size_t at = text.find('x');
    if (at == text.npos) continue;
    CAPTURE(path);
    const bool is_account = path == "/template/spec/serviceAccountName";  // its name is shown
    json changed = rich_spec;
    changed[json::json_pointer(path)] = std::string(text).replace(at, 1, is_account ? "y" : canary);
    for (const json& list : {list_of_both(changed, rich_spec), list_of_both(rich_spec, changed)}) {
      const std::string file = folder.write("x.json", list.dump());
      for (const Words& words :
           {Words{"explain", "-A", "-o", "wide"}, Words{"explain", "-A", "-o", "json"},
            Words{"check", "-A", "-o", "yaml"}, Words{"suggest", "d", "-n", "x"},
            Words{"snapshot", "-"}, Words{"snapshot", "-", "--redact"}}) {
        const cmd::Ran ran = cmd::run_program(joined_words(words, {"-f", file}));
        CHECK(ran.code != 2);
        check_clean(ran.out + ran.err, words);
      }
      const cmd::Ran ran = cmd::run_program({"explain", "-A", "-o", "json", "-f", file});
      CHECK(ran.out.find("spec.template.") != std::string::npos);  // the edit itself is reported
    }
    ++edited;
  }
  CHECK(edited > 45);
}
