// SPDX-License-Identifier: Apache-2.0

// A saved cluster is read back unchanged.

#include "decode/cluster/snapshot.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>

#include "decode/cluster/list_decoder.h"
#include "source/demo_source.h"
#include "source/file_source.h"
#include "testing/cluster_reader.h"
#include "testing/folder.h"
#include "testing/gzip_file.h"
#include "testing/packing.h"

using namespace dsdoctor;

namespace {

const model::Time then = model::Time(std::chrono::sys_days{std::chrono::year{2026} / 11 / 20}) +
                         std::chrono::microseconds(1'500'000);
const model::Time now = then + std::chrono::days(1);

std::string json_of(const decode::SnapshotHead& head, const model::Cluster& cluster) {
  std::string json;
  const auto written =
      decode::write_snapshot(head, cluster, [&](std::string_view piece) -> base::Status {
        json += piece;
        return std::monostate{};
      });
  REQUIRE(written);
  return json;
}

decode::SnapshotHead head_of(const model::Cluster& cluster) {
  decode::SnapshotHead head;
  head.saved_by = "test";
  head.source.kind = "cluster";
  head.source.context = "prod";
  head.source.server = "https://prod.example";
  head.source.read_at = then;
  head.omissions = {{"pods", "shop", "Forbidden", "no", "less is known"}};
  head.warnings = {{"nodes.yaml Node/x spec.taints[0].effect", "is none"}};
  head.scope = decode::scope_of(cluster);
  return head;
}

base::Result<source::Snapshot> read(const std::string& content) {
  std::istringstream in(content);
  return source::FileSource({"-"}, in, [] { return now; }).load({});
}

/// The error's text, or "no error".
std::string content_error(const std::string& content) {
  const auto snapshot = read(content);
  return snapshot ? "no error" : base::to_string(snapshot.error());
}

void check_round_trip(const model::Cluster& cluster) {
  const std::string json = json_of(head_of(cluster), cluster);
  const auto again = read(testing::zstd(json));
  REQUIRE(again);
  CHECK(again->cluster == cluster);
  // Taints are equal even if their times differ.
  CHECK(json_of(head_of(again->cluster), again->cluster) == json);
}

/// Returns the object that begins at `start`. REQUIRES: valid JSON.
std::string first_object_in(const std::string& json, std::size_t start) {
  REQUIRE(start != std::string::npos);
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t at = start; at < json.size(); ++at) {
    const char c = json[at];
    if (quoted && c == '\\') {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '{') {
      ++depth;
    } else if (!quoted && c == '}' && --depth == 0) {
      return json.substr(start, at + 1 - start);
    }
  }
  FAIL("the object does not end");
  return {};
}

model::Cluster from_wire(const char* file, decode::Kind kind) {
  decode::ClusterBuilder builder;
  decode::ListDecoder decoder(builder, kind, {file}, decode::Encoding::Protobuf);
  REQUIRE(decoder.feed(testing::read_file(std::string(DSDOCTOR_TESTDATA "/wire/") + file)));
  REQUIRE(decoder.finish());
  return builder.build();
}

}  // namespace

TEST_CASE("a recorded cluster is read back unchanged", "[snapshot]") {
  const std::string name =
      GENERATE("autoscaler-taint-patched", "autoscaler-taint", "controller-forbidden",
               "mixed-40-nodes", "nfd-label-flip", "status-lag");
  CAPTURE(name);
  const model::Cluster cluster = testing::recorded_cluster(name);
  REQUIRE_FALSE(cluster.nodes.empty());
  check_round_trip(cluster);
}

TEST_CASE("objects decoded from protobuf are read back unchanged", "[snapshot]") {
  check_round_trip(from_wire("nodes-page.protobuf", decode::Kind::Node));
  check_round_trip(from_wire("pods-page.protobuf", decode::Kind::Pod));
}

TEST_CASE("the demo is read back unchanged", "[snapshot]") {
  auto demo = source::DemoSource().load({});
  REQUIRE(demo);
  demo->cluster.version = {1, 36, 2, "v1.36.2-x.1"};
  demo->cluster.all_pods_known = false;
  demo->cluster.crowded_nodes = {"a", "b"};
  demo->cluster.all_nodes_known = false;
  demo->cluster.namespaces_without_pods = {"logging", "x"};
  model::Event& event = demo->cluster.events.emplace_back();
  event.meta.ns = event.ns = "~";  // after all others
  event.meta.name = event.name = "p";
  event.kind = "Pod";
  event.field_path = "spec.containers{main}";
  event.first = event.last = then;
  check_round_trip(demo->cluster);
}

TEST_CASE("random clusters are read back unchanged", "[snapshot]") {
  const std::string name = GENERATE("valid-1", "wild-5", "wild-6");
  const std::string file = testing::read_gzip(DSDOCTOR_TESTDATA "/oracle/" + name + ".json.gz");
  const auto cluster = read(first_object_in(file, file.find(R"({"apiVersion")")));
  REQUIRE(cluster);
  REQUIRE_FALSE(cluster->cluster.nodes.empty());
  check_round_trip(cluster->cluster);
}

TEST_CASE("a snapshot contains where and when its state was read", "[snapshot]") {
  model::Cluster cluster = testing::recorded_cluster("autoscaler-taint");
  cluster.version = {1, 36, 2, "v1.36.2"};
  const decode::SnapshotHead head = head_of(cluster);
  const auto again = read(json_of(head, cluster));
  REQUIRE(again);
  CHECK(again->info.kind == "snapshot");
  CHECK(again->info.saved_from == "cluster");
  CHECK(again->info.context == "prod");
  CHECK(again->info.server == "https://prod.example");
  CHECK(again->info.server_version == "v1.36.2");
  CHECK(again->info.read_at == then);
  CHECK(again->info.paths == std::vector<std::string>{"-"});
  CHECK(again->omissions == head.omissions);
  CHECK(again->warnings == head.warnings);
}

TEST_CASE("a fingerprint is used only if it is in a snapshot", "[snapshot]") {
  const std::string ds =
      R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"x","annotations":)"
      R"({"dsdoctor.io/template-fingerprint":"00000000000000ff"}},"spec":{"template":{}}})";
  const auto plain = read(ds);
  REQUIRE(plain);
  CHECK(plain->cluster.daemon_sets.front().template_fingerprint != 0xff);
  CHECK(plain->cluster.daemon_sets.front().annotations.empty());
  const auto saved =
      read(R"({"apiVersion":"dsdoctor/v1","kind":"Snapshot","formatVersion":1,"source":)"
           R"({"readAt":"2026-11-20T00:00:00Z"},"items":[)" +
           ds + "]}");
  REQUIRE(saved);
  CHECK(saved->cluster.daemon_sets.front().template_fingerprint == 0xff);
  CHECK(saved->cluster.daemon_sets.front().annotations.empty());
}

TEST_CASE("an invalid snapshot is an error", "[snapshot]") {
  const auto document = [](const std::string& fields) {
    return R"({"apiVersion":"dsdoctor/v1","kind":"Snapshot",)" + fields + R"("items":[]})";
  };
  const std::string source = R"("source":{"readAt":"2026-11-20T00:00:00Z"},)";
  CHECK(content_error(document(R"("formatVersion":1,)" + source)) == "no error");
  CHECK(content_error(document(R"("formatVersion":2,)" + source)) ==
        "standard input: a Snapshot of dsdoctor/v1, formatVersion 2; this program reads "
        "dsdoctor/v1, formatVersion 1");
  CHECK(content_error(document(source)) ==
        "standard input: formatVersion of the Snapshot is not an integer");
  CHECK(content_error(document(R"("formatVersion":1,)")) ==
        "standard input: source.readAt of the Snapshot is not a time like 2006-01-02T15:04:05Z");
  CHECK(content_error(document(R"("formatVersion":1,"known":[],)" + source)) ==
        "standard input: known of the Snapshot is not an object");
  CHECK(content_error(document(R"("formatVersion":1,)" + source) +
                      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"x"}})") ==
        "standard input: a Snapshot cannot be combined with other objects; read it alone");
}

// As written by tools that sort the fields of objects by name.
TEST_CASE("a snapshot with sorted fields is read back unchanged", "[snapshot]") {
  const model::Cluster cluster = testing::recorded_cluster("mixed-40-nodes");
  const std::string saved = json_of(head_of(cluster), cluster);
  const auto sorted = nlohmann::json::parse(saved);
  std::string yaml;
  for (const auto& [field, value] : sorted.items()) {
    yaml += field + ":";
    if (field == "items") {
      for (const auto& item : value) yaml += "\n- " + item.dump();
    } else {
      yaml += " " + value.dump();
    }
    yaml += "\n";
  }
  const bool large = GENERATE(false, true);
  const bool is_yaml = GENERATE(false, true);
  CAPTURE(large, is_yaml);
  std::string text = is_yaml ? yaml : sorted.dump();
  if (large) {  // larger than one read
    text.insert(text.find(is_yaml ? "- " : "[", text.find("items")) + 1,
                std::string(is_yaml ? 1 : std::size_t{5} << 20U, ' '));
    REQUIRE(text.size() > std::size_t{256} << 10U);
  }
  const auto again = read(text);
  REQUIRE(again);
  CHECK(again->info.kind == "snapshot");
  CHECK(again->info.context == "prod");
  CHECK(again->cluster == cluster);
}

TEST_CASE("a large snapshot must have its version before its items", "[snapshot]") {
  const std::string items = R"({"items":[)" + std::string(std::size_t{5} << 20U, ' ') +
                            R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"x"}}],)";
  CHECK(
      content_error(items + R"("kind":"Snapshot","apiVersion":"dsdoctor/v1","formatVersion":1})") ==
      "standard input: apiVersion of the Snapshot comes after its items; expected before them, "
      "as kubectl dsdoctor snapshot writes it");
}

TEST_CASE("a snapshot that is truncated anywhere is an error", "[snapshot]") {
  const model::Cluster cluster = testing::recorded_cluster("controller-forbidden");
  const std::string packed = testing::zstd(json_of(head_of(cluster), cluster));
  for (std::size_t size = 1; size < packed.size(); size += 997) {
    CAPTURE(size);
    CHECK(content_error(packed.substr(0, size)) != "no error");
  }
}
