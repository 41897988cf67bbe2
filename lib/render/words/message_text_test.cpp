// SPDX-License-Identifier: Apache-2.0
#include "render/words/message_text.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/catalogue/findings/startup.h"

using namespace dsdoctor;
using diagnosis::common;
using diagnosis::Message;
namespace phrase = diagnosis::phrase;

TEST_CASE("a message is its template with the values of its parameters", "[render][words]") {
  CHECK(render::text_of(phrase::MisscheduledByTaint{.taint = "a:NoSchedule"}) ==
        "misscheduled: taint a:NoSchedule is not tolerated");
  Message message = phrase::TaintNotTolerated{.taint = "a:NoSchedule"};
  message.notes.push_back(phrase::DaemonSetIgnored{});
  CHECK(render::text_of(message) ==
        "taint a:NoSchedule is not tolerated; the controller ignores this DaemonSet");
}

TEST_CASE("a clause with an unknown value is left out", "[render][words]") {
  const Message example = phrase::DaemonSetIgnored{};
  CHECK(render::text_of(
            phrase::ForExample{.example = example, .node = "n1", .title = Message(example)}) ==
        "the controller ignores this DaemonSet; for example on n1: the controller ignores this "
        "DaemonSet");
  CHECK(render::text_of(phrase::ForExample{.example = example, .node = "n1", .title = {}}) ==
        "for example on n1: the controller ignores this DaemonSet");
}

TEST_CASE("a message with an unknown value outside of clauses has no text", "[render][words]") {
  const Message a = phrase::TaintNotTolerated{.taint = "a:NoSchedule"};
  const Message b = phrase::TaintNotTolerated{.taint = "b:NoSchedule"};
  CHECK(render::text_of(common(a, a)) == "taint a:NoSchedule is not tolerated");
  CHECK(render::text_of(common(a, b)).empty());
}

TEST_CASE("a finding with an unknown value outside of clauses has its title", "[render][words]") {
  const diagnosis::Finding finding =
      diagnosis::make_finding(diagnosis::finding::NetworkNotReady{.said = ""});
  CHECK(render::text_of(finding.message) ==
        "NetworkNotReady: the network of the node is not set up");
}

TEST_CASE("a message begins with Kubernetes' own word if its first phrase does",
          "[render][words]") {
  const Message finding = phrase::MisscheduledByTaint{.taint = "a:NoSchedule"};
  diagnosis::Problem problem;
  problem.title = phrase::Transient{.finding = finding};
  CHECK(render::title_of(problem).word == std::string_view("misscheduled").size());
  problem.title = phrase::ForExample{.example = finding, .node = "n1", .title = {}};
  CHECK(render::title_of(problem).word == std::string::npos);
}

TEST_CASE("a message without any value has the title of the entry", "[render][words]") {
  const auto& entry = diagnosis::entry_of(diagnosis::FindingId::NodeNotReady);
  CHECK(render::text_of(diagnosis::title_message(entry)) == entry.title);
}

TEST_CASE("a list of many phrases shows the first five", "[render][words]") {
  const auto told = [](std::size_t count) {
    const std::vector<Message> pods(count, phrase::PodOnNode{.node = "n", .pod = "p"});
    return render::text_of(diagnosis::make_finding(diagnosis::finding::DaemonsetOndeleteOutdated{
                                                       .age = std::optional<base::Time::duration>(),
                                                       .at_once = "1",
                                                       .desired = 9,
                                                       .new_pods_would_work = true,
                                                       .newer = std::optional<std::int64_t>(),
                                                       .older = std::optional<std::int64_t>(),
                                                       .outdated = count,
                                                       .parked = std::optional<std::int64_t>(),
                                                       .pods = pods,
                                                       .the_manager_is_silent = false})
                               .message);
  };
  CHECK(told(2) == "OnDelete: 2 of 9 pods outdated until they are deleted: p on n, p on n");
  CHECK(told(7).ends_with(": p on n, p on n, p on n, p on n, p on n and 2 more"));
}

TEST_CASE("a title that is too long has shorter lists without gaps", "[render][words]") {
  std::vector<Message> pods;
  for (const char* name : {"agent-1", "agent-2", "agent-3", "agent-4"}) {
    pods.push_back(phrase::PodOnNode{.node = "n", .pod = name});
  }
  diagnosis::Problem problem;
  problem.title = phrase::FirstOf{.first = pods, .more = 7};
  const std::string whole = render::title_of(problem).text;
  CHECK(render::title_of(problem, whole.size()).text == whole);
  CHECK(render::title_of(problem, whole.size() - 1).text ==
        render::text_of(pods[0]) + ", " + render::text_of(pods[1]) + ", " +
            render::text_of(pods[2]) + ", ... and 7 more");
}

TEST_CASE("a phrase does not repeat the first word of its message", "[render][words]") {
  const auto told = [](const char* reason) {
    return render::text_of(
        diagnosis::make_finding(diagnosis::finding::RolloutNewBroken{
                                    .available = 1,
                                    .cause = phrase::MisscheduledByTaint{.taint = "a:NoSchedule"},
                                    .fault = phrase::PodIsRejected{.reason = reason},
                                    .older = 2,
                                    .one_is_available = true,
                                    .only_deletion_replaces_pods = false,
                                    .share = phrase::TheOnlyPod{}})
            .message);
  };
  CHECK(told("misscheduled") ==
        "misscheduled in the only pod of the newest revision: taint a:NoSchedule is not tolerated; "
        "1 of 2 pods of older revisions is available");
  CHECK(told("Evicted").starts_with(
      "Evicted in the only pod of the newest revision: misscheduled: "));
}

TEST_CASE("evidence is an object, a path and a value", "[render][words]") {
  CHECK(render::text_of(diagnosis::Evidence{{"Node", "", "n1"}, "spec.unschedulable", "true"}) ==
        "Node/n1 spec.unschedulable: true");
  CHECK(render::text_of(diagnosis::Evidence{{"Node", "", "n1"}, "spec.taints"}) ==
        "Node/n1 spec.taints");
}
