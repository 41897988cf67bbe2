// SPDX-License-Identifier: Apache-2.0

// Which objects are read for a question, in which order, and that the result is complete.

#include "question/read.h"

#include <catch2/catch.hpp>
#include <functional>
#include <sstream>

#include "placement/namespace_selector.h"

using namespace dsdoctor;
using cmd::AnswerOptions;
using cmd::ObjectName;
using cmd::ObjectType;

namespace {

/// Returns a cluster; `details` adds to it on load_details.
class FakeSource : public source::ClusterSource {
 public:
  FakeSource(model::Cluster cluster, std::function<void(source::Snapshot&)> details)
      : cluster_(std::move(cluster)), details_(std::move(details)) {}

  base::Result<source::Snapshot> load(const source::Query& query) override {
    queries.push_back(query);
    source::Snapshot snapshot;
    snapshot.cluster = cluster_;
    return snapshot;
  }
  [[nodiscard]] bool has_more() const override { return details_ != nullptr; }
  void load_details(source::Snapshot& snapshot, const model::DetailQuery& query) override {
    details.push_back(query);
    details_(snapshot);
  }

  std::vector<source::Query> queries;
  std::vector<model::DetailQuery> details;

 private:
  model::Cluster cluster_;
  std::function<void(source::Snapshot&)> details_;
};

/// DaemonSet mon/agent on two nodes, without a pod.
model::Cluster cluster() {
  model::Cluster result;
  model::DaemonSet& ds = result.daemon_sets.emplace_back();
  ds.meta.ns = "mon";
  ds.meta.name = "agent";
  for (const char* name : {"n1", "n2"}) result.nodes.emplace_back().meta.name = name;
  result.nodes[0].meta.labels.set("zone", "a");
  result.nodes_known = true;
  result.pods_known = true;
  result.known.daemon_sets = true;
  return result;
}

struct ReadOutcome {
  base::Result<cmd::Reading> reading;
  std::string err;
};

ReadOutcome read(FakeSource& source, const AnswerOptions& asked, const fixes::WhatIf& changes = {},
                 cmd::Reads reads = {}) {
  std::ostringstream stream;
  std::istringstream in;
  cmd::Context ctx{.out = stream, .err = stream, .in = in, .environment = {}, .now = [] {
                     return model::Time();
                   }};
  const cmd::Request request{asked, reads, "mon", changes, diagnosis::TaintCatalogue::built_in(),
                             {}};
  auto reading = cmd::read(source, request, ctx);
  return {std::move(reading), stream.str()};
}

AnswerOptions about(const char* name) {
  AnswerOptions asked;
  asked.scope.names = {{ObjectType::DaemonSet, name, false}};
  return asked;
}

void add_nothing(source::Snapshot& /*snapshot*/) {}

}  // namespace

TEST_CASE("files are read only once", "[cmd][read]") {
  FakeSource files(cluster(), nullptr);
  const ReadOutcome outcome = read(files, about("agent"));
  REQUIRE(outcome.reading);
  CHECK(files.queries.size() == 1);
  CHECK(files.details.empty());
  CHECK(outcome.reading->daemon_sets.size() == 1);
}

TEST_CASE("explaining data is read once and used for the answer", "[cmd][read]") {
  FakeSource server(cluster(), [](source::Snapshot& snapshot) {
    // OpenShift: the namespace of the DaemonSet selects nodes. The list's contents move, too.
    model::Namespace& ns = snapshot.cluster.namespaces.emplace_back();
    ns.meta.name = "mon";
    ns.annotations.set("openshift.io/sa.scc.uid-range", "1/1");
    ns.annotations.set(placement::openshift_selector_annotation, "zone=a");
    std::vector<model::DaemonSet> all = snapshot.cluster.daemon_sets;
    all.insert(all.begin(), model::DaemonSet());
    snapshot.cluster.daemon_sets = std::move(all);
  });
  const ReadOutcome outcome = read(server, about("agent"));
  REQUIRE(outcome.reading);
  CHECK(server.queries.size() == 1);
  REQUIRE(server.details.size() == 1);
  CHECK_FALSE(server.details[0].empty());
  const cmd::Reading& reading = *outcome.reading;
  REQUIRE(reading.daemon_sets.size() == 1);
  CHECK(reading.daemon_sets[0] == &reading.snapshot.cluster.daemon_sets[1]);
  const diagnosis::Reporter reporter(reading.snapshot.cluster, reading.judged_by);
  CHECK(reporter.verdicts(*reading.daemon_sets[0]).evaluated.counts.desired_number_scheduled == 1);
}

TEST_CASE("events that are read later decide on a feature gate", "[cmd][read]") {
  model::Cluster with_gate = cluster();
  with_gate.daemon_sets[0].meta.uid = "uid-1";
  with_gate.daemon_sets[0].pod_template.tolerations = {{"sla", "Gt", "500", "NoSchedule"}};
  FakeSource files(with_gate, nullptr);
  CHECK(read(files, about("agent")).reading->judged_by.gates.taint_toleration_comparison_operators);
  FakeSource server(with_gate, [](source::Snapshot& snapshot) {
    model::Event& event = snapshot.cluster.events.emplace_back();
    event.kind = "DaemonSet";
    event.reason = "FailedCreate";
    event.message = "spec.tolerations[0].operator: Unsupported value: \"Gt\"";
  });
  const ReadOutcome outcome = read(server, about("agent"));
  REQUIRE(outcome.reading);
  CHECK_FALSE(outcome.reading->judged_by.gates.taint_toleration_comparison_operators);
}

TEST_CASE("nothing more is read if no name was found", "[cmd][read]") {
  FakeSource server(cluster(), add_nothing);
  const ReadOutcome outcome = read(server, about("agnet"));
  REQUIRE(outcome.reading);
  CHECK(server.details.empty());
  REQUIRE(outcome.reading->not_found.size() == 1);
  CHECK(outcome.reading->not_found[0].hints == std::vector<std::string>{"did you mean: agent"});
  AnswerOptions lenient = about("agnet");
  lenient.scope.ignore_not_found = true;
  CHECK(read(server, lenient).reading->not_found.empty());
}

TEST_CASE("a namespace without DaemonSets is verified", "[cmd][read]") {
  model::Cluster other = cluster();
  other.daemon_sets[0].meta.ns = "monitoring";
  FakeSource knows(other,
                   [](source::Snapshot& snapshot) { snapshot.cluster.known.namespaces = true; });
  const ReadOutcome outcome = read(knows, AnswerOptions());
  REQUIRE_FALSE(outcome.reading);
  CHECK(outcome.reading.error().what == "namespaces \"mon\" not found");
  REQUIRE(knows.details.size() == 1);
  CHECK(knows.details[0].namespaces == std::set<std::string>{"mon"});

  FakeSource forbidden(other, [](source::Snapshot& snapshot) {
    snapshot.omissions.push_back({"namespaces", "", "Forbidden", "", ""});
  });
  const ReadOutcome unread = read(forbidden, AnswerOptions());
  REQUIRE(unread.reading);
  CHECK(unread.reading->ns_unread);
  CHECK(unread.reading->snapshot.omissions.front().consequence ==
        "whether namespace mon exists is unknown");
}

TEST_CASE("an invalid change is reported before more is read", "[cmd][read]") {
  FakeSource server(cluster(), add_nothing);
  fixes::WhatIf changes;
  changes.edits.push_back({fixes::NodeEdit::Kind::Cordon, {"n3", "n3", {}}, {}, {}, {}});
  const ReadOutcome outcome = read(server, about("agent"), changes);
  REQUIRE_FALSE(outcome.reading);
  CHECK(outcome.reading.error().what == "nodes \"n3\" not found");
  CHECK(server.details.empty());
}

TEST_CASE("the only name may be a node's", "[cmd][read]") {
  FakeSource server(cluster(), add_nothing);
  const ReadOutcome outcome = read(server, about("n2"), {}, {.follows = true});
  REQUIRE(outcome.reading);
  CHECK(outcome.err == "note: n2 is a node\n");
  CHECK(outcome.reading->one_node);
  CHECK(outcome.reading->scope.names == std::vector<ObjectName>{{ObjectType::Node, "n2", true}});
  REQUIRE(server.queries.size() == 2);
  CHECK(server.queries[1].node == "n2");
  CHECK(server.queries[1].names.empty());
}

TEST_CASE("data that is not needed is not an omission", "[cmd][read]") {
  FakeSource server(cluster(), [](source::Snapshot& snapshot) {
    snapshot.omissions.push_back({"events", "", "Forbidden", "", ""});
  });
  const ReadOutcome outcome = read(server, about("agent"), {}, {.pods = false, .revisions = false});
  REQUIRE(outcome.reading);
  CHECK_FALSE(server.queries[0].pods);
  CHECK(outcome.reading->snapshot.omissions.size() == 1);
}
