// SPDX-License-Identifier: Apache-2.0

// Decodes a generated list of 5,000 nodes of about 15 KB each, as received over the wire, and
// prints the speed. Not a test: the figures depend on the machine.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <tuple>

#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/documents.h"
#include "decode/cluster/list_decoder.h"
#include "decode/json/item_splitter.h"
#include "decode/protobuf/protobuf_splitter.h"
#include "testing/block_yaml.h"

namespace {

using namespace dsdoctor;
using Clock = std::chrono::steady_clock;

constexpr int node_count = 5000;

/// Most bytes of a Node are the images on it and its managedFields.
std::string node(int number) {
  const std::string name = fmt::format("ip-10-0-{}-{}.internal", number / 250, number % 250);
  std::string json = fmt::format(
      R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"{0}","uid":"00000000-0000-0000-0000-{1:012}",)"
      R"("resourceVersion":"{1}","creationTimestamp":"2026-11-21T02:36:02Z","labels":{{)"
      R"("kubernetes.io/arch":"amd64","kubernetes.io/os":"linux","kubernetes.io/hostname":"{0}",)"
      R"("node.kubernetes.io/instance-type":"m5.2xlarge","pool":"p{2}"}},"managedFields":[)",
      name, number, number % 7);
  for (int i = 0; i < 30; ++i) {
    json += fmt::format(
        R"({}{{"manager":"kubelet","operation":"Update","fieldsV1":{{"f:status":{{)"
        R"("f:conditions":{{"k:{{\"type\":\"Ready{}\"}}":{{".":{{}},"f:type":{{}}}}}}}}}}}})",
        i == 0 ? "" : ",", i);
  }
  json +=
      R"(]},"spec":{"taints":[{"key":"dedicated","value":"x","effect":"NoSchedule"}]},)"
      R"("status":{"allocatable":{"cpu":"8","memory":"32Gi","pods":"58"},"capacity":{"cpu":"8",)"
      R"("memory":"32Gi","pods":"58"},"conditions":[)";
  for (const char* type : {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}) {
    json += fmt::format(R"({{"type":"{}","status":"False","reason":"KubeletHasEnough",)"
                        R"("message":"kubelet has enough of it",)"
                        R"("lastTransitionTime":"2026-11-21T02:36:02Z"}}{})",
                        type, type[0] == 'R' ? "" : ",");
  }
  json += R"(],"nodeInfo":{"kubeletVersion":"v1.36.2"},"images":[)";
  for (int i = 0; i < 50; ++i) {
    json += fmt::format(R"({}{{"names":["registry.example/app-{}@sha256:{:064}",)"
                        R"("registry.example/app-{}:v1.{}"],"sizeBytes":{}}})",
                        i == 0 ? "" : ",", i, i * 7919, i, i % 9, i * 1000003);
  }
  return json + "]}}";
}

std::string list(std::string_view kind) {
  std::string body = fmt::format(
      R"({{"kind":"{}","apiVersion":"v1","metadata":{{"resourceVersion":"1"}},"items":[)", kind);
  for (int i = 0; i < node_count; ++i) body += (i == 0 ? "" : ",") + node(i);
  return body + "]}";
}

void report(std::string_view what, std::size_t bytes, Clock::duration took) {
  const double seconds = std::chrono::duration<double>(took).count();
  fmt::print("{:<34} {:6.1f} MB {:7.1f} ms {:7.0f} MB/s {:8.0f} ns/object\n", what,
             double(bytes) / 1e6, seconds * 1e3, double(bytes) / 1e6 / seconds,
             seconds * 1e9 / node_count);
}

template <typename Run>
void best_of_five(std::string_view what, std::size_t bytes, Run&& run) {
  Clock::duration best = Clock::duration::max();
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    run();
    best = std::min(best, Clock::now() - start);
  }
  report(what, bytes, best);
}

std::size_t over_the_wire(const std::string& body, decode::Kind kind,
                          decode::Encoding encoding = decode::Encoding::Json) {
  constexpr std::size_t chunk = std::size_t{16} * 1024;
  decode::ClusterBuilder builder;
  decode::ListDecoder decoder(builder, kind, {"bench"}, encoding);
  for (std::size_t at = 0; at < body.size(); at += chunk) {
    if (!decoder.feed(std::string_view(body).substr(at, chunk))) return 0;
  }
  if (!decoder.finish()) return 0;
  const model::Cluster cluster = builder.build();
  return cluster.nodes.size() + cluster.pods.size();
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Repeats the items of a recorded page until there are `node_count`.
std::string many_json(const std::string& page, std::string_view kind) {
  std::string items;
  int count = 0;
  while (count < node_count) {
    decode::ItemSplitter splitter("bench", [&](std::string_view item, std::size_t) -> base::Status {
      items.append(count++ == 0 ? "" : ",").append(item);
      return std::monostate{};
    });
    if (!splitter.feed(page)) return {};
  }
  return fmt::format(R"({{"kind":"{}List","metadata":{{}},"items":[{}]}})", kind, items);
}

std::string many_protobuf(const std::string& page, std::string_view kind) {
  std::string raw;
  protozero::pbf_writer list(raw);
  list.add_message(1, std::string());
  int count = 0;
  while (count < node_count) {
    decode::ProtobufSplitter splitter("bench", [&](std::string_view item, std::size_t) {
      ++count;
      list.add_message(2, item.data(), item.size());
      return base::Status(std::monostate{});
    });
    if (!splitter.feed(page)) return {};
  }
  std::string type;
  protozero::pbf_writer(type).add_string(2, fmt::format("{}List", kind));
  std::string body("k8s\0", 4);
  protozero::pbf_writer envelope(body);
  envelope.add_message(1, type);
  envelope.add_message(2, raw);
  return body;
}

std::size_t from_file(const std::string& body) {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  if (!decode::read_documents(body, "bench", builder, warnings)) return 0;
  return builder.build().nodes.size();
}

}  // namespace

int main() {
  const std::string body = list("NodeList");
  std::size_t nodes = 0;
  best_of_five("NodeList over the wire, 16 KB chunks", body.size(),
               [&] { nodes += over_the_wire(body, decode::Kind::Node); });
  best_of_five("NodeList from a file, checked whole", body.size(),
               [&] { nodes += from_file(body); });
  const std::string mixed = list("List");
  best_of_five("List from a file, checked whole", mixed.size(), [&] { nodes += from_file(mixed); });
  const auto items = nlohmann::json::parse(mixed)["items"];
  std::string yaml = "apiVersion: v1\nkind: List\nitems:";
  testing::write_block_yaml(yaml, items, 0);
  best_of_five("the same List as YAML", yaml.size(), [&] { nodes += from_file(yaml); });
  bool complete = nodes == std::size_t{20} * node_count;

  const std::string wire = DSDOCTOR_TESTDATA "/wire/";
  for (const auto& [of, name, json_page, protobuf_page] :
       {std::tuple{decode::Kind::Node, "Node", "nodes-page1.json", "nodes-page.protobuf"},
        {decode::Kind::Pod, "Pod", "pods-page.json", "pods-page.protobuf"}}) {
    const decode::Kind kind = of;  // Clang 14 cannot capture structured bindings
    const std::string json = many_json(read_file(wire + json_page), name);
    best_of_five(fmt::format("5000 recorded {}s, JSON", name), json.size(),
                 [&] { complete = complete && over_the_wire(json, kind) > 0; });
    const std::string protobuf = many_protobuf(read_file(wire + protobuf_page), name);
    best_of_five(fmt::format("5000 recorded {}s, protobuf", name), protobuf.size(), [&] {
      complete = complete && over_the_wire(protobuf, kind, decode::Encoding::Protobuf) > 0;
    });
  }
  return complete ? 0 : 1;
}
