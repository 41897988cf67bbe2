// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/quota.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/creation/creation_findings.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

model::Container container(const char* name, model::Labels requests, model::Labels limits = {}) {
  model::Container result;
  result.name = name;
  result.requests = std::move(requests);
  result.limits = std::move(limits);
  return result;
}

/// Five nodes without a pod; each pod would request 100m of cpu and 64Mi of memory.
class QuotaStory : public TestStory {
 public:
  QuotaStory() {
    nodes({"a", "b", "c", "d", "e"});
    ds().pod_template.spec.containers = {container("app", {{"cpu", "100m"}, {"memory", "64Mi"}})};
    cluster.known.resource_quotas = cluster.known.limit_ranges = true;
  }

  model::ResourceQuota& quota(model::Labels hard, model::Labels used) {
    model::ResourceQuota& quota = cluster.resource_quotas.emplace_back();
    quota.meta.ns = "x";
    quota.meta.name = "q";
    quota.hard = std::move(hard);
    quota.used = std::move(used);
    return quota;
  }

  /// Text of the only predicted finding; empty if there is none.
  [[nodiscard]] std::string predicted() const {
    const auto findings = ask(predicted_creation_findings);
    REQUIRE(findings.size() <= 1);
    return findings.empty()
               ? ""
               : std::string(findings.front().name()) + " " + text_of(findings.front().message);
  }
};

/// Evidence from the status of quota q.
Evidence status(const char* map, const char* resource, const char* amount) {
  return {{"ResourceQuota", "x", "q"}, fmt::format("status.{}['{}']", map, resource), amount};
}

}  // namespace

TEST_CASE("a full quota is reported before it rejects a pod", "[quota]") {
  QuotaStory story;
  SECTION("pods") {
    story.quota({{"pods", "10"}}, {{"pods", "10"}});
    CHECK(story.predicted() ==
          "create-quota-exceeded FailedCreate expected: exceeded quota q (pods: requested 1, used "
          "10, limit 10); 5 nodes without a pod");
    CHECK(only(story.ask(predicted_creation_findings)).evidence ==
          std::vector<Evidence>{status("hard", "pods", "10"), status("used", "pods", "10")});
  }
  SECTION("room for some pods and the resource that runs out first") {
    story.quota({{"count/pods", "13"}, {"requests.cpu", "1"}, {"memory", "1Gi"}},
                {{"count/pods", "10"}, {"requests.cpu", "850m"}, {"memory", "0"}});
    CHECK(story.predicted() ==
          "create-quota-exceeded FailedCreate expected: exceeded quota q (requests.cpu: requested "
          "100m, used 850m, limit 1; count/pods: requested 1, used 10, limit 13), enough for 1 of "
          "5 missing pods; 5 nodes without a pod");
  }
  SECTION("room for all pods") {
    story.quota({{"pods", "15"}, {"requests.cpu", "1500m"}},
                {{"pods", "10"}, {"requests.cpu", "1"}});
    CHECK(story.predicted().empty());
  }
  SECTION("more is used than allowed") {
    story.quota({{"pods", "0"}}, {{"pods", "10"}});
    CHECK(story.predicted().find("(pods: requested 1, used 10, limit 0);") != std::string::npos);
  }
  SECTION("another namespace") {
    story.quota({{"pods", "0"}}, {{"pods", "0"}}).meta.ns = "y";
    CHECK(story.predicted().empty());
  }
  SECTION("an empty status proves nothing") {
    story.quota({{"pods", "0"}}, {});
    CHECK(story.predicted().empty());
  }
  SECTION("invalid quantities are evidence and are not counted") {
    story.quota({{"pods", "many"}, {"count/pods", "1"}}, {{"pods", "1"}, {"count/pods", "1"}});
    CHECK(only(story.ask(predicted_creation_findings)).evidence ==
          std::vector<Evidence>{status("hard", "pods", "many"), status("hard", "count/pods", "1"),
                                status("used", "count/pods", "1")});
  }
  SECTION("sums that overflow") {
    story.quota({{"requests.cpu", "9E"}, {"pods", "-3"}},
                {{"requests.cpu", "-9E"}, {"pods", "-9E"}});
    CHECK(story.predicted().find("exceeded quota q (") != std::string::npos);
  }
}

TEST_CASE("a pod's usage under each name of a quota", "[quota]") {
  QuotaStory story;
  model::PodSpec& spec = story.ds().pod_template.spec;
  const auto requested = [&](const char* resource) {
    story.cluster.resource_quotas.clear();
    story.quota({{resource, "0"}}, {{resource, "0"}});
    const auto findings = story.ask(predicted_creation_findings);
    const auto full = std::ranges::find(findings, "create-quota-exceeded", &Finding::name);
    const std::string text = full == findings.end() ? "" : text_of(full->message);
    const std::size_t at = text.find("requested ");
    return at == text.npos ? "none" : text.substr(at + 10, text.find(", used") - at - 10);
  };
  spec.init_containers = {container("init", {{"cpu", "500m"}}, {{"cpu", "2"}})};
  spec.containers.push_back(container("side", {{"nvidia.com/gpu", "1"}, {"hugepages-2Mi", "4Mi"}},
                                      {{"cpu", "300m"}, {"nvidia.com/gpu", "1"}}));
  CHECK(requested("cpu") == "500m");
  CHECK(requested("requests.cpu") == "500m");
  CHECK(requested("limits.cpu") == "2");
  CHECK(requested("memory") == "64Mi");
  CHECK(requested("requests.nvidia.com/gpu") == "1");
  CHECK(requested("nvidia.com/gpu") == "none");
  CHECK(requested("hugepages-2Mi") == "4Mi");
  CHECK(requested("services") == "none");
  SECTION("overhead adds to requests and only to existing limits") {
    spec.runtime_class = "kata";
    model::RuntimeClass& kata = story.cluster.runtime_classes.emplace_back();
    kata.meta.name = "kata";
    kata.overhead = {{"cpu", "250m"}, {"memory", "1Mi"}};
    CHECK(requested("requests.cpu") == "750m");
    CHECK(requested("limits.cpu") == "2250m");
    CHECK(requested("limits.memory") == "none");
  }
  SECTION("defaults of a LimitRange count") {
    model::LimitRange& range = story.cluster.limit_ranges.emplace_back();
    range.meta.ns = "x";
    range.limits = {{"Container", {}, {}, {{"memory", "1Gi"}}, {}, {}}};
    CHECK(requested("limits.memory") == "2Gi");
  }
}

TEST_CASE("quotas demand values of every container", "[quota]") {
  QuotaStory story;
  story.quota({{"limits.cpu", "10"}, {"requests.cpu", "10"}, {"limits.memory", "10Gi"}},
              {{"limits.cpu", "0"}, {"requests.cpu", "0"}, {"limits.memory", "0"}});
  CHECK(story.predicted() ==
        "create-quota-needs-values FailedCreate expected: failed quota q: must specify "
        "limits.cpu for: app; limits.memory for: app; 5 nodes without a pod");
  SECTION("not if the pod has pod-level resources") {
    story.ds().pod_template.spec.limits = model::Labels{{"cpu", "1"}};
    CHECK(story.predicted().empty());
  }
  SECTION("not if a LimitRange may set them") {
    story.cluster.known.limit_ranges = false;
    CHECK(story.predicted().empty());
  }
}

TEST_CASE("a rejection that the objects confirm is reported once", "[quota]") {
  QuotaStory story;
  story.ds().pod_template.spec.containers.push_back(container("side", {}));
  story.quota({{"limits.cpu", "10"}}, {{"limits.cpu", "0"}});
  story.event("FailedCreate",
              "Error creating: pods \"agent-\" is forbidden: failed quota: q: must specify "
              "limits.cpu for: app,side",
              9'990);
  const Finding finding = only(story.ask(creation_findings));
  CHECK(finding.basis == Basis::Confirmed);
  CHECK(text_of(finding.message) ==
        "FailedCreate: failed quota q: must specify limits.cpu for: app, side; last rejected 10s "
        "ago; 5 nodes without a pod");
}

TEST_CASE("quotas cover the pods of their scopes", "[quota]") {
  QuotaStory story;
  model::ResourceQuota& quota = story.quota({{"pods", "0"}}, {{"pods", "0"}});
  const auto covered = [&] { return !story.predicted().empty(); };
  const auto scoped = [&](const char* scope) {
    quota.scopes = {scope};
    return covered();
  };
  CHECK(scoped("NotTerminating"));
  CHECK_FALSE(scoped("Terminating"));
  CHECK(scoped("NotBestEffort"));
  CHECK_FALSE(scoped("BestEffort"));
  CHECK_FALSE(scoped("PriorityClass"));
  CHECK_FALSE(scoped("CrossNamespacePodAffinity"));
  CHECK_FALSE(scoped("SomethingNew"));
  quota.scopes.clear();
  quota.scope_selector = {{"PriorityClass", "In", {"system-node-critical", "high"}}};
  CHECK_FALSE(covered());
  story.ds().pod_template.spec.priority_class = "high";
  CHECK(covered());
  quota.scope_selector = {{"PriorityClass", "NotIn", {"high"}}};
  CHECK_FALSE(covered());
  story.ds().pod_template.spec.priority_class = "";
  CHECK(covered());
  model::PriorityClass& usual = story.cluster.priority_classes.emplace_back();
  usual.meta.name = "high";
  usual.global_default = true;
  CHECK_FALSE(covered());
}

TEST_CASE("a quota's rejection is evaluated again", "[quota]") {
  QuotaStory story;
  story.event("FailedCreate",
              "Error creating: pods \"agent-\" is forbidden: exceeded quota: q, requested: "
              "requests.cpu=150m, used: requests.cpu=900m, limited: requests.cpu=1",
              9'990);
  const auto finding = [&] { return only(story.ask(creation_findings)); };
  SECTION("it still applies") {
    story.quota({{"requests.cpu", "1"}}, {{"requests.cpu", "900m"}});
    CHECK(finding().basis == Basis::Confirmed);
    CHECK(text_of(finding().message)
              .ends_with("; now: exceeded quota q (requests.cpu: requested 100m, used "
                         "900m, limit 1), enough for 1 of 5 missing pods"));
  }
  SECTION("a webhook's addition to the pod still exceeds it") {
    story.cluster.nodes.resize(1);
    story.quota({{"requests.cpu", "1"}}, {{"requests.cpu", "900m"}});
    CHECK(finding().basis == Basis::Confirmed);
    CHECK(finding().severity == Severity::Critical);
    CHECK(finding().evidence.back() == status("used", "requests.cpu", "900m"));
  }
  SECTION("there is room now") {
    story.quota({{"requests.cpu", "10"}}, {{"requests.cpu", "900m"}});
    CHECK(finding().transient);
    CHECK(finding().severity == Severity::Warning);
  }
  SECTION("no quota was read") {
    story.cluster.known.resource_quotas = false;
    CHECK(finding().basis == Basis::Reported);
    CHECK(finding().severity == Severity::Critical);
  }
}
