// SPDX-License-Identifier: Apache-2.0

// Checks the requests to a large cluster with a problem: only the data that the causes need, a few
// requests at a time, and only reads.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "diagnosis/needs.h"
#include "diagnosis/reporter.h"
#include "source/api_source.h"
#include "source/detail_reads.h"
#include "testing/certificates.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"

using namespace dsdoctor;
using testing::Reply;
using testing::ServedRequest;

namespace {

constexpr int all_nodes = 5000;
constexpr int pending_pods = 300;
constexpr int silent_node = 7;  // its kubelet only renews its lease

std::string name_of(int node) { return fmt::format("n{:04}", node); }

/// A pod of DaemonSet mon/agent. Without `node` it is pending for `target`.
std::string daemon_pod(int number, const std::string& node, const std::string& target) {
  return fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"agent-{:05}","namespace":"mon",)"
      R"("uid":"p{}","creationTimestamp":"2026-01-01T00:00:00Z","labels":{{"app":"agent"}},)"
      R"("ownerReferences":[{{"kind":"DaemonSet","name":"agent","uid":"d1","controller":true}}]}},)"
      R"("spec":{{{}"affinity":{{"nodeAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":)"
      R"({{"nodeSelectorTerms":[{{"matchFields":[{{"key":"metadata.name","operator":"In",)"
      R"("values":["{}"]}}]}}]}}}}}}}},"status":{{"phase":"{}"{}}}}})",
      number, number, node.empty() ? "" : fmt::format(R"("nodeName":"{}",)", node), target,
      node.empty() ? "Pending" : "Running",
      node.empty() ? "" : R"(,"conditions":[{"type":"Ready","status":"True"}])");
}

/// A pod of another workload that fills its node, unless it has ended.
std::string other_pod(const std::string& name, const std::string& node, const char* phase) {
  return fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{}","namespace":"shop"}},)"
      R"("spec":{{"nodeName":"{}","containers":[{{"name":"c"}}]}},"status":{{"phase":"{}"}}}})",
      name, node, phase);
}

std::string lease_of(const std::string& node) {
  return fmt::format(
      R"({{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{{"name":"{}",)"
      R"("namespace":"kube-node-lease"}},"spec":{{"renewTime":"2026-01-01T00:00:01.5Z"}}}})",
      node);
}

void fill(testing::FakeApi& api) {
  for (const int node : {silent_node, silent_node + 1}) api.add(lease_of(name_of(node)));
  api.add(R"({"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"name":"agent",)"
          R"("namespace":"mon","uid":"d1","generation":1},"spec":{"selector":{"matchLabels":)"
          R"({"app":"agent"}},"template":{"metadata":{"labels":{"app":"agent"}},"spec":)"
          R"({"containers":[{"name":"agent"}]}}},"status":{"observedGeneration":1}})");
  for (int i = 0; i < all_nodes; ++i) {
    const std::string node = name_of(i);
    api.add(fmt::format(
        R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"{}"}},"status":{{"allocatable":)"
        R"({{"cpu":"4","pods":"1"}},"conditions":[{{"type":"Ready","status":"{}"}}]}}}})",
        node, i == silent_node ? "Unknown" : "True"));
    const bool waits = i < pending_pods;
    api.add(daemon_pod(i, waits ? "" : node, node));
    if (!waits) continue;
    api.add(other_pod("web-" + node, node, "Running"));
    api.add(other_pod("job-" + node, node, "Succeeded"));
  }
}

/// Counts the requests that are answered at the same time.
class Gauge {
 public:
  class Stay {
   public:
    explicit Stay(Gauge& gauge) : gauge_(gauge) {
      const int now = ++gauge_.here_;
      int most = gauge_.most_;
      while (now > most && !gauge_.most_.compare_exchange_weak(most, now)) {
      }
    }
    ~Stay() { --gauge_.here_; }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

   private:
    Gauge& gauge_;
  };
  [[nodiscard]] int most() const { return most_; }

 private:
  std::atomic<int> here_ = 0;
  std::atomic<int> most_ = 0;
};

bool is_of_one_node(const ServedRequest& request) {
  const auto fields = request.query.find("fieldSelector");
  return request.path == "/api/v1/pods" && fields != request.query.end() &&
         fields->second.starts_with("spec.nodeName=");
}

/// The large cluster on a server that allows everything but reading the pods of `hidden`.
class LargeCluster {
 public:
  explicit LargeCluster(std::string hidden = "", const std::string& minor = "36")
      : hidden_(std::move(hidden)) {
    fill(api_);
    api_.script("/version", {{200, R"({"major":"1","minor":")" + minor + R"(","gitVersion":"v1.)" +
                                       minor + R"(.0"})"}});
    connection_.server = *kube::parse_server_url(server_.url());
    connection_.tls.ca_pem = ca_.certificate();
  }

  /// The data that a question about mon/agent reads, in its two steps.
  source::Snapshot ask() {
    source::ApiSourceOptions options;
    options.clock = kube::Clock::system();
    source::ApiSource source(connection_, {}, options);
    auto snapshot = source.load({"mon", {"agent"}, "", true, true});
    REQUIRE(snapshot);
    REQUIRE(snapshot->cluster.nodes.size() == all_nodes);
    first_step_ = server_.requests().size();
    diagnosis::ReportOptions survey;
    survey.now = options.clock.now();
    survey.diagnoses = false;
    const model::DaemonSet& ds = snapshot->cluster.daemon_sets.front();
    const auto report = diagnosis::Reporter(snapshot->cluster, survey).report(ds);
    const auto needs =
        diagnosis::needs_of(snapshot->cluster, {&ds}, {report}, {survey.now, nullptr});
    CHECK(needs.crowded_nodes.size() == pending_pods);
    source.load_details(*snapshot, needs);
    return std::move(*snapshot);
  }

  [[nodiscard]] std::vector<ServedRequest> requests() const { return server_.requests(); }
  /// The requests of the second step.
  [[nodiscard]] std::vector<ServedRequest> details() const {
    auto all = server_.requests();
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first_step_));
    return all;
  }
  [[nodiscard]] int most_at_once() const { return gauge_.most(); }

 private:
  Reply answer(const ServedRequest& request) {
    if (!is_of_one_node(request)) return api_.handler()(request);
    const Gauge::Stay stay(gauge_);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that requests overlap
    if (!hidden_.empty() &&
        request.query.at("fieldSelector").starts_with("spec.nodeName=" + hidden_ + ",")) {
      return testing::status_reply(403, "Forbidden", "pods is forbidden: not these");
    }
    return api_.handler()(request);
  }

  std::string hidden_;
  testing::FakeApi api_{""};
  Gauge gauge_;
  testing::CertificateAuthority ca_;
  testing::HttpsServer server_{{true, ca_.issue_server(), ca_.certificate()},
                               [this](const ServedRequest& request) { return answer(request); }};
  kube::Connection connection_;
  std::size_t first_step_ = 0;
};

}  // namespace

TEST_CASE("pods of an older server are read from its cache", "[detail_reads]") {
  LargeCluster large("", "30");
  (void)large.ask();
  std::size_t asked = 0;
  for (const ServedRequest& request : large.details()) {
    if (!is_of_one_node(request)) continue;
    ++asked;
    CHECK(request.query.at("resourceVersion") == "0");
  }
  CHECK(asked == pending_pods + 1);  // and those without a node
}

TEST_CASE("causes for 300 pending pods on 5000 nodes need few reads", "[detail_reads]") {
  LargeCluster large;
  const source::Snapshot snapshot = large.ask();
  std::map<std::string, int> lists;
  std::set<std::string> nodes;
  for (const ServedRequest& request : large.details()) {
    if (is_of_one_node(request)) {
      nodes.insert(request.query.at("fieldSelector"));
      CHECK_FALSE(request.query.contains("resourceVersion"));  // its cache is current
      const bool of_no_node = request.query.at("fieldSelector").starts_with("spec.nodeName=,");
      CHECK(request.query.contains("limit") == of_no_node);  // a node has few pods
    } else {
      ++lists[request.path];
    }
  }
  CHECK(nodes.size() == pending_pods + 1);
  CHECK(nodes.contains("spec.nodeName=,status.phase!=Succeeded,status.phase!=Failed"));
  CHECK(large.details().size() == pending_pods + 11);
  CHECK(lists ==
        std::map<std::string, int>{
            {"/api/v1/namespaces/mon", 1},
            {"/api/v1/namespaces/mon/events", 2},
            {"/api/v1/namespaces/mon/limitranges", 1},
            {"/api/v1/namespaces/mon/resourcequotas", 1},
            {"/api/v1/namespaces/mon/serviceaccounts/default", 1},
            {"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n0007", 1},
            {"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
             "kube-controller-manager",
             1},
            {"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler", 1},
            {"/apis/scheduling.k8s.io/v1/priorityclasses", 1},
        });
  for (const ServedRequest& request : large.requests()) CHECK(request.method == "GET");
  CHECK(large.most_at_once() > 1);
  CHECK(large.most_at_once() <= static_cast<int>(source::parallel_requests));
  CHECK(snapshot.omissions.empty());
  REQUIRE(snapshot.cluster.leases.size() == 1);
  CHECK(snapshot.cluster.leases[0].meta.name == name_of(silent_node));
  CHECK(snapshot.cluster.leases[0].renewed);
  CHECK(snapshot.cluster.crowded_nodes.size() == pending_pods);
  CHECK_FALSE(snapshot.cluster.all_pods_known);
  // The daemon pods of the first step, and the pods of the second step that use the resources.
  CHECK(snapshot.cluster.pods.size() == all_nodes + pending_pods);
}

TEST_CASE("pods of one node that are forbidden to read are an omission", "[detail_reads]") {
  LargeCluster large(name_of(17));
  const source::Snapshot snapshot = large.ask();
  REQUIRE(snapshot.omissions.size() == 1);
  CHECK(
      snapshot.omissions[0] ==
      model::Omission{"pods", "", "Forbidden", "pods is forbidden: not these",
                      "whether a pending pod fits is not recomputed, only reported from the "
                      "scheduler's message; ask for RBAC permission to list pods (cluster scope)"});
  CHECK(snapshot.cluster.crowded_nodes.size() == pending_pods - 1);
  CHECK(std::ranges::find(snapshot.cluster.crowded_nodes, name_of(17), [](const model::Text& name) {
          return name.str();
        }) == snapshot.cluster.crowded_nodes.end());
  CHECK(snapshot.cluster.pods.size() == all_nodes + pending_pods - 1);
}
