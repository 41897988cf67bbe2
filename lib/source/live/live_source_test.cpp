// SPDX-License-Identifier: Apache-2.0
#include "source/live/live_source.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "source/live/live_objects.h"
#include "testing/certificates.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"

namespace dsdoctor::source {
namespace {

using Catch::Matchers::Contains;
using std::chrono::milliseconds;

const std::string mixed_cluster = std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json";

model::Pod pod_named(const std::string& name, const std::string& version = "1") {
  model::Pod pod;
  pod.meta.ns = "x";
  pod.meta.name = name;
  pod.meta.resource_version = model::UniqueText(version);
  return pod;
}

std::string names_in(const LiveObjects<model::Pod>& objects) {
  std::string names;
  for (const model::Pod& pod : objects.objects()) names += pod.meta.name.str() + " ";
  return names;
}

TEST_CASE("changes of objects are applied in order", "[live]") {
  model::StateChanges changes;
  LiveObjects<model::Pod> objects;
  objects.replace({pod_named("d"), pod_named("b"), pod_named("b", "2")});
  CHECK(objects.has_pending());
  CHECK(objects.settle(changes));
  CHECK(names_in(objects) == "b d ");
  CHECK(objects.objects()[0].meta.resource_version.str() == "2");
  objects.see(pod_named("a"));
  objects.see(pod_named("c"));
  objects.see(pod_named("e"));
  objects.drop({"x", "d"});
  objects.drop({"x", "nothing"});
  objects.see(pod_named("f"));
  objects.drop({"x", "f"});
  CHECK(objects.settle(changes));
  CHECK(names_in(objects) == "a b c e ");
  CHECK_FALSE(objects.settle(changes));
  SECTION("another version of the same object is not a change") {
    objects.see(pod_named("a", "9"));
    CHECK_FALSE(objects.settle(changes));
    CHECK(objects.objects()[0].meta.resource_version.str() == "9");
    model::Pod other = pod_named("a", "10");
    other.phase = "Failed";
    objects.see(other);
    CHECK(objects.settle(changes));
  }
  SECTION("a list of the same objects is not a change") {
    objects.replace({pod_named("e"), pod_named("c"), pod_named("b"), pod_named("a")});
    CHECK_FALSE(objects.settle(changes));
    objects.replace({pod_named("e"), pod_named("c"), pod_named("a")});
    objects.drop({"x", "e"});
    CHECK(objects.settle(changes));
    CHECK(names_in(objects) == "a c ");
  }
}

TEST_CASE("heartbeats of nodes are not changes", "[live]") {
  model::StateChanges changes;
  model::Node node;
  node.meta.name = "n";
  node.conditions = {{"Ready", "True", "", "", {}, model::Time(std::chrono::seconds(5))}};
  LiveObjects<model::Node> objects;
  objects.replace({node});
  CHECK(objects.settle(changes));
  node.conditions[0].last_heartbeat = model::Time(std::chrono::seconds(9));
  objects.see(node);
  CHECK_FALSE(objects.settle(changes));
  node.conditions[0].status = "False";
  objects.see(node);
  CHECK(objects.settle(changes));
}

/// A recorded cluster behind a server that serves watches.
struct LiveSetting {
  testing::CertificateAuthority ca;
  testing::FakeApi api{mixed_cluster};
  testing::HttpsServer server{{true, ca.issue_server(), ca.certificate()}, api.handler()};
  kube::Connection connection;
  LiveSource::Options options;

  LiveSetting() {
    connection.context = "c1";
    connection.server = *kube::parse_server_url(server.url());
    connection.tls.ca_pem = ca.certificate();
    options.times.first_wait = milliseconds(10);
    options.times.longest_wait = milliseconds(20);
    options.times.poll = milliseconds(50);
    options.times.no_right = milliseconds(50);
    options.least_detail_age = milliseconds(0);
  }
  [[nodiscard]] std::unique_ptr<ApiSource> api_source() const {
    ApiSourceOptions with;
    with.clock = kube::Clock::system();
    return std::make_unique<ApiSource>(connection, kube::Environment(), with);
  }
  [[nodiscard]] std::size_t asked(const std::string& path, const std::string& parameter) const {
    std::size_t count = 0;
    for (const auto& request : server.requests()) {
      if (request.path == path && request.query.contains(parameter)) ++count;
    }
    return count;
  }
};

/// The state once `is_there` holds for it; fails after ten seconds.
Snapshot load_until(LiveSource& source, const Query& query,
                    const std::function<bool(const Snapshot&)>& is_there) {
  for (int i = 0; i < 200; ++i) {
    auto snapshot = source.load(query);
    REQUIRE(snapshot);
    if (is_there(*snapshot)) return std::move(*snapshot);
    source.give_back(std::move(*snapshot));
    (void)source.wait(milliseconds(50));
  }
  FAIL("the state was not reached");
  return {};
}

TEST_CASE("the first state is that of a single read", "[live]") {
  LiveSetting s;
  Query query;
  query.ns = GENERATE("", "kube-system");
  if (!query.ns.empty() && GENERATE(true, false)) query.names = {"kube-proxy"};
  auto once = s.api_source()->load(query);
  LiveSource live(s.api_source(), s.options);
  auto first = live.load(query);
  REQUIRE(once);
  REQUIRE(first);
  CHECK(first->cluster.nodes == once->cluster.nodes);
  CHECK(first->cluster.daemon_sets == once->cluster.daemon_sets);
  CHECK(first->cluster.revisions == once->cluster.revisions);
  CHECK(first->cluster.version == once->cluster.version);
  CHECK(first->cluster.known == once->cluster.known);
  CHECK(first->cluster.all_pods_known == once->cluster.all_pods_known);
  CHECK(first->omissions == once->omissions);
  if (query.names.empty()) {
    CHECK(first->cluster.pods == once->cluster.pods);
  } else {  // the pods of the namespace: the selector of a new DaemonSet may be another
    CHECK(first->cluster.pods.size() >= once->cluster.pods.size());
  }
  CHECK(live.liveness() == Liveness{});
}

std::string node_json(const std::string& name, const std::string& label) {
  return nlohmann::json{{"kind", "Node"},
                        {"metadata", {{"name", name}, {"labels", {{"pool", label}}}}}}
      .dump();
}

TEST_CASE("changes arrive without another list", "[live]") {
  LiveSetting s;
  if (GENERATE(true, false)) s.api.refuse_initial_events();
  LiveSource live(s.api_source(), s.options);
  Snapshot first = load_until(live, {}, [](const Snapshot&) { return true; });
  const std::size_t nodes = first.cluster.nodes.size();
  const std::size_t pods = first.cluster.pods.size();
  const auto lists = s.asked("/api/v1/nodes", "limit");
  live.give_back(std::move(first));
  s.api.set(node_json("a-new-node", "one"));
  s.api.set(node_json("a-new-node", "two"));
  s.api.remove("Pod", "kube-system", s.api.name_of_first("Pod", "kube-system"));
  const Snapshot then = load_until(live, {}, [&](const Snapshot& now) {
    const auto& first_node = now.cluster.nodes.front();
    return first_node.meta.name == "a-new-node" &&
           first_node.meta.labels.find("pool")->view() == "two" &&
           now.cluster.pods.size() == pods - 1;
  });
  CHECK(then.cluster.nodes.size() == nodes + 1);
  CHECK(s.asked("/api/v1/nodes", "limit") == lists);
}

TEST_CASE("a snapshot names what differs from the one before", "[live]") {
  LiveSetting s;
  LiveSource live(s.api_source(), s.options);
  Snapshot now = load_until(live, {}, [](const Snapshot&) { return true; });
  CHECK(now.changes.everything);
  const std::size_t pods = now.cluster.pods.size();
  live.give_back(std::move(now));
  now = load_until(live, {}, [](const Snapshot&) { return true; });
  CHECK(now.changes.empty());
  live.give_back(std::move(now));
  s.api.remove("Pod", "kube-system", s.api.name_of_first("Pod", "kube-system"));
  now = load_until(live, {},
                   [&](const Snapshot& then) { return then.cluster.pods.size() == pods - 1; });
  CHECK_FALSE(now.changes.everything);
  REQUIRE(now.changes.daemon_sets.size() == 1);
  CHECK(now.changes.daemon_sets.begin()->ns == "kube-system");
  live.give_back(std::move(now));
  s.api.set(node_json("a-new-node", "one"));
  now = load_until(live, {}, [&](const Snapshot& then) {
    return then.cluster.nodes.front().meta.name == "a-new-node";
  });
  CHECK(now.changes.everything);
}

TEST_CASE("changes that were missed are found by another list", "[live]") {
  LiveSetting s;
  LiveSource live(s.api_source(), s.options);
  Snapshot first = load_until(live, {}, [](const Snapshot&) { return true; });
  const std::size_t nodes = first.cluster.nodes.size();
  live.give_back(std::move(first));
  s.api.set(node_json("a-new-node", "one"));
  s.api.forget_changes();
  const Snapshot then = load_until(
      live, {}, [&](const Snapshot& now) { return now.cluster.nodes.size() == nodes + 1; });
  CHECK(then.cluster.nodes.front().meta.name == "a-new-node");
}

TEST_CASE("a resource without RBAC permission to watch is polled", "[live]") {
  LiveSetting s;
  s.api.forbid_watch("/api/v1/nodes");
  LiveSource live(s.api_source(), s.options);
  Snapshot first = load_until(live, {}, [](const Snapshot&) { return true; });
  CHECK(first.omissions.empty());
  const std::size_t nodes = first.cluster.nodes.size();
  CHECK(live.liveness().polled == std::vector<std::string>{"nodes"});
  live.give_back(std::move(first));
  s.api.set(node_json("a-new-node", "one"));
  (void)load_until(live, {},
                   [&](const Snapshot& now) { return now.cluster.nodes.size() == nodes + 1; });
}

TEST_CASE("a resource without RBAC permission to list is an omission", "[live]") {
  LiveSetting s;
  s.api.forbid("/api/v1/nodes");
  LiveSource live(s.api_source(), s.options);
  const auto first = live.load({});
  REQUIRE(first);
  CHECK_FALSE(first->cluster.nodes_known);
  REQUIRE(first->omissions.size() == 1);
  CHECK(first->omissions[0].resource == "nodes");
  CHECK(live.liveness().lost.empty());  // it is an omission
}

TEST_CASE("DaemonSets have to be readable", "[live]") {
  LiveSetting s;
  s.api.forbid("/apis/apps/v1/daemonsets");
  LiveSource live(s.api_source(), s.options);
  const auto first = live.load({});
  REQUIRE_FALSE(first);
  CHECK(first.error().kind == base::ErrorKind::Forbidden);
}

TEST_CASE("a server that is gone is reported, and the last state is kept", "[live]") {
  LiveSetting s;
  s.api.refuse_initial_events();
  LiveSource live(s.api_source(), s.options);
  Snapshot first = load_until(live, {}, [](const Snapshot&) { return true; });
  const std::size_t nodes = first.cluster.nodes.size();
  live.give_back(std::move(first));
  std::vector<testing::Reply> broken(3, testing::status_reply(500, "InternalError", "broken"));
  s.api.script("/api/v1/nodes", broken);
  s.api.end_watches();
  Liveness seen;
  for (int i = 0; i < 2000 && seen.lost.empty(); ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    seen = live.liveness();
  }
  CHECK(seen.lost == std::vector<std::string>{"nodes"});
  CHECK_THAT(seen.why, Contains("broken"));
  CHECK(seen.lost_since);
  const auto meanwhile = live.load({});
  REQUIRE(meanwhile);
  CHECK(meanwhile->cluster.nodes.size() == nodes);
  CHECK(live.wait(milliseconds(0)) == LiveSource::Wake::LivenessChanged);
  for (int i = 0; i < 2000 && !seen.lost.empty(); ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    seen = live.liveness();
  }
  CHECK(seen == Liveness{});
}

TEST_CASE("details are read again only after changes", "[live]") {
  LiveSetting s;
  LiveSource live(s.api_source(), s.options);
  model::DetailQuery details;
  details.admission_namespaces = {"kube-system"};
  const auto quotas = [&] {
    return s.asked("/api/v1/namespaces/kube-system/resourcequotas", "limit");
  };
  Snapshot now = load_until(live, {}, [](const Snapshot&) { return true; });
  live.load_details(now, details);
  CHECK(now.cluster.known.resource_quotas);
  CHECK(quotas() == 1);
  live.give_back(std::move(now));
  now = load_until(live, {}, [](const Snapshot&) { return true; });
  live.load_details(now, details);
  CHECK(now.cluster.known.resource_quotas);
  CHECK(quotas() == 1);
  const std::size_t nodes = now.cluster.nodes.size();
  live.give_back(std::move(now));
  s.api.set(node_json("a-new-node", "one"));
  now = load_until(live, {},
                   [&](const Snapshot& then) { return then.cluster.nodes.size() == nodes + 1; });
  live.load_details(now, details);
  CHECK(quotas() == 2);
}

}  // namespace
}  // namespace dsdoctor::source
