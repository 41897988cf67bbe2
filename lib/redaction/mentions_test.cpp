#include "redaction/mentions.h"

#include <catch2/catch.hpp>

#include "redaction/redact.h"

using namespace dsdoctor;
using redaction::mentions_in;
using Names = std::set<std::string>;

namespace {

/// The words of an event, in a cluster of one DaemonSet `agent-x` and of node `db-1`.
std::string redacted(const std::string& message, const std::string& image = "corp/app") {
  redaction::Redacted original;
  original.cluster.nodes.emplace_back().meta.name = "db-1";
  model::DaemonSet& ds = original.cluster.daemon_sets.emplace_back();
  ds.meta.ns = "mon";
  ds.meta.name = "agent-x";
  ds.pod_template.spec.containers.emplace_back().image = image;
  model::Event& event = original.cluster.events.emplace_back();
  event.kind = "DaemonSet";
  event.ns = "mon";
  event.name = "agent-x";
  event.message = message;
  return redaction::redact(original).cluster.events.front().message.str();
}

}  // namespace

TEST_CASE("a refusal names users, accounts and namespaces", "[redaction]") {
  const auto of = mentions_in(
      R"(User "jane.doe@corp.example" cannot list resource "pods" in API group "" in the namespace "web")");
  CHECK(of.users == Names{"jane.doe@corp.example"});
  CHECK(of.namespaces == Names{"web"});
  CHECK(of.objects.empty());
  const auto account = mentions_in(R"(User "system:serviceaccount:web:deployer" cannot create)");
  CHECK(account.namespaces == Names{"web"});
  CHECK(account.objects == Names{"deployer"});
  CHECK(mentions_in(R"(User "system:node:db-1" cannot get)").nodes == Names{"db-1"});
}

TEST_CASE("objects that are not there are named in quotes", "[redaction]") {
  const std::pair<std::string, std::string> rows[] = {
      {R"(configmap "settings" not found)", "settings"},
      {R"(secrets "token-a" is forbidden)", "token-a"},
      {R"(storageclass.storage.k8s.io "fast" not found)", "fast"},
      {R"(pods "agent-" is forbidden)", "agent"},
      {R"(Error: couldn't find key user in Secret "db")", "db"},
      {R"({\"message\": \"configmaps \\\"settings\\\" not found\"})", "settings"},
      {R"(MountVolume.SetUp failed for volume "data" : mount failed)", "data"},
      {"pods is forbidden: exceeded quota: small, requested: cpu=1", "small"},
  };
  for (const auto& [text, name] : rows) {
    CAPTURE(text);
    CHECK(mentions_in(text).objects == Names{name});
  }
}

TEST_CASE("hosts are named in URLs and where they are looked up", "[redaction]") {
  const auto of = mentions_in(
      R"(Head "https://me@reg.corp.example:5000/v2/a": dial tcp: lookup auth.corp.example on 10.0.0.1:53: )"
      R"(Get "http://10.0.0.7:8080/": Get "https://[fe80::1]:80/": Get "https://quay.io/v2/")");
  CHECK(of.servers == Names{"auth.corp.example", "reg.corp.example"});
  CHECK(mentions_in(R"(admission webhook "check.corp.example" denied)").webhooks ==
        Names{"check.corp.example"});
  CHECK(mentions_in(R"(Back-off pulling image "corp/app:1")").images == Names{"corp/app:1"});
}

TEST_CASE("a warning names its object behind its file", "[redaction]") {
  using redaction::object_in;
  CHECK(object_in("nodes.yaml Node/db-1 spec.taints[0]") == "Node/db-1 spec.taints[0]");
  CHECK(object_in("My Dir/a b.yaml Pod/web/x spec") == "Pod/web/x spec");
  CHECK(object_in("Node/db-1 metadata.labels[a.b/c]") == "Node/db-1 metadata.labels[a.b/c]");
  CHECK(object_in("dir/nodes.json items[3] (Node) metadata").empty());
  CHECK(object_in("nodes.yaml:3:10").empty());
}

TEST_CASE("what only a text names is replaced there", "[redaction]") {
  const std::pair<std::string, std::string> rows[] = {
      {R"(User "jane.doe@corp.example" cannot list)", R"(User "anon-user-1" cannot list)"},
      {R"(User "CN=Jane Doe" cannot list)", R"(User "anon-user-1" cannot list)"},
      {R"(User "system:serviceaccount:web:deployer" cannot)",
       R"(User "system:serviceaccount:anon-namespace-2:anon-object-1" cannot)"},
      {R"(User "system:serviceaccount:kube-system:daemon-set-controller" cannot)",
       R"(User "system:serviceaccount:kube-system:daemon-set-controller" cannot)"},
      {R"(webhook "check.corp.example" denied: see https://wiki.corp.example/x?y=1.)",
       R"(webhook "anon-webhook-1" denied: see https://anon-server-1/url-1.)"},
      {R"(Get "http://10.1.2.3:8080/healthz": refused)",
       R"(Get "http://198.18.0.1:8080/healthz": refused)"},
      {"lookup reg.corp.example on 10.9.8.7:53: no such host",
       "lookup anon-server-1 on 198.18.0.1:53: no such host"},
      {"pre-agent-x-suffix DB-1 on_db-1", "pre-anon-daemonset-1-suffix ANON-NODE-1 on_anon-node-1"},
      {"db-1.corp.example:10250", "anon-node-1.anon-domain-n1:10250"},
  };
  for (const auto& [text, expected] : rows) CHECK(redacted(text) == expected);
}

TEST_CASE("an image is found however it is written", "[redaction]") {
  const std::pair<std::string, std::string> rows[] = {
      {R"(pull image "docker.io/corp/app:latest")", R"(pull image "anon.example/image-1:1")"},
      {"corp/app@sha256:12ab", "anon.example/image-1:1"},
      {"docker://corp/app", "docker://anon.example/image-1:1"},
      {"docker.io/other/thing:2", "anon.example/image-2:1"},
      {R"(Head "https://registry-1.docker.io/v2/corp/app/manifests/latest")",
       R"(Head "https://registry-1.docker.io/url-1")"},
  };
  for (const auto& [text, expected] : rows) CHECK(redacted(text) == expected);
  const std::string tagged = "reg.corp.example:5000/team/app:1";
  CHECK(redacted("pulling " + tagged, tagged) == "pulling anon.example/image-1:1");
  CHECK(redacted("manifest for team/app:2 not found", tagged) ==
        "manifest for anon.example/repository-1 not found");
  CHECK(redacted("reg.corp.example:5000/team/other", tagged) == "anon.example/image-2:1");
  CHECK(redacted("at reg.corp.example:5000", tagged) == "at anon-server-1");
  CHECK(redacted("pulling thing:2", "thing") == "pulling anon-repository-1:2");
}
