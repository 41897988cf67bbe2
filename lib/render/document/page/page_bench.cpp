// SPDX-License-Identifier: Apache-2.0

// Size of pages in HTML about random clusters with many problems, and the time to make them beside
// that of the text for a terminal. The time until a browser paints them and filters: ./dev e2e
// browser.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "render/document/page/page.h"
#include "render/terminal/texts.h"
#include "testing/troubled_cluster.h"

namespace {

using namespace dsdoctor;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void measure(const testing::TroubledSize& size) {
  const model::Cluster cluster = testing::troubled_cluster(1, size);
  const diagnosis::Reporter reporter(cluster, {{}, testing::troubled_now(), nullptr});
  std::vector<const model::DaemonSet*> all;
  for (const model::DaemonSet& ds : cluster.daemon_sets) all.push_back(&ds);
  auto start = Clock::now();
  const auto explanation = fixes::explain(
      reporter, all, {},
      {.groups = true, .suggestions = true, .timelines = fixes::Details::Timelines::OfProblems});
  const double evaluated = seconds_since(start);
  start = Clock::now();
  const std::string text = render::explanation_text(explanation, {}, {}, {});
  const double as_text = seconds_since(start);
  start = Clock::now();
  const auto data = render::report_data(explanation, reporter, {}, {}, {});
  const double as_data = seconds_since(start);
  start = Clock::now();
  const std::string page = render::page::filled_report(data);
  const double filled = seconds_since(start);
  std::fputs(
      fmt::format("{:>6} x {:<4} {:>9} bytes   evaluated {:.3f} s, text {:.3f} s, data of the "
                  "page {:.3f} s, filled {:.3f} s: {:.2f} x the evaluation\n",
                  size.nodes, size.daemon_sets, page.size(), evaluated, as_text, as_data, filled,
                  (as_data + filled) / evaluated)
          .c_str(),
      stdout);
}

}  // namespace

int main() {
  std::fputs("nodes x DaemonSets, the page in HTML\n", stdout);
  measure({39, 11});
  measure({112, 64});
  measure({500, 60});
  measure({5'000, 60});
}
