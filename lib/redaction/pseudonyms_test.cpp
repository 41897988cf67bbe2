// SPDX-License-Identifier: Apache-2.0
#include "redaction/pseudonyms.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "redaction/redact.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;

namespace {

/// The redacted message of an event, in a cluster with a DaemonSet `agent-x` and a node `db-1`.
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

TEST_CASE("names that occur only in a text are replaced", "[redaction]") {
  const std::pair<std::string, std::string> rows[] = {
      {R"(User "jane.roe@corp.example" cannot list)",
       R"(User "anon1.anon2@anon3.example" cannot list)"},
      {R"(User "CN=Jane Roe" cannot list)", R"(User "CN=Anon1 Anon2" cannot list)"},
      {R"(User "system:serviceaccount:shop:deployer" cannot)",
       R"(User "system:serviceaccount:anon1:anon2" cannot)"},
      {R"(User "system:serviceaccount:kube-system:daemon-set-controller" cannot)",
       R"(User "system:serviceaccount:kube-system:daemon-set-controller" cannot)"},
      {R"(webhook "check.corp.example" denied: see https://wiki.corp.example/x?y=1.)",
       R"(webhook "check.anon1.example" denied: see https://anon2.anon1.example/url-1.)"},
      {R"(Get "http://10.1.2.3:8080/healthz": refused)",
       R"(Get "http://198.18.0.1:8080/healthz": refused)"},
      {"lookup db.corp.example on 10.9.8.7:53: no such host",
       "lookup db.anon1.example on 198.18.0.1:53: no such host"},
      {"pre-agent-x-suffix DB-1 on_db-1", "pre-anon-daemonset-1-suffix ANON-NODE-1 on_anon-node-1"},
      {"db-1.corp.example:10250", "anon-node-1.anon1.example:10250"},
      {"NAME-PENDING-10.0.189.142; db1.corp-internal.example.com:5432",
       "NAME-PENDING-198.18.0.1; anon1.anon2-internal.example.com:5432"},
      {"ip-10-20-30-40.eu-west-1.compute.internal is 10.20.30.40",
       "ip-198-18-0-1.eu-anon1-1.compute.internal is 198.18.0.1"},
      {"arn:aws:iam::123456789012:role/ops42", "arn:aws:iam::anon1:role/anon2"},
      {"123456789012.dkr.ecr.amazonaws.com used: 123456789012,",
       "anon1.dkr.ecr.amazonaws.com used: 123456789012,"},
      {"mac 0a:42:ac:11:00:02, [fe80::1%eth0]:53 at 2026-11-22T10:00:00.5Z",
       "mac 02:00:00:00:00:01, [2001:db8::0:1%eth0]:53 at 2026-11-22T10:00:00.5Z"},
      {"nfs01.corp.example:/export/homes access denied",
       "nfs01.anon1.example:/export/anon2 access denied"},
      {"Größe größe Größe", "Anon1 anon1 Anon1"},
      // accounts, projects, telephones and cards
      {"project 1234567890 of 123456789, call +49 (151) 2345-6789 or 004915123456789",
       "project anon1 of 123456789, call anon2 or anon3"},
      {"cards 4111111111111111, 4111 1111 1111 1112 and 5500-0000-0000-0004, failed 3 times",
       "anon1 anon2, anon3 and anon4, failed 3 times"},
      {"0/39 nodes are available: 38 node(s), +5 0 1234-5678 2026-11-22 10:00",
       "0/39 nodes are available: 38 node(s), +5 0 1234-5678 2026-11-22 10:00"},
      {"exceeded quota: requested: limits.memory=12345678901,used: memory=98765432101",
       "exceeded quota: requested: limits.memory=12345678901,used: memory=98765432101"},
      {"failed requested=12345678901", "failed requested=anon1"},
      // tokens in the path of a URL
      {"Post http://10.1.2.3/services/T00/ab-12-cd-zqx/1234567?v=2: refused",
       "Post http://198.18.0.1/services/ANON1/anon3/anon4?v=2: refused"},
      {"https://10.1.2.3:6443/api/v1/namespaces/agent-x/pods/db-1?timeout=10s",
       "https://198.18.0.1:6443/api/v1/namespaces/anon-daemonset-1/pods/anon-node-1?timeout=10s"},
  };
  for (const auto& [text, expected] : rows) CHECK(redacted(text) == expected);
}

TEST_CASE("overlong words are replaced as a whole", "[redaction]") {
  for (const std::string unit : {"1.", "://", "a/", "corp.example/", "x@", "a:", "ab"}) {
    CAPTURE(unit);
    std::string text;
    while (text.size() < 2'000'000) text += unit;
    CHECK(redacted("see " + text + " of agent-x").size() < 100);
  }
  const std::string path(600, 'p');
  CHECK(redacted("https://corp.example/" + path + "?jane at https://corp.example/jane") ==
        "https://anon1.example/url-1 at https://anon1.example/url-2");
}

TEST_CASE("an image is found in all notations", "[redaction]") {
  const std::pair<std::string, std::string> rows[] = {
      {R"(pull image "docker.io/corp/app:latest")", R"(pull image "anon.example/image-1:1")"},
      {"corp/app@sha256:12ab", "anon.example/image-1:1"},
      {"docker://corp/app", "docker://anon.example/image-1:1"},
      {"docker.io/shop/thing:2", "docker.io/anon1/anon2:2"},
      {R"(Head "https://registry-1.docker.io/v2/corp/app/manifests/latest")",
       R"(Head "https://registry-1.docker.io/url-1")"},
  };
  for (const auto& [text, expected] : rows) CHECK(redacted(text) == expected);
  const std::string tagged = "reg.corp.example:5000/team/app:1";
  CHECK(redacted("pulling " + tagged, tagged) == "pulling anon.example/image-1:1");
  CHECK(redacted("manifest for team/app:2 not found", tagged) ==
        "manifest for anon.example/repository-1 not found");
  CHECK(redacted("at reg.corp.example:5000", tagged) == "at anon1.anon2.example:5000");
}

TEST_CASE("a word is found next to any character", "[redaction]") {
  redaction::Pseudonyms names;
  names.add("object", {"zqname", "zqname-with-dashes"});
  const std::string secrets[] = {"zqname",      "zqname-with-dashes",
                                 "zqunknown",   "ZQUnknown",
                                 "zqa.zqb.zqc", "10.20.30.40",
                                 "10-20-30-40", "0a:42:ac:11:00:02",
                                 "zq7f3",       "7e2cc40b-7c39-49f6-9408-2b55674e9884",
                                 "fd00:aa::77"};
  constexpr std::string_view beside = " \t\n\"'`.,;!?()[]{}<>|\\/=+*&^%$#@~_-";
  for (const std::string& secret : secrets) {
    for (const char before : beside) {
      for (const char after : beside) {
        const std::string text = fmt::format("{}{}{}{} node", before, secret, after, before);
        const std::string result = names.words(text);
        CAPTURE(text, result);
        CHECK(result.find(secret) == result.npos);
        CHECK(result.ends_with(" node"));
      }
    }
  }
}

TEST_CASE("well-known words stay", "[redaction]") {
  redaction::Pseudonyms names;
  names.add("node", {"agent", "node", "cpu", "default", "ready", "quota", "0", "x", "not-ready"});
  for (
      const char* text :
      {"pods \"a-\" is forbidden: exceeded quota: x, requested: cpu=1500m,memory=2Gi, used: cpu=0, "
       "limited: cpu=1",
       "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint "
       "{node.kubernetes.io/not-ready: }. preemption: 0/3 nodes are available: 3 Preemption is not "
       "helpful for scheduling.",
       "Back-off pulling image: rpc error: code = NotFound desc = failed to pull and unpack image",
       "OCI runtime create failed: runc create failed: unable to start container process: exec "
       "format error: unknown",
       "x509: certificate signed by unknown authority", "dial tcp: i/o timeout after 1m30s",
       "Node didn't have enough resource: pods, requested: 1, used: 110, capacity: 110",
       "The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 5Ki.",
       "KubeletNotReady: container runtime network not ready: NetworkPluginNotReady",
       "admission webhook denied the request: denied by ValidatingAdmissionPolicy v1beta1"}) {
    CHECK(names.words(text) == text);
  }
}

TEST_CASE("keys of known taints stay", "[redaction]") {
  redaction::Pseudonyms names;
  const std::string file =
      testing::read_file(DSDOCTOR_TESTDATA "/../lib/diagnosis/taints/known_taints.yaml");
  constexpr std::string_view mark = "  key: ";
  std::size_t keys = 0;
  for (std::size_t at = file.find(mark); at != file.npos; at = file.find(mark, at + 1)) {
    const std::size_t start = at + mark.size();
    const std::string key = file.substr(start, file.find_first_of(" \n", start) - start);
    if (key.find_first_of("*<'") != key.npos) continue;
    CHECK(names.words(key) == key);
    ++keys;
  }
  CHECK(keys > 80);
}
