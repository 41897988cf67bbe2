// SPDX-License-Identifier: Apache-2.0

// Prints the time of an answer to a cluster in which one pod changes at a time, with and without
// reports that are kept from the state before.
//   watch_bench [NODES DAEMONSETS]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "decode/cluster/list_decoder.h"
#include "diagnosis/kept_reports.h"
#include "fixes/explanation.h"
#include "testing/synthetic_cluster.h"

using namespace dsdoctor;

namespace {

model::Cluster healthy_cluster(std::size_t nodes, std::size_t daemon_sets) {
  decode::ClusterBuilder builder;
  decode::ListDecoder decoder(builder, std::nullopt, {"synthetic"});
  testing::write_synthetic({nodes, daemon_sets, testing::SyntheticPods::Healthy},
                           [&](std::string_view piece) {
                             if (!decoder.feed(piece)) std::abort();
                           });
  if (!decoder.finish()) std::abort();
  return builder.build();
}

double milliseconds_of(model::Cluster& cluster, diagnosis::KeptReports* kept) {
  constexpr int steps = 10;
  std::chrono::steady_clock::duration spent{0};
  for (int step = 0; step < steps; ++step) {
    model::Pod& pod = cluster.pods[static_cast<std::size_t>(step) * 97 % cluster.pods.size()];
    const model::Pod before = pod;
    pod.phase = step % 2 == 0 ? "Unknown" : "Running";
    model::StateChanges changes;
    changes.note(&before, &pod);
    if (step == 0) changes.everything = true;
    const auto begin = std::chrono::steady_clock::now();
    diagnosis::ReportOptions options;
    options.now = model::Time(std::chrono::seconds(1'800'000'000));
    options.kept = kept;
    if (kept != nullptr) kept->advance(changes, options.gates, options.now);
    const diagnosis::Reporter reporter(cluster, options);
    std::vector<const model::DaemonSet*> all;
    for (const model::DaemonSet& ds : cluster.daemon_sets) all.push_back(&ds);
    for (const model::DaemonSet* ds : all) (void)reporter.verdicts(*ds);
    const auto explanation =
        fixes::explain(reporter, all, {}, {.groups = false, .suggestions = false});
    if (step > 0) spent += std::chrono::steady_clock::now() - begin;
    if (explanation.daemon_sets.size() != all.size()) std::abort();
  }
  return std::chrono::duration<double, std::milli>(spent).count() / (steps - 1);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::pair<std::size_t, std::size_t>> sizes = {{500, 60}, {5000, 10}, {5000, 60}};
  if (argc == 3) sizes = {{std::stoul(argv[1]), std::stoul(argv[2])}};
  for (const auto& [nodes, daemon_sets] : sizes) {
    model::Cluster cluster = healthy_cluster(nodes, daemon_sets);
    const double whole = milliseconds_of(cluster, nullptr);
    diagnosis::KeptReports kept;
    const double part = milliseconds_of(cluster, &kept);
    fmt::print(
        "{:>6} nodes x {:>3} DaemonSets: {:7.1f} ms anew, {:7.1f} ms with kept reports, {:.2f} x; "
        "{} reused\n",
        nodes, daemon_sets, whole, part, part / whole, kept.reused());
  }
  return 0;
}
