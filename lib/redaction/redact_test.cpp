// SPDX-License-Identifier: Apache-2.0
#include "redaction/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "decode/cluster/documents.h"
#include "diagnosis/reporter.h"
#include "redaction/pseudonyms.h"
#include "redaction/test_texts.h"
#include "testing/cluster_reader.h"
#include "testing/cluster_story.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using redaction::testing::bytes_of;

namespace {

model::Cluster redacted(const model::Cluster& cluster) {
  return redaction::redact({cluster, {}, {}, {}}).cluster;
}

/// The latest time in a cluster, which is the time of reading.
model::Time time_of(const model::Cluster& cluster) {
  model::Time latest{};
  for (const model::Event& event : cluster.events) {
    if (event.last) latest = std::max(latest, *event.last);
  }
  for (const model::Node& node : cluster.nodes) {
    for (const auto& condition : node.conditions) {
      if (condition.last_heartbeat) latest = std::max(latest, *condition.last_heartbeat);
    }
  }
  return latest;
}

void add_findings(std::string& into, const std::vector<diagnosis::Finding>& findings) {
  std::multiset<std::string> ids;
  for (const diagnosis::Finding& finding : findings) {
    ids.insert(fmt::format("{}:{}", finding.name(), to_string(finding.severity)));
  }
  for (const std::string& id : ids) into += " " + id;
}

/// A line per node: verdict, kinds of reasons and findings. The first line is about the DaemonSet.
std::vector<std::string> lines_of(const diagnosis::DaemonSetReport& report) {
  const auto& counts = report.evaluated.counts;
  std::string first = std::to_string(counts.desired_number_scheduled) + " " +
                      std::to_string(counts.current_number_scheduled) + " " +
                      std::to_string(counts.number_misscheduled) + " " +
                      std::to_string(counts.number_ready) + " " +
                      std::to_string(counts.number_available) + " " +
                      std::to_string(counts.updated_number_scheduled) + " " +
                      std::string(to_string(report.workload.kind));
  add_findings(first, report.findings);
  std::vector<std::string> lines{first};
  for (const diagnosis::NodeReport& node : report.nodes) {
    std::string line{to_string(node.verdict())};
    for (const auto& reason : node.reasons()) line += " " + std::to_string(reason.index());
    line += " " + std::to_string(node.pods().size()) + " pods";
    add_findings(line, node.findings());
    lines.push_back(line);
  }
  // Nodes that keep their names change their position among the others.
  std::sort(lines.begin() + 1, lines.end());
  return lines;
}

/// The lines of all DaemonSets, sorted, because renamed ones change their position.
std::vector<std::vector<std::string>> judged(const model::Cluster& cluster, model::Time now) {
  diagnosis::ReportOptions options;
  options.now = now;
  const diagnosis::Reporter reporter(cluster, options);
  std::vector<std::vector<std::string>> result;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    result.push_back(lines_of(reporter.report(ds)));
  }
  std::ranges::sort(result);
  return result;
}

const std::vector<std::string> recordings = {"autoscaler-taint-patched", "autoscaler-taint",
                                             "controller-forbidden",     "mixed-40-nodes",
                                             "nfd-label-flip",           "status-lag"};

/// The texts that a redacted cluster must not contain.
std::set<std::string> secrets_of(const model::Cluster& cluster) {
  std::set<std::string> result;
  const auto add = [&](const model::Text& text) {
    constexpr std::size_t told_from_words = 4;  // the name "x" would be in every word with an x
    if (text.view().size() >= told_from_words) result.insert(text.str());
  };
  for (const model::Node& node : cluster.nodes) {
    add(node.meta.name);
    add(node.meta.uid.str());
    if (const auto* host = node.meta.labels.find("kubernetes.io/hostname")) add(*host);
  }
  for (const model::Pod& pod : cluster.pods) {
    add(pod.meta.name);
    add(pod.meta.uid.str());
    for (const auto& container : pod.spec->containers) add(container.image);
  }
  for (const model::Event& event : cluster.events) add(event.meta.name);
  for (const model::DaemonSet& ds : cluster.daemon_sets) add(ds.meta.uid.str());
  return result;
}

std::vector<std::string> addresses_in(const std::string& bytes) {
  std::vector<std::string> result;
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '9') ++at;
    return at - from;
  };
  while (at < bytes.size()) {
    const bool inside = at > 0 && (std::isalnum(static_cast<unsigned char>(bytes[at - 1])) != 0 ||
                                   bytes[at - 1] == '.' || bytes[at - 1] == '-');
    const std::size_t start = at;
    int parts = 0;
    while (!inside && parts < 4) {
      const std::size_t count = digits();
      if (count == 0 || count > 3) break;
      if (++parts == 4 || at >= bytes.size() || bytes[at] != '.') break;
      ++at;
    }
    if (parts == 4) result.push_back(bytes.substr(start, at - start));
    at = std::max(at, start + 1);
  }
  return result;
}

}  // namespace

TEST_CASE("a redacted recorded cluster has the same findings", "[redaction]") {
  const std::string name = GENERATE(from_range(recordings));
  CAPTURE(name);
  const model::Cluster cluster = testing::recorded_cluster(name);
  const model::Time now = time_of(cluster);
  CHECK(judged(redacted(cluster), now) == judged(cluster, now));
}

TEST_CASE("a redacted random cluster has the same findings", "[redaction]") {
  const std::string name = GENERATE("valid-1", "valid-2", "valid-3", "valid-4", "wild-5", "wild-6");
  CAPTURE(name);
  const auto file =
      nlohmann::json::parse(testing::read_gzip(DSDOCTOR_TESTDATA "/oracle/" + name + ".json.gz"));
  const model::Cluster cluster = testing::cluster_from_json(file["cluster"].dump());
  const auto before = judged(cluster, {});
  const auto after = judged(redacted(cluster), {});
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CAPTURE(i);
    REQUIRE(after[i] == before[i]);
  }
}

void each_scenario(const auto& visit) {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(DSDOCTOR_TESTDATA "/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    CAPTURE(entry.path().string());
    decode::ClusterBuilder builder;
    std::vector<model::Warning> warnings;
    const std::string file = entry.path().string();
    if (!decode::read_documents(testing::read_file(file), file, builder, warnings)) continue;
    visit(builder.build());
  }
}

TEST_CASE("a redacted scenario has the same findings and no telling words", "[redaction]") {
  constexpr std::int64_t replayed_at = 1'795'219'200;  // 2026-11-21 00:00 UTC
  const model::Time now{std::chrono::seconds(replayed_at)};
  std::size_t clusters = 0;
  each_scenario([&](const model::Cluster& cluster) {
    model::Cluster before = cluster;
    diagnosis::record_drivers_of_names(before);  // as before a redacted snapshot is saved
    const model::Cluster after = redacted(before);
    CHECK(judged(after, now) == judged(cluster, now));
    CHECK(redaction::testing::words_left(bytes_of(cluster), bytes_of(after)) ==
          redaction::testing::WordSet{});
    ++clusters;
  });
  CHECK(clusters > 100);
}

TEST_CASE("names in any field leave no telling words", "[redaction]") {
  const std::string file = DSDOCTOR_TESTDATA "/hostile/redaction.json";
  const std::string text = testing::read_file(file);
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  REQUIRE(decode::read_documents(text, file, builder, warnings));
  const std::string after = bytes_of(redacted(builder.build()));
  // Its addresses are in 2001:db8::/32, like the replacements.
  CHECK(redaction::testing::words_left(text, after) == redaction::testing::WordSet{"db8"});
  CHECK(after.find("db8:77") == after.npos);
  CHECK(after.find("zq") == after.npos);  // a part of each of its names
}

/// A cluster whose names are words of messages: the redacted cluster with these words in place of
/// all replacements.
model::Cluster named_badly(const model::Cluster& cluster, std::size_t turn) {
  const std::vector<std::string> words = {"agent",
                                          "node",
                                          "pod",
                                          "cpu",
                                          "default",
                                          "pods",
                                          "memory",
                                          "x",
                                          "a",
                                          "0",
                                          "exceeded",
                                          "quota",
                                          "kube-system",
                                          "forbidden",
                                          "not",
                                          "found",
                                          "image",
                                          "nodes",
                                          "available",
                                          "insufficient",
                                          "limited",
                                          "used",
                                          "ports",
                                          "system",
                                          "daemon",
                                          "webhook",
                                          "denied",
                                          "request",
                                          "account",
                                          "error",
                                          "not-ready",
                                          "back-off",
                                          "user",
                                          "on-node",
                                          "pod-x",
                                          "volume",
                                          "taint",
                                          "too-many",
                                          "rejected",
                                          "was",
                                          "exceeded-quota",
                                          "low",
                                          "resource",
                                          "true",
                                          "api-server",
                                          "v1",
                                          "k8s",
                                          "io",
                                          "container",
                                          "service",
                                          "token",
                                          "the-request",
                                          "failed",
                                          "pull",
                                          "requested"};
  static const std::regex replacement("anon-[a-z]+-n?[0-9]+|anon[0-9]+");
  const std::string before = bytes_of(redacted(cluster));
  std::map<std::string, std::string> names;
  std::string after;
  auto from = before.begin();
  for (std::sregex_iterator at(before.begin(), before.end(), replacement), end; at != end; ++at) {
    const std::size_t number = names.size() + turn;
    const std::string round =
        names.size() < words.size() ? "" : "-" + std::to_string(names.size() / words.size());
    const auto name = names.try_emplace(at->str(), words[number % words.size()] + round).first;
    after.append(from, before.begin() + at->position());
    after += name->second;
    from = before.begin() + at->position() + at->length();
  }
  after.append(from, before.end());
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  const auto read = decode::read_documents(after, "named-badly.json", builder, warnings);
  REQUIRE(read);
  return builder.build();
}

TEST_CASE("objects with words of messages as names have the same findings", "[redaction]") {
  constexpr std::int64_t replayed_at = 1'795'219'200;  // 2026-11-21 00:00 UTC
  const model::Time now{std::chrono::seconds(replayed_at)};
  std::size_t clusters = 0;
  std::size_t findings = 0;
  each_scenario([&](const model::Cluster& cluster) {
    const model::Cluster named = named_badly(cluster, 7 * ++clusters);
    const auto before = judged(named, now);
    for (const auto& lines : before) findings += static_cast<std::size_t>(lines.size() > 1);
    CHECK(judged(redacted(named), now) == before);
  });
  CHECK(clusters > 100);
  CHECK(findings > 100);
}

TEST_CASE("no name is left in a redacted cluster", "[redaction]") {
  const std::string name = GENERATE(from_range(recordings));
  CAPTURE(name);
  const model::Cluster cluster = testing::recorded_cluster(name);
  const std::string before = bytes_of(cluster);
  const std::string after = bytes_of(redacted(cluster));
  std::size_t looked_for = 0;
  for (const std::string& secret : secrets_of(cluster)) {
    ++looked_for;
    const std::size_t at = after.find(secret);
    INFO(secret << " in "
                << after.substr(at == after.npos ? 0 : at - std::min<std::size_t>(at, 80), 160));
    CHECK(at == std::string::npos);
  }
  CHECK(looked_for > 30);
  CHECK(redaction::testing::words_left(before, after) == redaction::testing::WordSet{});
  for (const std::string& address : addresses_in(after)) {
    CAPTURE(address);
    CHECK((address.starts_with("198.18.") || address.starts_with("127.") || address == "0.0.0.0"));
  }
}

/// A DaemonSet without pods, because the label that it requires differs from a node's by a typo.
model::Cluster with_label(const std::string& key, const std::string& value,
                          const std::string& wanted_key, const std::string& wanted) {
  testing::ClusterStory story;
  story.add_node("n1").meta.labels = {{key, value}};
  story.add_node("n2").meta.labels = {{key, value}};
  story.ds().pod_template.node_selector = {{wanted_key, wanted}};
  return std::move(story.cluster);
}

TEST_CASE("nearly equal labels are nearly equal after redaction", "[redaction]") {
  constexpr const char* rows[][4] = {{"disktype", "ssd", "disk-type", "ssd"},
                                     {"disk_type", "ssd", "disktype", "ssd"},
                                     {"spot", "true", "spot", "yes"},
                                     {"zqtier", "zqfront", "zqtier", "zqfrontt"},
                                     {"zqtier", "zqfront", "zqteir", "zqfront"},
                                     {"zqq.example/tier", "a", "zqq.example/Tier", "a"},
                                     {"zqq.example/tier", "a", "zzqq.example/tier", "a"},
                                     {"tier", "workers", "tier", "wrokers"},
                                     {"zqtier", "zqq-1", "zqtier", "zqq1"},
                                     {"zqgpubox", "a", "zqgpubox", "b"},
                                     {"zqtier", "zqleft", "zqtier", "zqright"},
                                     {"zqtier", "zqq1", "zqtier", "zqq2"}};
  constexpr std::int64_t days = 86'400;
  std::set<std::vector<std::vector<std::string>>> answers;
  for (const auto& [key, value, wanted_key, wanted] : rows) {
    CAPTURE(key, value, wanted_key, wanted);
    const model::Cluster cluster = with_label(key, value, wanted_key, wanted);
    const auto before = judged(cluster, testing::at(30 * days));
    answers.insert(before);
    CHECK(judged(redacted(cluster), testing::at(30 * days)) == before);
    const std::string after = bytes_of(redacted(cluster));
    for (const std::string word : {key, value, wanted_key, wanted}) {
      if (word.find("zq") != word.npos) CHECK(after.find('"' + word + '"') == after.npos);
    }
    CHECK(after.find("zq") == after.npos);
  }
  CHECK(answers.size() > 1);
}

namespace {

/// Two nodes, the first with these labels and taints, a DaemonSet "d" with `pod` in the spec of its
/// pods, and one "zork-agent".
model::Cluster two_nodes(const std::string& labels, const std::string& taints,
                         const std::string& pod) {
  constexpr const char* ready = R"("status":{"conditions":[{"type":"Ready","status":"True"}]})";
  const auto daemon_set = [](const std::string& name, const std::string& spec) {
    return fmt::format(
        R"({{"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{{"namespace":"a","name":"{0}"}},)"
        R"("spec":{{"selector":{{"matchLabels":{{"a":"{0}"}}}},)"
        R"("template":{{"metadata":{{"labels":{{"a":"{0}"}}}},"spec":{{{1}}}}}}}}})",
        name, spec);
  };
  return testing::cluster_from_json(fmt::format(
      R"({{"apiVersion":"v1","kind":"List","items":[)"
      R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"n1","labels":{{{}}}}},)"
      R"("spec":{{"taints":[{}]}},{}}},)"
      R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"n2","labels":{{"team":"my-app"}}}},{}}},)"
      "{},{}]}}",
      labels, taints, ready, ready, daemon_set("zork-agent", ""), daemon_set("d", pod)));
}

std::string requires_label(const std::string& requirement) {
  return R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
         R"({"nodeSelectorTerms":[{"matchExpressions":[)" +
         requirement + "]}]}}}";
}

}  // namespace

TEST_CASE("redacted labels and taints stay valid and compare as before", "[redaction]") {
  const std::string not_ready = R"(-agent-not-ready","effect":"NoSchedule"})";
  const model::Cluster clusters[] = {
      // parts of a key's domain that are similar to values
      two_nodes(R"("team":"myapp","myapp.io/pool":"x")", "",
                requires_label(R"({"key":"myapp.io/pool","operator":"Exists"})")),
      two_nodes(R"("team":"ZqShop","zqshop.io/pool":"x","other":"Zq-Shop")", "",
                requires_label(R"({"key":"zqshop.io/pool","operator":"Exists"})")),
      // numbers of twelve digits on both sides
      two_nodes(R"("example.com/bytes":"137438953472")", "",
                requires_label(
                    R"({"key":"example.com/bytes","operator":"Gt","values":["68719476736"]})")),
      two_nodes(R"("example.com/bytes":"9137438953472")", "",
                requires_label(
                    R"({"key":"example.com/bytes","operator":"Gt","values":["123456789012"]})")),
      // the key of a taint that contains the name of a DaemonSet
      two_nodes("", R"({"key":"acme.io/zork)" + not_ready, ""),
      two_nodes("", R"({"key":"zork)" + not_ready, ""),
  };
  for (std::size_t i = 0; i < std::size(clusters); ++i) {
    CAPTURE(i);
    const auto now = testing::at(0);
    CHECK(judged(redacted(clusters[i]), now) == judged(clusters[i], now));
  }
}

TEST_CASE("a number that is not compared is replaced as an account", "[redaction]") {
  const model::Cluster after =
      redacted(two_nodes(R"("example.com/account":"123456789012")", "", ""));
  CHECK(bytes_of(after).find("123456789012") == std::string::npos);
}

TEST_CASE("a valid label stays valid", "[redaction]") {
  std::string long_one = "abc";
  for (char c = 'd'; long_one.size() < 59; ++c) long_one += fmt::format("-zq{}", c);
  const model::Cluster cluster = with_label(long_one, long_one, long_one, long_one);
  const model::Cluster after = redacted(cluster);
  const auto& label = *after.nodes.front().meta.labels.begin();
  CHECK(label.first.view().size() <= 63);
  CHECK(label.second.view().size() <= 63);
  CHECK(judged(after, {}) == judged(cluster, {}));
}

TEST_CASE("words that the API defines stay even if objects have these names", "[redaction]") {
  model::Cluster cluster;
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.name = "running";
  node.kubelet_version = "v1.36.1-zqcorp.3+zqbuild";
  node.allocatable = {{"cpu", "1e3"}, {"memory", "1.5Gi"}, {"pods", "zqmany"}};
  node.taints = {{"a", "b", "NoSchedule"}, {"a", "c", "zqEffect"}};
  node.conditions = {{"Ready", "False", "ZqcorpMaintenance", "", {}},
                     {"Ready", "False", "10.20.30.4", "", {}}};
  model::Pod& pod = cluster.pods.emplace_back();
  pod.meta.name = "Running";
  pod.phase = "Running";
  const model::Cluster after = redacted(cluster);
  CHECK(after.pods.front().phase == "Running");
  const model::Node& there = after.nodes.front();
  CHECK(there.kubelet_version == "v1.36.1-anon4.3+anon5");
  CHECK(*there.allocatable.find("cpu") == "1e3");
  CHECK(*there.allocatable.find("memory") == "1.5Gi");
  CHECK(*there.allocatable.find("pods") != "zqmany");
  CHECK(there.taints[0].effect == "NoSchedule");
  CHECK(there.taints[1].effect.view().starts_with("anon"));
  CHECK(there.conditions[0].reason.view().starts_with("anon"));
  CHECK(there.conditions[1].reason == "198.18.0.1");  // not a number
}

TEST_CASE("consequences of omissions and finalizers of the garbage collector stay", "[redaction]") {
  redaction::Redacted original;
  model::DaemonSet& ds = original.cluster.daemon_sets.emplace_back();
  ds.meta.name = "zqcorp";
  ds.meta.finalizers = {"foregroundDeletion", "orphan", "zqcorp.example/hold"};
  for (const char* consequence :
       {"cannot tell which nodes have a pod, only which nodes are eligible",
        "treated as no pods, as the status of no DaemonSet counts any",
        "the counts are those of the nodes that were read", "there is nothing to explain",
        "volume filters are not recomputed", "deadlocks of startup taints are unknown",
        "rejections and failures are unknown",
        "whether a DeviceClass provides an extended resource is unknown"}) {
    original.omissions.push_back({"pods", "", "NotInInput", "the input has no Pods", consequence});
  }
  const redaction::Redacted after = redaction::redact(original);
  const auto& finalizers = after.cluster.daemon_sets.front().meta.finalizers;
  CHECK(finalizers[0] == "foregroundDeletion");
  CHECK(finalizers[1] == "orphan");
  CHECK(finalizers[2] != "zqcorp.example/hold");
  for (std::size_t i = 0; i < after.omissions.size(); ++i) {
    CHECK(after.omissions[i].consequence == original.omissions[i].consequence);
  }
}

TEST_CASE("redacting is deterministic", "[redaction]") {
  const model::Cluster cluster = testing::recorded_cluster("mixed-40-nodes");
  CHECK(redacted(cluster) == redacted(cluster));
}

TEST_CASE("a pod contains the name of its DaemonSet and nodes keep their order", "[redaction]") {
  const model::Cluster cluster = testing::recorded_cluster("mixed-40-nodes");
  const model::Cluster after = redacted(cluster);
  std::size_t owned = 0;
  for (const model::Pod& pod : after.pods) {
    if (!pod.meta.controller || pod.meta.controller->kind != "DaemonSet") continue;
    ++owned;
    CHECK(pod.meta.name.view().starts_with(pod.meta.controller->name.str() + "-p"));
  }
  CHECK(owned > 100);
  REQUIRE(after.nodes.size() == cluster.nodes.size());
  for (std::size_t i = 0; i < after.nodes.size(); ++i) {
    CHECK(after.nodes[i].meta.resource_version == cluster.nodes[i].meta.resource_version);
  }
}

TEST_CASE("names that many clusters have stay", "[redaction]") {
  model::Cluster cluster;
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.name = "a";
  for (const char* name : {"kubectl-edit", "kube-controller-manager", "helm", "corp-operator"}) {
    node.meta.managers.emplace_back().manager = name;
  }
  for (const char* name : {"ebs.csi.aws.com", "kubernetes.io/no-provisioner", "csi.corp.example"}) {
    cluster.storage_classes.emplace_back().provisioner = name;
  }
  for (const char* name : {"runc", "corp-runtime"}) {
    cluster.runtime_classes.emplace_back().handler = name;
  }
  for (const char* name : {"default-scheduler", "corp-scheduler"}) {
    cluster.daemon_sets.emplace_back().pod_template.spec.scheduler_name = name;
  }
  const model::Cluster after = redacted(cluster);
  const auto& managers = after.nodes.front().meta.managers;
  CHECK(managers[0].manager == "kubectl-edit");
  CHECK(managers[1].manager == "kube-controller-manager");
  CHECK(managers[2].manager == "helm");
  CHECK(managers[3].manager == "anon-program-1");
  CHECK(after.storage_classes[0].provisioner == "ebs.csi.aws.com");
  CHECK(after.storage_classes[1].provisioner == "kubernetes.io/no-provisioner");
  CHECK(after.storage_classes[2].provisioner == "anon-driver-1");
  CHECK(after.runtime_classes[0].handler == "runc");
  CHECK(after.runtime_classes[1].handler == "anon-handler-1");
  CHECK(after.daemon_sets[0].pod_template.spec.scheduler_name == "default-scheduler");
  CHECK(after.daemon_sets[1].pod_template.spec.scheduler_name == "anon-program-2");
}

TEST_CASE("an event refers to the redacted container", "[redaction]") {
  model::Cluster cluster;
  model::PodSpec spec;
  model::Container container;
  container.name = model::Text("canary");
  spec.containers = {container};
  model::Pod pod;
  pod.meta.name = model::Text("p");
  pod.spec = spec;
  cluster.pods.push_back(pod);
  model::Event event;
  event.kind = model::Text("Pod");
  event.name = model::Text("p");
  event.field_path = model::Text("spec.containers{canary}");
  cluster.events.push_back(event);
  const model::Cluster other = redacted(cluster);
  const std::string name = other.pods.at(0).spec->containers.at(0).name.str();
  CHECK(name != "canary");
  CHECK(other.events.at(0).field_path.view() == "spec.containers{" + name + "}");
}

TEST_CASE("host and UID of a lease's holder are replaced separately", "[redaction]") {
  model::Cluster cluster;
  cluster.leases.emplace_back().holder =
      "master-1.corp.example_51111111-2222-3333-4444-555555555555";
  CHECK(redacted(cluster).leases.front().holder ==
        "anon-host-1_00000000-0000-4000-8000-000000000001");
}

TEST_CASE("names made of other names are made of their replacements", "[redaction]") {
  model::Cluster cluster;
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.name = "falco";
  model::Pod& pod = cluster.pods.emplace_back();
  pod.meta.name = "falco-x2x4q";  // without ownerReferences
  model::PodSpec spec;
  spec.volumes.push_back({"scratch", "ephemeral", {}});
  pod.spec = std::move(spec);
  cluster.claims.emplace_back().meta.name = "falco-x2x4q-scratch";
  cluster.revisions.emplace_back().meta.name = "falco-7d9f6c8b5";
  model::Event& event = cluster.events.emplace_back();
  event.kind = "Pod";
  event.name = "falco-abcde";  // a deleted pod
  const model::Cluster after = redacted(cluster);
  CHECK(after.pods.front().meta.name == "anon-daemonset-1-00001");
  CHECK(after.claims.front().meta.name == "anon-daemonset-1-00001-anon-volume-1");
  CHECK(after.revisions.front().meta.name == "anon-daemonset-1-anon1");
  CHECK(after.events.front().name == "anon-daemonset-1-00002");
}

TEST_CASE("a fingerprint of a template shows only equality", "[redaction]") {
  model::Cluster cluster;
  constexpr std::uint64_t fingerprints[] = {0x123456789abcdef0, 0xfedcba987654321, 0};
  for (const std::uint64_t fingerprint : fingerprints) {
    cluster.daemon_sets.emplace_back().template_fingerprint = fingerprint;
    cluster.revisions.emplace_back().template_fingerprint = fingerprint;
  }
  const model::Cluster after = redacted(cluster);
  for (std::size_t i = 0; i < after.daemon_sets.size(); ++i) {
    const std::uint64_t expected[] = {1, 2, 0};
    CHECK(after.daemon_sets[i].template_fingerprint == expected[i]);
    CHECK(after.revisions[i].template_fingerprint == expected[i]);
  }
}

TEST_CASE("annotations that affect scheduling keep their meaning", "[redaction]") {
  model::Cluster cluster;
  cluster.nodes.emplace_back().meta.name = "gpu-1";
  model::Namespace& ns = cluster.namespaces.emplace_back();
  ns.meta.name = "value";
  ns.annotations = {{"scheduler.alpha.kubernetes.io/node-selector", "pool=gpu-1, disk=ssd"},
                    {"scheduler.alpha.kubernetes.io/defaultTolerations",
                     R"([{"key": "pool", "operator": "Equal", "value": "gpu-1"}])"},
                    {"jane", "jane"}};
  const model::Labels after = redacted(cluster).namespaces.front().annotations;
  CHECK(*after.find("scheduler.alpha.kubernetes.io/node-selector") == "pool=anon-node-1, disk=ssd");
  CHECK(*after.find("scheduler.alpha.kubernetes.io/defaultTolerations") ==
        R"([{"key": "pool", "operator": "Equal", "value": "anon-node-1"}])");
  CHECK(*after.find("anon1") == "redacted");
}

TEST_CASE("names that differ in case have different replacements", "[redaction]") {
  redaction::Pseudonyms names;
  names.add("pool", {"zweb", "Zweb"});
  CHECK(names.name("zweb") != names.name("Zweb"));
  CHECK(names.name("ZWEB") != names.name("zWEB"));
  CHECK(names.name("ZWEB") == names.name("ZWEB"));
}

TEST_CASE("names are replaced as whole words", "[redaction]") {
  redaction::Pseudonyms names;
  names.add("node", {"ip-10-0-1-7"});
  names.add("daemonset", {"falco", "image"});
  names.add_as("falco-x2x4q", "anon-daemonset-1-p1");
  const std::pair<std::string, std::string> rows[] = {
      {"assigned security/falco-x2x4q to ip-10-0-1-7.",
       "assigned security/anon-daemonset-1-p1 to anon-node-1."},
      {"ip-10-0-1-7.ec2.internal:10250", "anon-node-1.ec2.internal:10250"},
      {"pods \"falco-\" is forbidden", "pods \"anon-daemonset-1-\" is forbidden"},
      {"Created pod: falco-abcde", "Created pod: anon-daemonset-1-anon1"},
      {"claim falco-x2x4q-data", "claim anon-daemonset-1-p1-data"},
      {"falcon ip-10-0-1-70", "anon2 ip-198-18-0-1"},
      {"the image is not there", "the image is not there"},
      {"dial tcp 10.0.1.7:8080 from 127.0.0.1, again 10.0.1.7",
       "dial tcp 198.18.0.2:8080 from 127.0.0.1, again 198.18.0.2"},
      {"at 12:34:56 [fe80::1]:80", "at 12:34:56 [2001:db8::0:3]:80"},
      {"uid 0a1b2c3d-0000-1111-2222-333344445555", "uid 00000000-0000-4000-8000-000000000001"},
      {"pvc-0a1b2c3d-0000-1111-2222-333344445555", "pvc-00000000-0000-4000-8000-000000000001"},
      {"a--falco--b", "a--anon-daemonset-1--b"},
  };
  for (const auto& [text, expected] : rows) CHECK(names.words(text) == expected);
  CHECK(names.name("12") == "12");
  // A termination message can be long.
  std::string dashes;
  for (int i = 0; i < 10'000; ++i) dashes += "falco-";
  CHECK(names.words(dashes).starts_with("anon-daemonset-1-anon-daemonset-1-"));
  CHECK(names.name("kube-system") == "kube-system");
}
