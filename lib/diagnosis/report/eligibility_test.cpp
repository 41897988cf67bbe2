// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/eligibility.h"

#include <catch2/catch.hpp>

#include "diagnosis/test_story.h"
#include "diagnosis/views/timeline.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using dsdoctor::diagnosis::testing::test_now;
using dsdoctor::diagnosis::testing::TestStory;
using dsdoctor::testing::at;

namespace {

/// n1 and n2, which DaemonSet x/agent does not select; labels of n1 were written at 995, and the
/// controller deleted pod agent-aaaaa at 1000.
TestStory label_story() {
  TestStory story;
  story.nodes({"n1", "n2"});
  story.ds().pod_template.node_selector = {{"tier", "edge"}};
  model::FieldManager writer;
  writer.manager = "kubectl-label";
  writer.operation = "Update";
  writer.time = at(995);
  writer.labels = {model::Text("zone")};
  story.cluster.nodes[0].meta.managers = {writer};
  story.event("SuccessfulDelete", "Deleted pod: agent-aaaaa", 1000);
  return story;
}

/// The deleted pods on a node, or "none"; "?" for a pod whose name is not known.
std::string loss_on(const TestStory& story, std::size_t node = 0) {
  const Facts facts(story.cluster, at(test_now));
  const model::DaemonSet& ds = story.cluster.daemon_sets[0];
  const auto own = facts.events_of("DaemonSet", "x", "agent", ds.meta.uid);
  const auto loss = label_loss(story.cluster.nodes[node], ds, own, facts);
  if (!loss) return "none";
  return loss->pod.empty() ? "?" : std::string(loss->pod);
}

std::string writer_on(const TestStory& story) {
  const Facts facts(story.cluster, at(test_now));
  const model::DaemonSet& ds = story.cluster.daemon_sets[0];
  const auto own = facts.events_of("DaemonSet", "x", "agent", ds.meta.uid);
  const auto loss = label_loss(story.cluster.nodes[0], ds, own, facts);
  return loss ? loss->writer->manager.str() : "none";
}

void say_where(TestStory& story, const char* node) {
  model::Event& event =
      story.add_event("Pod", "agent-aaaaa", "Killing", "Stopping container main", at(1000));
  event.meta.ns = "x";
  event.ns = "x";
  event.host = node;
}

}  // namespace

TEST_CASE("a pod that was deleted right after its node's labels were written", "[eligibility]") {
  TestStory story = label_story();
  CHECK(loss_on(story) == "agent-aaaaa");
  CHECK(loss_on(story, 1) == "none");  // nobody wrote its labels
  SECTION("an event of the pod names its node") {
    say_where(story, "n1");
    CHECK(loss_on(story) == "agent-aaaaa");
  }
  SECTION("or another node") {
    say_where(story, "n2");
    CHECK(loss_on(story) == "none");
  }
  SECTION("the last writer before the deletion counts") {
    model::FieldManager earlier = story.cluster.nodes[0].meta.managers[0];
    earlier.manager = "kubelet";
    earlier.time = at(992);
    const model::FieldManager later = story.cluster.nodes[0].meta.managers[0];
    story.cluster.nodes[0].meta.managers = {earlier, later};
    CHECK(writer_on(story) == "kubectl-label");
    say_where(story, "n1");
    CHECK(writer_on(story) == "kubectl-label");
  }
  SECTION("one of several pods") {
    story.event("SuccessfulDelete", "Deleted pod: agent-bbbbb", 1001);
    CHECK(loss_on(story) == "?");
    say_where(story, "n1");
    CHECK(loss_on(story) == "agent-aaaaa");
  }
  SECTION("too long after it, before it, or after something else") {
    model::FieldManager& writer = story.cluster.nodes[0].meta.managers[0];
    SECTION("too long") { writer.time = at(980); }
    SECTION("the labels of a new node") { story.cluster.nodes[0].meta.created = at(990); }
    SECTION("a rolling update deletes pods") {
      model::FieldManager& rollout = story.ds().meta.managers.emplace_back();
      rollout.manager = "kubectl";
      rollout.spec = true;
      rollout.time = at(900);
    }
    SECTION("before") { writer.time = at(1001); }
    SECTION("a heartbeat") { writer.subresource = "status"; }
    SECTION("no labels") { writer.labels.clear(); }
    SECTION("no time") { writer.time.reset(); }
    SECTION("a pod was created") { story.cluster.events[0].reason = "SuccessfulCreate"; }
    CHECK(loss_on(story) == "none");
  }
}

TEST_CASE("the timeline has the change of a label and its deletion as one entry", "[timeline]") {
  TestStory story = label_story();
  const auto texts = [&] {
    const Facts facts(story.cluster, at(test_now));
    std::string result;
    for (const auto& entry : History(facts, story.cluster.daemon_sets[0]).of_daemon_set().entries)
      result += entry.object + " " + entry.text + "\n";
    return result;
  };
  CHECK(texts().find("Node/n1 label tier is gone, labels last written by kubectl label; the "
                     "controller deleted pod agent-aaaaa 5s later\n") != std::string::npos);
  CHECK(texts().find("Deleted pod") == std::string::npos);
  SECTION("another value") {
    story.cluster.nodes[0].meta.labels.set("tier", "core");
    CHECK(texts().find("label tier=core does not match") != std::string::npos);
  }
  SECTION("the node is eligible: the deletion has another reason") {
    story.cluster.nodes[0].meta.labels.set("tier", "edge");
    CHECK(texts().find("Deleted pod: agent-aaaaa") != std::string::npos);
    CHECK(texts().find("labels last written") == std::string::npos);
  }
}
