// SPDX-License-Identifier: Apache-2.0
#include "scheduling/inter_pod.h"

#include <catch2/catch.hpp>
#include <functional>

#include "scheduling/test_cluster.h"
#include "scheduling/topology_spread.h"

using namespace dsdoctor;
using namespace dsdoctor::scheduling;

namespace {

constexpr const char* host = "kubernetes.io/hostname";
constexpr const char* zone = "topology.kubernetes.io/zone";

model::PodAffinityTerm term(model::Labels labels, const char* key) {
  model::PodAffinityTerm result;
  result.label_selector = model::LabelSelector{std::move(labels), {}};
  result.topology_key = key;
  return result;
}

void set_spec(model::Pod& pod, const std::vector<model::PodAffinityTerm>& affinity,
              const std::vector<model::PodAffinityTerm>& anti) {
  model::PodSpec spec;
  spec.pod_affinity = affinity;
  spec.pod_anti_affinity = anti;
  pod.spec = spec;
}

/// Nodes a and b in zone 1, c in zone 2, bare without labels.
TestCluster zones() {
  TestCluster cluster;
  cluster.node("a", {{host, "a"}, {zone, "1"}});
  cluster.node("b", {{host, "b"}, {zone, "1"}});
  cluster.node("c", {{host, "c"}, {zone, "2"}});
  cluster.node("bare", {});
  return cluster;
}

model::Pod daemon(model::Labels labels) {
  model::Pod pod;
  pod.meta.ns = "x";
  pod.meta.name = "daemon";
  pod.meta.labels = std::move(labels);
  return pod;
}

}  // namespace

TEST_CASE("own anti-affinity applies to the node's topology domain", "[inter-pod]") {
  TestCluster cluster = zones();
  cluster.pod("web", "b", {{"app", "web"}});
  model::Pod pod = daemon({});
  set_spec(pod, {}, {term({{"app", "web"}}, zone)});
  const InterPodResult result = own_anti_affinity(pod, cluster.around("a"));
  CHECK(result.blocks());
  REQUIRE(result.pods.size() == 1);
  CHECK(result.pods[0]->meta.name == "web");
  CHECK_FALSE(own_anti_affinity(pod, cluster.around("c")).blocks());
  CHECK_FALSE(own_anti_affinity(pod, cluster.around("bare")).blocks());
  set_spec(pod, {}, {term({{"app", "web"}}, host)});
  CHECK_FALSE(own_anti_affinity(pod, cluster.around("a")).blocks());
  CHECK(own_anti_affinity(pod, cluster.around("b")).blocks());

  SECTION("a term without namespaces selects pods in the pod's own namespace") {
    pod.meta.ns = "other";
    CHECK_FALSE(own_anti_affinity(pod, cluster.around("b")).blocks());
    auto everywhere = term({{"app", "web"}}, host);
    everywhere.namespace_selector = model::LabelSelector{};
    set_spec(pod, {}, {everywhere});
    CHECK(own_anti_affinity(pod, cluster.around("b")).blocks());
    auto listed = term({{"app", "web"}}, host);
    listed.namespaces = {"x"};
    set_spec(pod, {}, {listed});
    CHECK(own_anti_affinity(pod, cluster.around("b")).blocks());
  }
  SECTION("the result is unknown if a namespace was not read") {
    auto labelled = term({{"app", "web"}}, host);
    labelled.namespace_selector = model::LabelSelector{{{"team", "t"}}, {}};
    set_spec(pod, {}, {labelled});
    CHECK(own_anti_affinity(pod, cluster.around("b")).judgement == Judgement::Unknown);
    cluster.cluster.namespaces.resize(1);
    cluster.cluster.namespaces[0].meta.name = "y";
    CHECK(own_anti_affinity(pod, cluster.around("b")).judgement == Judgement::Unknown);
    cluster.cluster.namespaces[0].meta.name = "x";
    CHECK(own_anti_affinity(pod, cluster.around("b")).judgement == Judgement::Passes);
    cluster.cluster.namespaces[0].meta.labels = {{"team", "t"}};
    CHECK(own_anti_affinity(pod, cluster.around("b")).blocks());
  }
  SECTION("the result is unknown if pods of other nodes were not read") {
    cluster.cluster.all_pods_known = false;
    cluster.cluster.crowded_nodes = {"a"};
    CHECK(own_anti_affinity(pod, cluster.around("a")).judgement == Judgement::Passes);
    set_spec(pod, {}, {term({{"app", "api"}}, zone)});
    CHECK(own_anti_affinity(pod, cluster.around("a")).judgement == Judgement::Unknown);
  }
}

TEST_CASE("own anti-affinity: a blocked term has precedence over an unknown one", "[inter-pod]") {
  TestCluster cluster = zones();
  cluster.pod("web", "a", {{"app", "web"}});
  auto unread = term({{"app", "web"}}, host);
  unread.namespace_selector = model::LabelSelector{{{"team", "t"}}, {}};
  const auto nobody = term({{"app", "none"}}, host);
  const auto web = term({{"app", "web"}}, zone);
  model::Pod pod = daemon({});
  const auto judged = [&](const std::vector<model::PodAffinityTerm>& terms) {
    set_spec(pod, {}, terms);
    return own_anti_affinity(pod, cluster.around("a"));
  };
  CHECK(judged({nobody, web}).term == web);
  CHECK(judged({unread, web}).blocks());
  CHECK(judged({nobody, unread}).term == unread);
  CHECK(judged({unread, nobody}).judgement == Judgement::Unknown);
  CHECK(judged({nobody, nobody}).judgement == Judgement::Passes);
}

TEST_CASE("anti-affinity of running pods blocks a pod that it matches", "[inter-pod]") {
  TestCluster cluster = zones();
  set_spec(cluster.pod("db", "a", {}), {}, {term({{"app", "agent"}}, host)});
  const model::Pod pod = daemon({{"app", "agent"}});
  const InterPodResult result = existing_anti_affinity(pod, cluster.around("a"));
  CHECK(result.blocks());
  CHECK(result.pods.at(0)->meta.name == "db");
  CHECK(existing_anti_affinity(pod, cluster.around("b")).judgement == Judgement::Passes);
  CHECK_FALSE(existing_anti_affinity(daemon({{"app", "other"}}), cluster.around("a")).blocks());
  Surroundings without = cluster.around("a");
  without.without = {&cluster.cluster.pods[0]};
  CHECK_FALSE(existing_anti_affinity(pod, without).blocks());
  cluster.cluster.all_pods_known = false;  // pods that were not read may have anti-affinity
  CHECK(existing_anti_affinity(pod, cluster.around("a")).blocks());
  CHECK(existing_anti_affinity(pod, cluster.around("b")).judgement == Judgement::Unknown);
}

TEST_CASE("a term that does not match does not hide the term of another pod", "[inter-pod]") {
  TestCluster cluster = zones();
  set_spec(cluster.pod("db-1", "a", {}), {}, {term({{"app", "other"}}, host)});
  set_spec(cluster.pod("db-2", "a", {}), {}, {term({{"app", "agent"}}, host)});
  const InterPodResult result =
      existing_anti_affinity(daemon({{"app", "agent"}}), cluster.around("a"));
  REQUIRE(result.pods.size() == 1);
  CHECK(result.pods[0]->meta.name == "db-2");
}

TEST_CASE("pods with anti-affinity are listed in order without duplicates", "[inter-pod]") {
  TestCluster cluster = zones();
  const auto by_zone = term({{"app", "agent"}}, zone);
  const auto by_host = term({{"app", "agent"}}, host);
  set_spec(cluster.pod("db-1", "b", {}), {}, {by_host, by_zone});
  set_spec(cluster.pod("db-2", "a", {}), {}, {by_host, by_zone});
  set_spec(cluster.pod("db-3", "c", {}), {}, {by_zone});
  set_spec(cluster.pod("db-4", "bare", {}), {}, {by_zone, by_host});
  set_spec(cluster.pod("db-5", "a", {}), {}, {term({{"app", "other"}}, zone), by_zone});
  cluster.pod("web", "b", {{"app", "web"}});
  model::Pod pod = daemon({{"app", "agent"}});
  set_spec(pod, {}, {term({{"app", "web"}}, zone)});
  const auto names = [](const Pods& pods) {
    std::string result;
    for (const model::Pod* one : pods) result += one->meta.name.str() + " ";
    return result;
  };
  const InterPodResult result = existing_anti_affinity(pod, cluster.around("a"));
  CHECK(names(result.pods) == "db-1 db-2 db-5 ");
  CHECK(result.term.topology_key == zone);  // db-1 is on another host
  Pods apart = kept_apart(pod, cluster.around("a"));
  std::ranges::sort(apart);
  CHECK(names(apart) == "db-1 db-2 db-5 web ");
  CHECK(kept_apart(pod, cluster.around("bare")).empty());
  Surroundings without = cluster.around("a");
  without.without = {&cluster.cluster.pods[0], &cluster.cluster.pods[5]};
  CHECK(names(existing_anti_affinity(pod, without).pods) == "db-2 db-5 ");
  CHECK_FALSE(own_anti_affinity(pod, without).blocks());
}

TEST_CASE("cached results are used only for pods with the same term and namespace", "[inter-pod]") {
  TestCluster cluster = zones();
  cluster.pod("web", "b", {{"app", "web"}});
  model::Pod pod = daemon({});
  set_spec(pod, {}, {term({{"app", "web"}}, zone)});
  model::Pod other = daemon({});
  set_spec(other, {}, {term({{"app", "api"}}, zone)});
  model::Pod abroad = pod;
  abroad.meta.ns = "y";
  const Surroundings around = cluster.around("a");
  for (int i = 0; i < 2; ++i) {
    CHECK(own_anti_affinity(pod, around).blocks());
    CHECK_FALSE(own_anti_affinity(other, around).blocks());
    CHECK_FALSE(own_anti_affinity(abroad, around).blocks());
  }
}

TEST_CASE("own affinity needs a matching pod unless the pod is the first such pod", "[inter-pod]") {
  TestCluster cluster = zones();
  model::Pod pod = daemon({{"app", "agent"}});
  set_spec(pod, {term({{"app", "agent"}}, zone)}, {});
  CHECK_FALSE(own_affinity(pod, cluster.around("a")).blocks());  // matches itself
  CHECK(own_affinity(pod, cluster.around("bare")).lacks_key);
  set_spec(pod, {term({{"app", "web"}}, zone)}, {});
  CHECK(own_affinity(pod, cluster.around("a")).blocks());
  cluster.pod("web", "b", {{"app", "web"}});
  CHECK_FALSE(own_affinity(pod, cluster.around("a")).blocks());
  CHECK(own_affinity(pod, cluster.around("c")).blocks());

  SECTION("the first pod is not exempt if another domain has a matching pod") {
    set_spec(pod, {term({{"app", "agent"}}, zone)}, {});
    cluster.pod("kin", "c", {{"app", "agent"}});
    CHECK(own_affinity(pod, cluster.around("a")).blocks());
  }
  SECTION("a pod counts only if all terms select it") {
    set_spec(pod, {term({{"app", "web"}}, zone), term({{"tier", "front"}}, zone)}, {});
    CHECK(own_affinity(pod, cluster.around("a")).blocks());
    cluster.pod("both", "a", {{"app", "web"}, {"tier", "front"}});
    CHECK_FALSE(own_affinity(pod, cluster.around("a")).blocks());
  }
  SECTION("each term is checked in its own domain") {
    set_spec(pod, {term({{"app", "web"}}, zone), term({{"app", "web"}}, host)}, {});
    CHECK(own_affinity(pod, cluster.around("a")).blocks());  // in its zone, not on its host
    CHECK_FALSE(own_affinity(pod, cluster.around("b")).blocks());
  }
  SECTION("a term without a selector selects no pods") {
    model::PodAffinityTerm empty;
    empty.topology_key = zone;
    set_spec(pod, {empty}, {});
    CHECK(own_affinity(pod, cluster.around("a")).blocks());
  }
  SECTION("the result is unknown if pods were not read") {
    set_spec(pod, {term({{"app", "gone"}}, zone)}, {});
    cluster.cluster.all_pods_known = false;
    cluster.cluster.crowded_nodes = {"a"};
    CHECK(own_affinity(pod, cluster.around("a")).judgement == Judgement::Unknown);
  }
}

TEST_CASE("own affinity is unknown if a namespace was not read", "[inter-pod]") {
  TestCluster cluster = zones();
  cluster.pod("web", "b", {{"app", "web"}, {"tier", "front"}});
  const auto of_team = [](model::Labels labels) {
    model::PodAffinityTerm result = term(std::move(labels), zone);
    result.namespace_selector = model::LabelSelector{{{"team", "t"}}, {}};
    return result;
  };
  const auto judged = [&](const model::Pod& pod, const char* node) {
    return own_affinity(pod, cluster.around(node)).judgement;
  };
  model::Pod pod = daemon({{"app", "agent"}});
  set_spec(pod, {of_team({{"app", "web"}})}, {});
  CHECK(judged(pod, "a") == Judgement::Unknown);
  CHECK(judged(pod, "c") == Judgement::Blocked);  // no match, not even the pod itself
  SECTION("a term without a matching pod decides") {
    set_spec(pod, {of_team({{"app", "web"}}), term({{"app", "none"}}, zone)}, {});
    CHECK(judged(pod, "a") == Judgement::Blocked);
    set_spec(pod, {term({{"app", "none"}}, zone), of_team({{"app", "web"}})}, {});
    CHECK(judged(pod, "a") == Judgement::Blocked);
  }
  SECTION("a term without a matching pod in its own domain decides") {
    model::PodAffinityTerm on_host = of_team({{"app", "web"}});
    on_host.topology_key = host;
    set_spec(pod, {of_team({{"app", "web"}}), on_host}, {});
    CHECK(judged(pod, "a") == Judgement::Blocked);
    CHECK(judged(pod, "b") == Judgement::Unknown);
  }
  SECTION("a term with a matching pod does not decide") {
    set_spec(pod, {of_team({{"app", "web"}}), of_team({{"tier", "front"}})}, {});
    CHECK(judged(pod, "a") == Judgement::Unknown);
  }
  SECTION("the exception for the first pod is unknown as well") {
    pod.meta.labels = {{"app", "web"}};
    CHECK(judged(pod, "c") == Judgement::Unknown);
    cluster.cluster.pods[0].meta.labels = {};
    CHECK(judged(pod, "c") == Judgement::Unknown);  // the pod itself may match
    cluster.cluster.namespaces.resize(1);
    cluster.cluster.namespaces[0].meta.name = "x";
    CHECK(judged(pod, "c") == Judgement::Blocked);
    cluster.cluster.namespaces[0].meta.labels = {{"team", "t"}};
    CHECK(judged(pod, "c") == Judgement::Passes);
  }
}

namespace {

model::Pod spread_pod(std::int64_t max_skew, std::optional<std::int64_t> min_domains,
                      const char* policy = "") {
  model::Pod pod = daemon({{"app", "agent"}});
  pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {"a"}}}}}};
  model::PodSpec spec;
  model::TopologySpreadConstraint constraint;
  constraint.topology_key = zone;
  constraint.max_skew = max_skew;
  constraint.when_unsatisfiable = "DoNotSchedule";
  constraint.label_selector = model::LabelSelector{{{"app", "agent"}}, {}};
  constraint.min_domains = min_domains;
  constraint.node_affinity_policy = policy;
  spec.topology_spread = {constraint};
  pod.spec = spec;
  return pod;
}

SpreadResult spread(const model::Pod& pod, const Surroundings& around) {
  return topology_spread(pod, around, {}).at(0);
}

}  // namespace

TEST_CASE("spread: a daemon pod's own node is the only domain", "[spread]") {
  TestCluster cluster = zones();
  cluster.pod("old", "a", {{"app", "agent"}});
  CHECK(spread(spread_pod(1, {}), cluster.around("a")).judgement == Judgement::Passes);
  const SpreadResult blocked = spread(spread_pod(1, 3), cluster.around("a"));
  CHECK(blocked.judgement == Judgement::Blocked);
  CHECK(blocked.here == 1);
  CHECK(blocked.self == 1);
  CHECK(blocked.least == 0);
  CHECK(blocked.domains == 1);
  CHECK(spread(spread_pod(2, 3), cluster.around("a")).judgement == Judgement::Passes);
  const SpreadResult bare = spread(spread_pod(1, {}), cluster.around("bare"));
  CHECK(bare.judgement == Judgement::Blocked);
  CHECK(bare.lacks_label);

  SECTION("nodeAffinityPolicy Ignore counts the other domains") {
    const SpreadResult skewed = spread(spread_pod(1, {}, "Ignore"), cluster.around("a"));
    CHECK(skewed.judgement == Judgement::Blocked);
    CHECK(skewed.domains == 2);
  }
  SECTION("terminating pods and other namespaces and soft constraints do not count") {
    model::Pod soft = spread_pod(1, 3);
    model::PodSpec spec = *soft.spec;
    spec.topology_spread[0].when_unsatisfiable = "ScheduleAnyway";
    soft.spec = spec;
    CHECK(topology_spread(soft, cluster.around("a"), {}).empty());
    cluster.cluster.pods[0].meta.deleted = model::Time{};
    CHECK(spread(spread_pod(1, 3), cluster.around("a")).judgement == Judgement::Passes);
    cluster.cluster.pods[0].meta.deleted.reset();
    cluster.cluster.pods[0].meta.ns = "other";
    CHECK(spread(spread_pod(1, 3), cluster.around("a")).here == 0);
  }
  SECTION("an empty selector counts no pods") {
    model::Pod pod = spread_pod(1, 3);
    model::PodSpec spec = *pod.spec;
    spec.topology_spread[0].label_selector = model::LabelSelector{};
    pod.spec = spec;
    CHECK(spread(pod, cluster.around("a")).here == 0);
    CHECK(spread(pod, cluster.around("a")).self == 1);
  }
  SECTION("matchLabelKeys add the pod's own values to the selector") {
    model::Pod pod = spread_pod(1, 3);
    pod.meta.labels.set("rev", "2");
    model::PodSpec spec = *pod.spec;
    spec.topology_spread[0].match_label_keys = {"rev", "absent"};
    pod.spec = spec;
    CHECK(spread(pod, cluster.around("a")).here == 0);
  }
  SECTION("the result is unknown if pods were not read") {
    cluster.cluster.all_pods_known = false;
    CHECK(spread(spread_pod(1, 3), cluster.around("a")).judgement == Judgement::Unknown);
  }
}

namespace {

/// spread_pod without node affinity; `bend` changes its constraint.
model::Pod spread_anywhere(const std::function<void(model::TopologySpreadConstraint&)>& bend) {
  model::Pod pod = spread_pod(1, {});
  pod.node_affinity.reset();
  model::PodSpec spec = *pod.spec;
  bend(spec.topology_spread[0]);
  pod.spec = spec;
  return pod;
}

}  // namespace

TEST_CASE("spread: only nodes that the policies include count as domains", "[spread]") {
  TestCluster cluster = zones();
  cluster.pod("old", "a", {{"app", "agent"}});
  model::Pod pod = spread_anywhere([](auto&) {});
  const auto domains = [&] { return spread(pod, cluster.around("a")).domains; };
  CHECK(domains() == 2);  // bare has no zone
  CHECK(spread(pod, cluster.around("a")).judgement == Judgement::Blocked);
  CHECK(spread(pod, cluster.around("c")).judgement == Judgement::Passes);

  SECTION("nodes that the node selector excludes do not count") {
    pod.node_selector = {{host, "a"}};
    CHECK(domains() == 1);
    pod.node_selector = {{zone, "2"}};
    CHECK(domains() == 1);
    CHECK(spread(pod, cluster.around("a")).here == 0);
    pod.node_selector = {{"disk", "ssd"}};
    CHECK(domains() == 0);
  }
  SECTION("nodes that the affinity excludes do not count") {
    const auto matches = [&](std::vector<model::NodeSelectorTerm> terms) {
      pod.node_affinity = model::NodeSelector{std::move(terms)};
      return domains();
    };
    const model::NodeSelectorTerm a{{}, {{"metadata.name", "In", {"a"}}}};
    const model::NodeSelectorTerm c{{}, {{"metadata.name", "In", {"c"}}}};
    const model::NodeSelectorTerm gone{{}, {{"metadata.name", "In", {"gone"}}}};
    const model::NodeSelectorTerm not_a{{}, {{"metadata.name", "NotIn", {"a"}}}};
    const model::NodeSelectorTerm in_zone{{{zone, "In", {"1"}}}, {}};
    const model::NodeSelectorTerm unusable{{}, {{"metadata.name", "In", {"a", "c"}}}};
    CHECK(matches({a}) == 1);
    CHECK(matches({c, a, c, gone}) == 2);
    CHECK(matches({a, in_zone}) == 1);
    CHECK(matches({not_a}) == 2);
    CHECK(matches({unusable}) == 0);
  }
  SECTION("nodeTaintsPolicy Honor excludes nodes with untolerated taints") {
    cluster.cluster.nodes.back().taints = {{"k", "", "NoSchedule"}};  // c
    CHECK(domains() == 2);
    pod = spread_anywhere([](auto& constraint) { constraint.node_taints_policy = "Honor"; });
    CHECK(domains() == 1);
    pod.tolerations = std::vector<model::Toleration>{{"k", "Exists", "", "", {}}};
    CHECK(domains() == 2);
    pod.tolerations = std::vector<model::Toleration>();
    cluster.cluster.nodes.back().taints[0].effect = "PreferNoSchedule";
    CHECK(domains() == 2);
  }
  SECTION("nodes without the labels of all hard constraints do not count") {
    model::PodSpec spec = *pod.spec;
    spec.topology_spread.push_back(spec.topology_spread[0]);
    spec.topology_spread[1].topology_key = "rack";
    spec.topology_spread[1].when_unsatisfiable = "ScheduleAnyway";
    pod.spec = spec;
    CHECK(domains() == 2);
    spec.topology_spread[1].when_unsatisfiable = "DoNotSchedule";
    pod.spec = spec;
    CHECK(domains() == 0);
  }
  SECTION("a constraint without a selector counts no pods at all") {
    pod = spread_anywhere([](auto& constraint) { constraint.label_selector.reset(); });
    const SpreadResult result = spread(pod, cluster.around("a"));
    CHECK(result.here == 0);
    CHECK(result.self == 0);
    CHECK(result.domains == 2);
    CHECK(result.judgement == Judgement::Passes);
  }
  SECTION("a pod that does not match its own selector adds nothing") {
    pod.meta.labels = {};
    CHECK(spread(pod, cluster.around("a")).self == 0);
    CHECK(spread(pod, cluster.around("a")).here == 1);
    CHECK(spread(pod, cluster.around("a")).judgement == Judgement::Passes);
  }
  SECTION("a pod that is treated as deleted does not count") {
    Surroundings without = cluster.around("a");
    without.without = {&cluster.cluster.pods[0]};
    CHECK(spread(pod, without).here == 0);
  }
  SECTION("the minimum is 0 with fewer domains than minDomains") {
    pod = spread_anywhere([](auto& constraint) { constraint.min_domains = 2; });
    cluster.pod("old-2", "c", {{"app", "agent"}});
    CHECK(spread(pod, cluster.around("a")).least == 1);
    pod = spread_anywhere([](auto& constraint) { constraint.min_domains = 3; });
    CHECK(spread(pod, cluster.around("a")).least == 0);
  }
}

TEST_CASE("spread: each hard constraint is evaluated separately", "[spread]") {
  TestCluster cluster = zones();
  cluster.pod("old", "a", {{"app", "agent"}});
  model::Pod pod = spread_anywhere([](auto&) {});
  model::PodSpec spec = *pod.spec;
  spec.topology_spread.assign(3, model::TopologySpreadConstraint(spec.topology_spread[0]));
  spec.topology_spread[0].max_skew = 2;
  spec.topology_spread[1].when_unsatisfiable = "ScheduleAnyway";
  spec.topology_spread[2].topology_key = host;
  pod.spec = spec;
  const std::vector<SpreadResult> results = topology_spread(pod, cluster.around("a"), {});
  REQUIRE(results.size() == 2);
  CHECK(results[0].constraint == 0);
  CHECK(results[0].judgement == Judgement::Passes);
  CHECK(results[1].constraint == 2);
  CHECK(results[1].judgement == Judgement::Blocked);
  CHECK(results[1].domains == 3);
}
