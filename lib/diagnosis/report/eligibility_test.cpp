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

/// The deleted pod on a node and who wrote its labels, or "none"; "?" for a pod or a writer that is
/// not known.
std::string loss_on(const TestStory& story, std::size_t node = 0) {
  const Facts facts(story.cluster, at(test_now));
  const model::DaemonSet& ds = story.cluster.daemon_sets[0];
  const auto loss = label_loss(story.cluster.nodes[node], ds, DaemonSetEvents(ds, facts));
  if (!loss) return "none";
  const std::string writer = loss->writer == nullptr ? "?" : loss->writer->manager.str();
  return (loss->pod.empty() ? "?" : std::string(loss->pod)) + " " + writer +
         (loss->is_certain ? "" : " suspected");
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
  CHECK(loss_on(story) == "agent-aaaaa kubectl-label suspected");
  CHECK(loss_on(story, 1) == "none");  // nobody wrote its labels
  SECTION("an event of the pod names its node") {
    say_where(story, "n1");
    CHECK(loss_on(story) == "agent-aaaaa kubectl-label");
    // The API server does not record who only removes a label.
    story.cluster.nodes[0].meta.managers = {};
    CHECK(loss_on(story) == "agent-aaaaa ?");
  }
  SECTION("or another node") {
    say_where(story, "n2");
    CHECK(loss_on(story) == "none");
    CHECK(loss_on(story, 1) == "agent-aaaaa ?");
  }
  SECTION("the last writer before the deletion counts") {
    model::FieldManager earlier = story.cluster.nodes[0].meta.managers[0];
    earlier.manager = "kubelet";
    earlier.time = at(992);
    const model::FieldManager later = story.cluster.nodes[0].meta.managers[0];
    story.cluster.nodes[0].meta.managers = {later, earlier};
    say_where(story, "n1");
    CHECK(loss_on(story) == "agent-aaaaa kubectl-label");
  }
  SECTION("one of several pods") {
    story.event("SuccessfulDelete", "Deleted pod: agent-bbbbb", 1001);
    CHECK(loss_on(story) == "? kubectl-label suspected");
    say_where(story, "n1");
    CHECK(loss_on(story) == "agent-aaaaa kubectl-label");
  }
  SECTION("a rolling update deletes pods on any node") {
    model::FieldManager& rollout = story.ds().meta.managers.emplace_back();
    rollout.manager = "kubectl";
    rollout.spec = true;
    rollout.time = at(900);
    story.ds().generation = 2;
    CHECK(loss_on(story) == "none");
    say_where(story, "n1");
    CHECK(loss_on(story) == "none");
    story.ds().generation = 1;  // it was created then
    CHECK(loss_on(story) == "agent-aaaaa kubectl-label");
  }
  SECTION("too long after it, before it, or after something else") {
    model::FieldManager& writer = story.cluster.nodes[0].meta.managers[0];
    SECTION("too long") { writer.time = at(980); }
    SECTION("before") { writer.time = at(1001); }
    SECTION("a heartbeat") { writer.subresource = "status"; }
    SECTION("the labels of a new node") { story.cluster.nodes[0].meta.created = at(990); }
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
  SECTION("nobody is recorded") {
    story.cluster.nodes[0].meta.managers = {};
    say_where(story, "n1");
    CHECK(texts().find("Node/n1 label tier is gone; the controller deleted pod agent-aaaaa\n") !=
          std::string::npos);
  }
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
