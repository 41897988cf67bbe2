#include "diagnosis/causes/nodes/node_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

Finding only(const TestStory& story, std::string_view id, bool asked = false) {
  const auto findings =
      story.ask_node([&](const NodeCase& c) { return node_findings(c, asked); }, "a");
  CAPTURE(ids(findings), std::string(id));
  REQUIRE(std::ranges::count(findings, id, &Finding::name) == 1);
  return *std::ranges::find(findings, id, &Finding::name);
}

/// Node a, of which nothing was heard for more than an hour.
TestStory silent_node() {
  TestStory story;
  story.nodes({"a"});
  model::Condition& ready = story.node("a").conditions.front();
  ready.status = "Unknown";
  ready.reason = "NodeStatusUnknown";
  ready.last_heartbeat = at(6'000);
  ready.last_transition = at(6'040);
  return story;
}

model::Lease& renew(TestStory& story, const char* ns, const char* name, std::int64_t when) {
  model::Lease& lease = story.cluster.leases.emplace_back();
  lease.meta.ns = ns;
  lease.meta.name = name;
  lease.duration = 40;
  lease.renewed = at(when);
  return lease;
}

}  // namespace

TEST_CASE("a kubelet is silent since its last word, be it a status or a lease", "[diagnosis]") {
  TestStory story = silent_node();
  const auto since = [&] {
    const Finding finding = only(story, "node-unreachable");
    CHECK(finding.severity == Severity::Error);
    const std::size_t at = finding.message.find("since ");
    return finding.message.substr(at + 6, 19);
  };
  CHECK(since() == "2023-11-14 23:53:20");
  model::Lease& lease = renew(story, "kube-node-lease", "a", 5'990);
  CHECK(since() == "2023-11-14 23:53:20");
  lease.renewed = at(6'010);
  CHECK(since() == "2023-11-14 23:53:30");
  CHECK(only(story, "node-unreachable").evidence.back() ==
        "Lease/a spec.renewTime: 2023-11-14 23:53:30 UTC");
  lease.renewed = at(test_now - 40);
  CHECK(only(story, "node-unreachable").severity == Severity::Error);
  lease.renewed = at(test_now - 39);
  const Finding back = only(story, "node-unreachable");
  CHECK(back.severity == Severity::Warning);
  CHECK(back.transient);
  CHECK(remedy(back).empty());
  CHECK(back.message.starts_with("the kubelet is back: it renewed its lease at "));
}

TEST_CASE("a lease of another node or another namespace is none of its own", "[diagnosis]") {
  TestStory story = silent_node();
  renew(story, "kube-node-lease", "b", test_now - 5);
  renew(story, "x", "a", test_now - 5);
  CHECK(only(story, "node-unreachable").severity == Severity::Error);
}

TEST_CASE(
    "a node that runs no pods of DaemonSets is wanted by a toleration, or for want of a taint",
    "[diagnosis]") {
  const bool fargate = GENERATE(true, false);
  CAPTURE(fargate);
  TestStory story;
  story.nodes({"a"});
  model::Node& node = story.node("a");
  node.meta.labels = fargate ? model::Labels{{"eks.amazonaws.com/compute-type", "fargate"}}
                             : model::Labels{{"type", "virtual-kubelet"}};
  const char* id = fargate ? "node-fargate" : "node-virtual";
  story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
  CHECK(only(story, id).message.ends_with("; no taint keeps the DaemonSet away"));
  node.taints = {{"node.kubernetes.io/unschedulable", "", "NoSchedule"},
                 {"a-wish", "", "PreferNoSchedule"}};
  CHECK(only(story, id).message.ends_with("; no taint keeps the DaemonSet away"));
  node.taints.push_back({"eks.amazonaws.com/compute-type", "fargate", "NoSchedule"});
  CHECK(only(story, id).message.ends_with(
      "; only a toleration of its taint brings the DaemonSet there"));
}
