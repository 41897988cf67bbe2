// SPDX-License-Identifier: Apache-2.0
#include "source/pools/api_pools.h"

#include <catch2/catch.hpp>
#include <string>

#include "source/api_source.h"
#include "testing/certificates.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"

namespace dsdoctor::source {
namespace {

/// An API server, which has those groups that are scripted.
struct PoolServer {
  testing::CertificateAuthority ca;
  testing::FakeApi api{""};
  testing::HttpsServer server{{true, ca.issue_server(), ca.certificate()}, api.handler()};
  decode::NodeTemplates templates;

  void has_group(const std::string& group, const std::string& version) {
    answer("/apis/" + group,
           R"({"kind": "APIGroup", "preferredVersion": {"version": ")" + version + R"("}})", 4);
  }
  void answer(const std::string& path, const std::string& body, std::size_t times = 1) {
    api.script(path, std::vector<testing::Reply>(times, testing::Reply{.body = body}));
  }
  Snapshot load() {
    kube::Connection connection;
    connection.server = *kube::parse_server_url(server.url());
    connection.tls.ca_pem = ca.certificate();
    ApiSourceOptions options;
    options.clock = kube::Clock::system();
    Query query;
    query.templates = &templates;
    auto snapshot = ApiSource(connection, {}, options).load(query);
    REQUIRE(snapshot);
    return std::move(*snapshot);
  }
};

}  // namespace

TEST_CASE("pools are read in the version that the server prefers", "[api_pools]") {
  PoolServer s;
  s.has_group("karpenter.sh", "v1");
  s.answer("/apis/karpenter.sh/v1/nodepools",
           R"({"apiVersion": "karpenter.sh/v1", "kind": "NodePoolList", "metadata": {}, "items": [
             {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "a"},
              "spec": {"template": {"spec": {}}}}]})");
  s.has_group("cluster.x-k8s.io", "v1beta2");
  s.answer("/apis/cluster.x-k8s.io/v1beta2/machinedeployments",
           R"({"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineDeploymentList", "items": [
             {"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineDeployment",
              "metadata": {"name": "b", "namespace": "n"}, "spec": {"template": {"spec": {}}}}]})");
  s.answer("/apis/cluster.x-k8s.io/v1beta2/machinesets",
           R"({"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSetList", "items": []})");
  const Snapshot snapshot = s.load();
  CHECK(snapshot.omissions.empty());
  REQUIRE(s.templates.all().size() == 2);
  CHECK(s.templates.all()[0].name == "a");
  CHECK(s.templates.all()[1].kind == "MachineDeployment");
}

TEST_CASE("pools that cannot be read are part of the answer", "[api_pools]") {
  PoolServer s;
  s.has_group("karpenter.sh", "v1");
  s.api.forbid("/apis/karpenter.sh/v1/nodepools");
  s.answer("/apis/cluster.x-k8s.io", "[]", 2);
  s.has_group("machine.openshift.io", "v1beta1");
  s.answer("/apis/machine.openshift.io/v1beta1/machinesets",
           R"({"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSetList", "items": [
             {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet",
              "metadata": {"name": "c"}, "spec": {}}]})");
  const Snapshot snapshot = s.load();
  REQUIRE(snapshot.omissions.size() == 4);
  CHECK(snapshot.omissions[0].resource == "nodepools");
  CHECK(snapshot.omissions[0].reason == "Forbidden");
  CHECK(snapshot.omissions[0].consequence ==
        "new nodes of nodepools are not part of the forecast; ask for RBAC permission to list "
        "nodepools.karpenter.sh");
  CHECK(snapshot.omissions[1].message ==
        "/apis/cluster.x-k8s.io: expected an APIGroup with a preferredVersion");
  CHECK(snapshot.omissions[3].message ==
        "machinesets.machine.openshift.io MachineSet/c spec.template.spec: is missing");
  CHECK(s.templates.all().empty());
}

TEST_CASE("pools are read only if they are asked for", "[api_pools]") {
  PoolServer s;
  kube::Connection connection;
  connection.server = *kube::parse_server_url(s.server.url());
  connection.tls.ca_pem = s.ca.certificate();
  ApiSourceOptions options;
  options.clock = kube::Clock::system();
  REQUIRE(ApiSource(connection, {}, options).load({}));
  for (const auto& request : s.server.requests()) {
    CHECK(request.path.find("karpenter") == std::string::npos);
  }
}

}  // namespace dsdoctor::source
