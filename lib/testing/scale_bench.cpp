// SPDX-License-Identifier: Apache-2.0

// Prints the cost of decoding and evaluating large clusters, as CPU time of one thread.
//   scale_bench write NODES DAEMONSETS PODS > FILE   a cluster; PODS: synthetic_cluster.h
//   scale_bench shape SHAPE NODES DAEMONSETS > FILE  a cluster of cluster_shapes.h
//   scale_bench write-troubled NODES DAEMONSETS json|yaml [SEED] > FILE
//   scale_bench measure PROGRAM ARGUMENT...          wall, CPU, memory and exit code of the
//   cheapest of three runs of a command (fewer, if a run takes long), without its output

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decode/cluster/list_decoder.h"
#include "decode/objects/object_json.h"
#include "fixes/explanation.h"
#include "fixes/fixes.h"
#include "testing/block_yaml.h"
#include "testing/cluster_shapes.h"
#include "testing/synthetic_cluster.h"
#include "testing/troubled_cluster.h"

using namespace dsdoctor;

namespace {

std::atomic<std::size_t> in_use = 0;  // bytes that are allocated and not yet freed
constexpr std::size_t in_front = 16;  // before each allocation: its size

}  // namespace

// Counts the bytes, to measure the size of objects. Other forms of `new` call this one.
void* operator new(std::size_t size) {
  void* const start = std::malloc(size + in_front);
  if (start == nullptr) throw std::bad_alloc();
  std::memcpy(start, &size, sizeof(size));
  in_use += size + in_front;
  return static_cast<char*>(start) + in_front;
}
void operator delete(void* at) noexcept {
  if (at == nullptr) return;
  char* const start = static_cast<char*>(at) - in_front;
  std::size_t size = 0;
  std::memcpy(&size, start, sizeof(size));
  in_use -= size + in_front;
  std::free(start);
}
void operator delete(void* at, std::size_t /*size*/) noexcept { operator delete(at); }

namespace {

template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void decode(decode::ClusterBuilder& builder, const std::string& list) {
  constexpr std::size_t chunk = 16384;  // the size of libcurl's pieces
  decode::ListDecoder decoder(builder, std::nullopt, {"bench"});
  for (std::size_t at = 0; at < list.size(); at += chunk) {
    if (!decoder.feed(std::string_view(list).substr(at, chunk))) std::abort();
  }
  if (!decoder.finish()) std::abort();
}

/// Prints the memory of the model for each node and each pod, with the overhead of the allocator.
void print_memory(std::size_t nodes, std::size_t daemon_sets) {
  const auto held_by = [](const std::string& list) {
    const std::size_t before = in_use;
    decode::ClusterBuilder builder;
    decode(builder, list);
    const model::Cluster cluster = builder.build();
    const std::size_t objects = std::max(cluster.nodes.size(), cluster.pods.size());
    return double(in_use - before) / double(objects);
  };
  const double of_node = held_by(testing::synthetic_nodes(nodes));
  const double of_pod = held_by(testing::synthetic_workload(nodes, daemon_sets));
  std::fputs(fmt::format("{} nodes x {} DaemonSets: {:.0f} bytes a node, {:.0f} bytes a pod\n",
                         nodes, daemon_sets, of_node, of_pod)
                 .c_str(),
             stdout);
}

void run(std::size_t nodes, std::size_t daemon_sets) {
  const std::string node_list = testing::synthetic_nodes(nodes);
  const std::string workload = testing::synthetic_workload(nodes, daemon_sets);
  decode::ClusterBuilder builder;
  const double node_time = seconds([&] { decode(builder, node_list); });
  const double pod_time = seconds([&] { decode(builder, workload); });
  model::Cluster cluster;
  const double build_time = seconds([&] { cluster = builder.build(); });
  std::vector<const model::DaemonSet*> all;
  for (const auto& ds : cluster.daemon_sets) all.push_back(&ds);

  std::size_t wanted = 0;
  const double decide_time = seconds([&] {
    for (const auto* ds : all) {
      const placement::Evaluator evaluator(ds->pod_template, {});
      for (const auto& node : cluster.nodes) {
        wanted += placement::should_run(evaluator.decide(node)) ? 1 : 0;
      }
    }
  });
  std::size_t groups = 0;
  const double explain_time = seconds([&] {
    for (const auto& answer : fixes::explain(diagnosis::Reporter(cluster, {}), all).daemon_sets) {
      groups += answer.groups.size();
    }
  });
  std::size_t fixes = 0;
  const double suggest_time = seconds([&] {
    for (const auto& answer : fixes::fixes_for(diagnosis::Reporter(cluster, {}), all, {})) {
      fixes += answer.suggestions.size();
    }
  });
  const double megabytes = 1e-6 * double(node_list.size());
  const double pairs = double(nodes * daemon_sets);
  std::fputs(
      fmt::format("{} nodes x {} DaemonSets, {} pods ({} pairs wanted, {} groups)\n"
                  "  decode nodes    {:7.3f} s  {:6.0f} MB/s  {:6.0f} ns a node\n"
                  "  decode workload {:7.3f} s  {:6.0f} MB/s  {:6.0f} ns a pod\n"
                  "  sort and index  {:7.3f} s\n"
                  "  decide          {:7.3f} s  {:6.0f} ns a pair  {:6.1f} M pairs/s\n"
                  "  explain         {:7.3f} s  {:6.0f} ns a pair (verdicts, groups, fixes)\n"
                  "  suggest         {:7.3f} s  {:6.0f} ns a pair ({} fixes)\n",
                  nodes, daemon_sets, nodes * daemon_sets, wanted, groups, node_time,
                  megabytes / node_time, 1e9 * node_time / double(nodes), pod_time,
                  1e-6 * double(workload.size()) / pod_time, 1e9 * pod_time / pairs, build_time,
                  decide_time, 1e9 * decide_time / pairs, 1e-6 * pairs / decide_time, explain_time,
                  1e9 * explain_time / pairs, suggest_time, 1e9 * suggest_time / pairs, fixes)
          .c_str(),
      stdout);
}

int write_cluster(const std::vector<std::string>& words) {
  const auto pods = testing::synthetic_pods(words[2]);
  if (!pods) {
    std::fputs(fmt::format("there are no pods {}\n", words[2]).c_str(), stderr);
    return 2;
  }
  testing::write_synthetic(
      {std::stoul(words[0]), std::stoul(words[1]), *pods},
      [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  return 0;
}

int write_shape(const std::vector<std::string>& words) {
  const std::string list =
      testing::cluster_of_shape(words[0], std::stoul(words[1]), std::stoul(words[2]));
  if (list.empty()) {
    std::fputs(fmt::format("there is no shape {}; there are: {}\n", words[0],
                           fmt::join(testing::cluster_shapes(), ", "))
                   .c_str(),
               stderr);
    return 2;
  }
  std::fwrite(list.data(), 1, list.size(), stdout);
  return 0;
}

/// Writes a List with many kinds of faults.
int write_troubled(const std::vector<std::string>& words) {
  const testing::TroubledSize size{std::stoul(words[0]), std::stoul(words[1])};
  const unsigned seed = words.size() > 3 ? static_cast<unsigned>(std::stoul(words[3])) : 1;
  nlohmann::json list = {{"apiVersion", "v1"}, {"kind", "List"}};
  const auto added = decode::each_object_json(
      testing::troubled_cluster(seed, size), [&](const decode::Json& object) -> base::Status {
        list["items"].push_back(nlohmann::json::parse(object.dump()));
        return std::monostate{};
      });
  if (!added) return 2;
  std::string text;
  if (words[2] == "yaml") {
    testing::write_block_yaml(text, list, 0);
  } else {
    text = list.dump();
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

struct Cost {
  double wall = 0;  // seconds
  double cpu = 0;   // seconds, user and system
  long memory = 0;  // the maximum, in KiB
  int exit_code = -1;
};

/// The exit code is 126 if the program could not be started.
Cost cost_of(const std::vector<char*>& argv) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(126);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const auto seconds_of = [](const timeval& time) {
    return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
  };
  return {wall.count(), seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss,
          WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

int measure(std::vector<std::string> words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  constexpr int most_runs = 3;
  constexpr double long_enough = 5;  // seconds for all runs
  Cost least = cost_of(argv);
  double spent = least.wall;
  for (int run = 1; run < most_runs && spent < long_enough; ++run) {
    const Cost cost = cost_of(argv);
    spent += cost.wall;
    if (cost.cpu < least.cpu) least = cost;
  }
  std::fputs(fmt::format("{:8.3f} s wall {:8.3f} s CPU {:6d} MB  exit {}\n", least.wall, least.cpu,
                         least.memory * 1024 / 1'000'000, least.exit_code)
                 .c_str(),
             stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 4 && words[0] == "write")
    return write_cluster({words.begin() + 1, words.end()});
  if (words.size() == 4 && words[0] == "shape")
    return write_shape({words.begin() + 1, words.end()});
  if ((words.size() == 4 || words.size() == 5) && words[0] == "write-troubled")
    return write_troubled({words.begin() + 1, words.end()});
  if (words.size() > 1 && words[0] == "measure") return measure({words.begin() + 1, words.end()});
  print_memory(5'000, 20);
  run(5'000, 1);
  run(5'000, 50);
  run(5'000, 100);
  run(100'000, 2);
}
