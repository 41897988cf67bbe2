// SPDX-License-Identifier: Apache-2.0

// Nodes of one kind are evaluated once. Checks that reports and predictions are the same as if each
// node were evaluated by itself.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <random>
#include <string>

#include "diagnosis/reporter.h"
#include "fixes/fixes.h"
#include "testing/cluster_reader.h"
#include "testing/troubled_cluster.h"

using namespace dsdoctor;

namespace {

diagnosis::ReportOptions options_at(model::Time now, bool by_kind) {
  diagnosis::ReportOptions options;
  options.now = now;
  options.named = true;
  options.by_kind = by_kind;
  return options;
}

void check_same(const diagnosis::NodeReport& shared, const diagnosis::NodeReport& own) {
  CAPTURE(own.name.view());
  CHECK(shared.name == own.name);
  CHECK(shared.decision() == own.decision());
  CHECK(shared.verdict() == own.verdict());
  CHECK(shared.node_known() == own.node_known());
  CHECK(shared.pods() == own.pods());
  CHECK(shared.reasons() == own.reasons());
  CHECK(shared.known() == own.known());
  CHECK(shared.findings() == own.findings());
}

void check_same(const diagnosis::NodeReports& shared, const diagnosis::NodeReports& own) {
  REQUIRE(shared.size() == own.size());
  for (std::size_t i = 0; i < own.size(); ++i) check_same(shared[i], own[i]);
}

void check_same(const fixes::Effect& shared, const fixes::Effect& own) {
  CHECK(shared.before == own.before);
  CHECK(shared.after == own.after);
  CHECK(shared.gained == own.gained);
  CHECK(shared.lost == own.lost);
  CHECK(shared.deletes == own.deletes);
  CHECK(shared.replaced == own.replaced);
}

/// Compares the predictions of all fixes for all DaemonSets.
void check_predictions(const diagnosis::Reporter& by_kind, const diagnosis::Reporter& one_by_one) {
  std::vector<const model::DaemonSet*> all;
  for (const model::DaemonSet& ds : by_kind.cluster().daemon_sets) all.push_back(&ds);
  for (const auto kind : {fixes::FixTarget::Kind::Each, fixes::FixTarget::Kind::All}) {
    const fixes::FixTarget target{kind, {}, {}};
    const auto shared = fixes::fixes_for(by_kind, all, target);
    const auto own = fixes::fixes_for(one_by_one, all, target);
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(shared[i].suggestions.size() == own[i].suggestions.size());
      for (std::size_t s = 0; s < own[i].suggestions.size(); ++s) {
        check_same(shared[i].suggestions[s].effect, own[i].suggestions[s].effect);
      }
      REQUIRE(shared[i].alternatives.size() == own[i].alternatives.size());
      for (std::size_t a = 0; a < own[i].alternatives.size(); ++a) {
        check_same(shared[i].alternatives[a].effect, own[i].alternatives[a].effect);
      }
    }
  }
}

/// Number of nodes that share the state of the previous node.
std::size_t sharing(const diagnosis::NodeReports& nodes) {
  std::size_t result = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    result += nodes[i].state.is_same(nodes[i - 1].state) ? 1 : 0;
  }
  return result;
}

/// Returns the number of nodes that shared a state.
std::size_t check_cluster(const model::Cluster& cluster, model::Time now) {
  const diagnosis::Reporter by_kind(cluster, options_at(now, true));
  const diagnosis::Reporter one_by_one(cluster, options_at(now, false));
  check_predictions(by_kind, one_by_one);
  std::size_t shared = 0;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    CAPTURE(ds.meta.name.view());
    const auto report = by_kind.report(ds);
    const auto own = one_by_one.report(ds);
    check_same(report.nodes, own.nodes);
    check_same(report.vanished_nodes, own.vanished_nodes);
    CHECK(report.findings == own.findings);
    CHECK(report.evaluated.counts == own.evaluated.counts);
    CHECK(sharing(own.nodes) == 0);
    shared += sharing(report.nodes);
  }
  return shared;
}

/// Makes some nodes special by their own state, age or kind.
void make_some_special(model::Cluster& cluster, model::Time now) {
  auto& nodes = cluster.nodes;
  nodes[1].meta.labels.set("type", "virtual-kubelet");
  nodes[2].meta.labels.set("eks.amazonaws.com/compute-type", "fargate");
  nodes[3].meta.created = now - std::chrono::seconds(60);
  nodes[4].conditions = {{"Ready", "True", "", "", now}};
  nodes[5].conditions.push_back({"DiskPressure", "True", "", "", now});
  nodes[6].meta.finalizers = {"x.io/wait"};
  nodes[6].meta.deleted = now;
  nodes[7].taints.push_back({"node.cilium.io/agent-not-ready", "", "NoSchedule"});
  nodes[8].taints.push_back({"team", "a", "NoSchedule"});
  nodes[9].allocatable = {{"cpu", "1m"}, {"pods", "1"}};
}

}  // namespace

TEST_CASE("recorded clusters have equal reports by kind and node by node", "[conformance][kinds]") {
  for (const char* name : {"autoscaler-taint", "controller-forbidden", "mixed-40-nodes",
                           "nfd-label-flip", "status-lag"}) {
    CAPTURE(name);
    model::Cluster cluster = testing::recorded_cluster(name);
    for (const std::int64_t now : {1'795'228'500, 1'795'828'500}) {
      CAPTURE(now);
      check_cluster(cluster, model::Time(std::chrono::seconds(now)));
    }
    cluster.pods.clear();
    check_cluster(cluster, model::Time(std::chrono::seconds(1'795'828'500)));
  }
}

TEST_CASE("troubled clusters have equal reports by kind and node by node", "[conformance][kinds]") {
  std::size_t shared = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    model::Cluster cluster =
        testing::troubled_cluster(seed, {40, 6, static_cast<unsigned>(5 * (seed % 5))});
    shared += check_cluster(cluster, testing::troubled_now());
    make_some_special(cluster, testing::troubled_now());
    shared += check_cluster(cluster, testing::troubled_now());
    cluster.pods.clear();
    shared += check_cluster(cluster, testing::troubled_now());
    cluster.events.clear();
    shared += check_cluster(cluster, testing::troubled_now() + std::chrono::hours(48));
    cluster.pods_known = false;
    shared += check_cluster(cluster, testing::troubled_now());
  }
  CHECK(shared > 300);
}

namespace {

using Random = std::mt19937_64;

std::string one_of(Random& random, std::initializer_list<const char*> values) {
  return *(values.begin() + random() % values.size());
}

/// Appends a member of a JSON list.
void append_member(std::string& members, const std::string& text) {
  members += members.empty() ? text : "," + text;
}

/// A node with a hostname, and with some of the labels and taints that random_spec() names.
std::string random_node(Random& random, std::size_t index) {
  std::string labels = fmt::format(R"("kubernetes.io/hostname":"n{0}","rack":"r{0}")", index);
  if (random() % 4 != 0) {
    append_member(labels, fmt::format(R"("pool":"{}")", one_of(random, {"a", "b", "c", "d", ""})));
  }
  if (random() % 2 != 0) {
    append_member(labels,
                  fmt::format(R"("size":"{}")", one_of(random, {"2", "7", "x", "007", "-3"})));
  }
  std::string taints;
  if (random() % 3 == 0) {
    taints = fmt::format(R"({{"key":"{}","value":"{}","effect":"{}"}})",
                         one_of(random, {"team", "rack"}), one_of(random, {"a", "b", ""}),
                         one_of(random, {"NoSchedule", "NoExecute", "PreferNoSchedule"}));
  }
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"n{}","labels":{{{}}}}},"spec":{{"taints":[{}]}}}})",
      index, labels, taints);
}

std::string random_requirement(Random& random, std::size_t nodes) {
  const std::string key = one_of(random, {"pool", "size", "rack", "kubernetes.io/hostname"});
  switch (random() % 5) {
    case 0: return fmt::format(R"({{"key":"{}","operator":"Exists"}})", key);
    case 1: return fmt::format(R"({{"key":"{}","operator":"DoesNotExist"}})", key);
    case 2:
      return fmt::format(R"({{"key":"size","operator":"{}","values":["{}"]}})",
                         one_of(random, {"Gt", "Lt"}), one_of(random, {"0", "5", "7"}));
    default:
      return fmt::format(R"({{"key":"{}","operator":"{}","values":["{}","r{}","n{}"]}})", key,
                         one_of(random, {"In", "NotIn"}), one_of(random, {"a", "b", "2"}),
                         random() % nodes, random() % nodes);
  }
}

std::string random_term(Random& random, std::size_t nodes) {
  std::string expressions;
  for (std::size_t i = random() % 3; i > 0; --i) {
    append_member(expressions, random_requirement(random, nodes));
  }
  std::string fields;
  if (random() % 4 == 0) {
    fields = fmt::format(R"({{"key":"metadata.name","operator":"{}","values":["n{}"]}})",
                         one_of(random, {"In", "NotIn"}), random() % nodes);
  }
  return fmt::format(R"({{"matchExpressions":[{}],"matchFields":[{}]}})", expressions, fields);
}

/// Members of a pod template's spec that name labels, names and taints of nodes.
std::string random_spec(Random& random, std::size_t nodes) {
  std::string members = R"("containers":[{"name":"c","image":"i"}])";
  if (random() % 2 == 0) {
    append_member(members, random() % 2 == 0 ? fmt::format(R"("nodeSelector":{{"pool":"{}"}})",
                                                           one_of(random, {"a", "b", ""}))
                                             : fmt::format(R"("nodeSelector":{{"rack":"r{}"}})",
                                                           random() % nodes));
  }
  if (random() % 8 == 0) {
    append_member(members, fmt::format(R"("nodeName":"n{}")", random() % (nodes + 1)));
  }
  if (random() % 3 == 0) {
    append_member(members, fmt::format(R"("tolerations":[{{"key":"{}","operator":"{}"}}])",
                                       one_of(random, {"team", "rack"}),
                                       one_of(random, {"Exists", "Equal"})));
  }
  if (random() % 2 == 0) {
    std::string terms = random_term(random, nodes);
    if (random() % 2 == 0) append_member(terms, random_term(random, nodes));
    append_member(
        members,
        fmt::format(
            R"("affinity":{{"nodeAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":{{"nodeSelectorTerms":[{}]}}}}}})",
            terms));
  }
  return members;
}

model::Cluster cluster_of_named_values(std::uint64_t seed, std::size_t nodes,
                                       std::size_t daemon_sets) {
  Random random(seed);
  std::string items;
  for (std::size_t i = 0; i < nodes; ++i) append_member(items, random_node(random, i));
  for (std::size_t i = 0; i < daemon_sets; ++i) {
    append_member(
        items,
        fmt::format(
            R"({{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{{"name":"d{0}","namespace":"x","uid":"u{0}"}},)"
            R"("spec":{{"selector":{{"matchLabels":{{"app":"d{0}"}}}},"template":{{"metadata":{{"labels":{{"app":"d{0}"}}}},)"
            R"("spec":{{{1}}}}}}}}})",
            i, random_spec(random, nodes)));
  }
  return testing::cluster_from_json(
      fmt::format(R"({{"apiVersion":"v1","kind":"List","items":[{}]}})", items));
}

}  // namespace

TEST_CASE("DaemonSets that name values have equal reports by class and node by node",
          "[conformance][kinds]") {
  constexpr std::size_t nodes = 60;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const model::Cluster cluster = cluster_of_named_values(seed, nodes, 12);
    REQUIRE(cluster.daemon_sets.size() == 12);
    check_cluster(cluster, testing::troubled_now());
  }
}

TEST_CASE("the number of states does not grow with values that a DaemonSet does not name",
          "[kinds]") {
  // Every node has a rack and a hostname of its own.
  const auto most_states = [](std::size_t nodes) {
    const model::Cluster cluster = cluster_of_named_values(7, nodes, 12);
    const diagnosis::Reporter reporter(cluster, options_at(testing::troubled_now(), true));
    std::size_t most = 0;
    for (const model::DaemonSet& ds : cluster.daemon_sets) {
      most = std::max(most, reporter.report(ds).nodes.states().size());
    }
    return most;
  };
  CHECK(most_states(200) <= 120);
  CHECK(most_states(2'000) <= 120);
}
