// Decodes a made-up list of 5,000 nodes of about 15 KB each, as it would come over the wire, and
// prints the speed. Not a test: figures depend on the machine.
#include <fmt/format.h>

#include <chrono>
#include <string>

#include "decode/cluster_builder.h"
#include "decode/documents.h"
#include "decode/list_decoder.h"

namespace {

using namespace dsdoctor;
using Clock = std::chrono::steady_clock;

constexpr int node_count = 5000;

/// Most of a Node's bytes are the images it has pulled and who wrote which field.
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

std::size_t over_the_wire(const std::string& body, std::optional<decode::Kind> kind) {
  constexpr std::size_t chunk = std::size_t{16} * 1024;
  decode::ClusterBuilder builder;
  decode::ListDecoder decoder(builder, kind, {"bench"});
  for (std::size_t at = 0; at < body.size(); at += chunk) {
    if (!decoder.feed(std::string_view(body).substr(at, chunk))) return 0;
  }
  if (!decoder.finish()) return 0;
  return builder.build().nodes.size();
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
  return nodes == std::size_t{15} * node_count ? 0 : 1;
}
