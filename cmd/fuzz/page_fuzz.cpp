// SPDX-License-Identifier: Apache-2.0

// A page in HTML about a cluster whose texts are the lines of the input.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "diagnosis/reporter.h"
#include "fixes/explanation.h"
#include "fuzz/test_fuzz.h"
#include "model/cluster.h"
#include "render/document/page/page.h"
#include "test_readers.h"

namespace dsdoctor::fuzz {
namespace {

/// Gives one line after the other; empty texts after the last.
class Lines {
 public:
  explicit Lines(std::string_view input) : rest_(input) {}

  model::Text next() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const model::Text line(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return line;
  }

 private:
  std::string_view rest_;
};

model::Cluster cluster_of(Lines lines) {
  model::Cluster cluster;
  model::DaemonSet ds;
  ds.meta.ns = lines.next();
  ds.meta.name = lines.next();
  ds.meta.uid = model::UniqueText("u");
  for (int i = 0; i < 3; ++i) {
    model::Node node;
    node.meta.name = lines.next();
    node.meta.labels = {{model::Text("pool"), lines.next()}, {lines.next(), lines.next()}};
    node.taints.push_back({lines.next(), lines.next(), model::Text("NoSchedule")});
    model::Condition ready;
    ready.type = model::Text("Ready");
    ready.status = model::Text(i == 0 ? "False" : "True");
    ready.reason = lines.next();
    ready.message = lines.next();
    node.conditions.push_back(std::move(ready));
    const bool is_known = std::ranges::any_of(
        cluster.nodes, [&](const model::Node& other) { return other.meta.name == node.meta.name; });
    if (!is_known) cluster.nodes.push_back(std::move(node));
  }
  std::ranges::sort(cluster.nodes, {},
                    [](const model::Node& node) { return node.meta.name.str(); });
  model::Pod pod;
  pod.meta.ns = ds.meta.ns;
  pod.meta.name = lines.next();
  pod.meta.controller = model::ControllerRef{"DaemonSet", ds.meta.name, ds.meta.uid.str()};
  pod.node_name = cluster.nodes.front().meta.name;
  cluster.pods.push_back(std::move(pod));
  cluster.daemon_sets.push_back(std::move(ds));
  return cluster;
}

/// Removes an element and returns its content.
std::string taken(std::string& page, std::size_t at, std::string_view end) {
  require(at != std::string::npos, "the page has all of its elements");
  const std::size_t begin = page.find('>', at) + 1;
  const std::size_t size = page.find(end, begin) - begin;
  std::string content = page.substr(begin, size);
  page.erase(at, begin + size + end.size() - at);
  return content;
}

}  // namespace

void page(std::string_view input) {
  const model::Cluster cluster = cluster_of(Lines(input));
  const diagnosis::Reporter reporter(cluster, {});
  const fixes::Explanation explanation =
      fixes::explain(reporter, {&cluster.daemon_sets.front()}, {},
                     {.timelines = fixes::Details::Timelines::OfProblems});
  std::string page = render::report_page(explanation, reporter, {}, {}, {"x", std::string(input)});
  (void)taken(page, page.find("<style>"), "</style>");
  (void)taken(page, page.rfind("<script>"), "</script>");
  const std::string data = taken(page, page.find("<script type"), "</script>");
  const auto parsed = nlohmann::json::parse(data, nullptr, false);
  require(!parsed.is_discarded() && data.find('<') == std::string::npos,
          "the data are JSON without the start of a tag");
  require(parsed["nodes"].size() == cluster.nodes.size(), "the data have each node");
  const std::string fault =
      cmd::fault_of_markup(page, cmd::page_elements(), {"meta", "link", "col"});
  require(fault.empty(), "the page is markup of its templates only: " + fault);
}

}  // namespace dsdoctor::fuzz
