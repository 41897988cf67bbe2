// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/creation_findings.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/creation/silent_creation.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

/// Three nodes, one of them without its pod.
TestStory one_missing() {
  TestStory story;
  story.nodes({"a", "b", "c"});
  story.pod("a");
  story.pod("b");
  return story;
}

constexpr const char* quota_text =
    "Error creating: pods \"agent-\" is forbidden: exceeded quota: q, requested: pods=1, used: "
    "pods=10, limited: pods=10";

}  // namespace

TEST_CASE("the newest rejection explains every missing pod immediately", "[creation]") {
  TestStory story;
  story.nodes({"a", "b", "c"});
  story.event("FailedCreate", quota_text, 9'900).count = 7;
  const Finding finding = only(story.ask(creation_findings));
  CHECK(finding.id == FindingId::CreateQuotaExceeded);
  CHECK(finding.severity == Severity::Critical);
  CHECK(finding.group == "q");
  CHECK(text_of(finding.message) ==
        "FailedCreate: exceeded quota q (pods: requested 1, used 10, limit 10); last rejected 100s "
        "ago, 7 times; 3 nodes without a pod");
  CHECK(finding.evidence == std::vector<Evidence>{{{"Event", "x", "e1"}, "message", quota_text}});
  CHECK(fix_of(finding).find("kubectl -n x describe quota q") == 0);
  CHECK(finding.basis == Basis::Reported);
  SECTION("an error if some pods exist") {
    story.pod("a");
    CHECK(only(story.ask(creation_findings)).severity == Severity::Error);
  }
  SECTION("nothing if no pod is missing or a pod was created since") {
    for (const char* node : {"a", "b", "c"}) story.pod(node);
    CHECK(story.ask(creation_findings).empty());
    story.cluster.pods.resize(1);
    story.event("SuccessfulCreate", "Created pod: agent-1", 9'950);
    CHECK(story.ask(creation_findings).empty());
  }
  SECTION("a pod created in the same second changes nothing") {
    story.event("SuccessfulCreate", "Created pod: agent-1", 9'900);
    CHECK(only(story.ask(creation_findings)).id == FindingId::CreateQuotaExceeded);
  }
  SECTION("the newest message decides and only its kind is counted") {
    story.event("FailedCreate", "(combined from similar events): Error creating: no labels", 9'990);
    const Finding newer = only(story.ask(creation_findings));
    CHECK(newer.id == FindingId::CreateRefused);
    CHECK(text_of(newer.message).find("last rejected 10s ago; ") != std::string::npos);
  }
  SECTION("events of other controllers or DaemonSets do not count") {
    story.cluster.events.front().component = "job-controller";
    CHECK(story.ask(creation_findings).empty());
    story.cluster.events.front().component = "";
    CHECK(story.ask(creation_findings).size() == 1);
    story.cluster.events.front().uid = "uid-0";
    CHECK(story.ask(creation_findings).empty());
  }
  SECTION("an old rejection is suspected and one without a time has an unknown time") {
    story.cluster.events.front().last = at(1'000);
    CHECK(only(story.ask(creation_findings)).basis == Basis::Suspected);
    story.cluster.events.front().last.reset();
    CHECK(text_of(only(story.ask(creation_findings)).message)
              .find("last rejected at an unknown time") != std::string::npos);
  }
}

TEST_CASE("a title has the common part of several rejections", "[creation]") {
  TestStory story = one_missing();
  story.event("FailedCreate", quota_text, 9'900).count = 7;
  const Finding finding = only(story.ask(creation_findings));
  CHECK(text_of(common(finding.message, finding.message)) == text_of(finding.message));
  const auto title_with = [&](const char* text, std::int64_t last) {
    story.event("FailedCreate", text, last);
    return text_of(common(finding.message, only(story.ask(creation_findings)).message));
  };
  CHECK(title_with("Error creating: pods \"agent-\" is forbidden: exceeded quota: q, requested: "
                   "pods=1, used: pods=12, limited: pods=10",
                   9'950) == "FailedCreate: exceeded quota q (pods: requested 1, limit 10)");
  CHECK(title_with("Error creating: pods \"agent-\" is forbidden: exceeded quota: q, requested: "
                   "cpu=1, used: cpu=9, limited: cpu=9",
                   9'960) == "FailedCreate: exceeded quota q");
}

TEST_CASE("a limit that the template does not set comes from a LimitRange", "[creation]") {
  TestStory story;
  story.nodes({"a"});
  model::Container& container = story.ds().pod_template.spec.containers.emplace_back();
  container.name = "app";
  container.requests = {{"cpu", "500m"}};
  story.event(
      "FailedCreate",
      "Error creating: Pod \"agent-7xk2p\" is invalid: spec.containers[0].resources.requests: "
      "Invalid value: \"500m\": must be less than or equal to cpu limit of 100m",
      9'900);
  const Finding finding = only(story.ask(creation_findings));
  CHECK(finding.id == FindingId::CreateLimitrange);
  CHECK(text_of(finding.message)
            .find("container app sets no cpu limit, a LimitRange sets a default") !=
        std::string::npos);
  container.limits = {{"memory", "1Gi"}};
  CHECK(only(story.ask(creation_findings)).id == FindingId::CreateLimitrange);
  container.limits = {{"cpu", "100m"}};
  CHECK(only(story.ask(creation_findings)).id == FindingId::CreateInvalidSpec);
}

TEST_CASE("an API server error is a warning until it lasts", "[creation]") {
  TestStory story = one_missing();
  model::Event& event = story.event("FailedCreate", "Error creating: etcdserver: timed out", 9'990);
  CHECK(only(story.ask(creation_findings)).severity == Severity::Warning);
  CHECK(only(story.ask(creation_findings)).transient);
  event.first = at(9'000);
  CHECK(only(story.ask(creation_findings)).severity == Severity::Error);
}

TEST_CASE("a rejection is checked against the objects that it names", "[creation]") {
  TestStory story = one_missing();
  story.ds().pod_template.spec.service_account = "robot";
  story.event("FailedCreate",
              "Error creating: pods \"agent-\" is forbidden: error looking up service account "
              "x/robot: serviceaccount \"robot\" not found",
              9'990);
  CHECK(only(story.ask(creation_findings)).basis == Basis::Reported);
  story.cluster.known.service_accounts = true;
  const Finding still = only(story.ask(creation_findings));
  CHECK(still.basis == Basis::Confirmed);
  CHECK(still.evidence.back() == Evidence{{"ServiceAccount", "x", "robot"}, "metadata.name"});
  CHECK(fix_of(still).find("kubectl -n x create serviceaccount robot") == 0);
  model::ServiceAccount& account = story.cluster.service_accounts.emplace_back();
  account.meta.ns = "x";
  account.meta.name = "robot";
  const Finding gone = only(story.ask(creation_findings));
  CHECK(gone.severity == Severity::Warning);
  CHECK(gone.transient);
  CHECK(text_of(gone.message)
            .ends_with("the cause no longer exists, and the controller retries within 16m"));
}

TEST_CASE("a namespace that is being deleted needs no event", "[creation]") {
  TestStory story = one_missing();
  model::Namespace& ns = story.cluster.namespaces.emplace_back();
  ns.meta.name = "x";
  ns.phase = "Terminating";
  const Finding finding = only(story.ask(creation_findings));
  CHECK(finding.id == FindingId::CreateNamespaceTerminating);
  CHECK(finding.evidence ==
        std::vector<Evidence>{{{"Namespace", "", "x"}, "status.phase", "Terminating"}});
  ns.phase = "Active";
  CHECK(story.ask(creation_findings).empty());
}

TEST_CASE("a namespace that is being deleted is reported even if no pod is missing", "[creation]") {
  TestStory story;
  story.nodes({"a"});
  story.pod("a");
  model::Namespace& ns = story.cluster.namespaces.emplace_back();
  ns.meta.name = "x";
  ns.phase = "Terminating";
  const Finding finding = only(story.ask(creation_findings));
  CHECK(finding.severity == Severity::Warning);
  CHECK(text_of(finding.message) ==
        "Terminating: namespace x is being deleted, and the DaemonSet with it; no new pod can be "
        "created");
  story.ds().meta.deleted = at(test_now - 100);
  CHECK(story.ask(creation_findings).empty());  // reported as its deletion
}

TEST_CASE("obstacles are predicted from the objects", "[creation]") {
  TestStory story = one_missing();
  model::PodSpec& spec = story.ds().pod_template.spec;
  model::Known& known = story.cluster.known;
  SECTION("no finding without evidence") {
    spec.service_account = "robot";
    spec.priority_class = "high";
    spec.runtime_class = "gvisor";
    CHECK(story.ask(predicted_creation_findings).empty());
  }
  SECTION("missing objects that the template names") {
    spec.service_account = "robot";
    spec.priority_class = "high";
    spec.runtime_class = "gvisor";
    known.service_accounts = known.priority_classes = known.runtime_classes = true;
    const auto findings = story.ask(predicted_creation_findings);
    CHECK(ids(findings) ==
          "create-serviceaccount-missing create-priorityclass-missing create-runtimeclass-missing");
    CHECK(findings[0].basis == Basis::Predicted);
    CHECK(text_of(findings[0].message) ==
          "FailedCreate expected: serviceaccount x/robot not found; 1 node without a pod");
  }
  SECTION("the default account is used without a name and built-in classes always exist") {
    spec.priority_class = "system-node-critical";
    known.service_accounts = known.priority_classes = true;
    CHECK(text_of(only(story.ask(predicted_creation_findings)).message)
              .find("serviceaccount x/default") != std::string::npos);
  }
  SECTION("Pod Security forbids fields that node agents often use") {
    model::Namespace& ns = story.cluster.namespaces.emplace_back();
    ns.meta.name = "x";
    ns.meta.labels = {{"pod-security.kubernetes.io/enforce", "baseline"}};
    CHECK(story.ask(predicted_creation_findings).empty());
    story.ds().pod_template.host_network = true;
    spec.host_pid = true;
    spec.volumes = {{"logs", "hostPath", "/var/log", false, false}};
    model::Container container;
    container.name = "app";
    container.privileged = true;
    container.ports = {{9100, 9100, "", ""}};
    spec.containers = {container};
    const Finding finding = only(story.ask(predicted_creation_findings));
    CHECK(finding.id == FindingId::CreatePodsecurityDenied);
    CHECK(text_of(finding.message) ==
          "FailedCreate expected: violates PodSecurity baseline: "
          "hostNetwork, hostPID, hostPath volume logs, privileged container app, host port "
          "of container app; 1 node without a pod");
    const ObjectRef ds{"DaemonSet", "x", "agent"};
    const std::string label = "metadata.labels['pod-security.kubernetes.io/enforce']";
    const std::string of_pod = "spec.template.spec.";
    CHECK(finding.evidence ==
          std::vector<Evidence>{{{"Namespace", "", "x"}, label, "baseline"},
                                {ds, of_pod + "hostNetwork", "true"},
                                {ds, of_pod + "hostPID", "true"},
                                {ds, of_pod + "volumes[0].hostPath.path", "/var/log"},
                                {ds, of_pod + "containers[0].securityContext.privileged", "true"},
                                {ds, of_pod + "containers[0].ports[0].hostPort", "9100"}});
    SECTION("the first five are listed") {
      spec.host_ipc = true;
      CHECK(text_of(only(story.ask(predicted_creation_findings)).message)
                .find("privileged container app and 1 more; 1 node") != std::string::npos);
    }
    SECTION("not if such a pod passed within the hour because of an exemption") {
      story.cluster.pods.front().meta.created = at(9'000);
      CHECK(story.ask(predicted_creation_findings).empty());
    }
    SECTION("the level privileged allows everything") {
      ns.meta.labels = {{"pod-security.kubernetes.io/enforce", "privileged"}};
      CHECK(story.ask(predicted_creation_findings).empty());
    }
  }
  SECTION("no prediction if no pod is missing") {
    spec.runtime_class = "gvisor";
    known.runtime_classes = true;
    story.pod("c");
    CHECK(story.ask(predicted_creation_findings).empty());
  }
}

TEST_CASE("a controller that creates no pods at all is one problem", "[creation]") {
  TestStory story = one_missing();
  story.cluster.pods.clear();
  story.cluster.all_pods_known = true;
  story.ds().reported.desired_number_scheduled = 3;
  story.ds().meta.created = at(1'000);
  const auto add = [&](const char* name) {
    model::DaemonSet other = story.ds();
    other.meta.name = name;
    story.cluster.daemon_sets.push_back(std::move(other));
  };
  add("proxy");
  add("shipper");
  const auto found = [&] { return story.ask_node(silent_creation_findings, "c"); };
  CHECK(only(found()).id == FindingId::CreateNothing);
  CHECK(text_of(only(found()).message) ==
        "kube-controller-manager creates no pods: 3 DaemonSets have none of theirs; no DaemonSet "
        "has a pod; its lease was not read; events were not read");
  SECTION("events were read") {
    story.cluster.known.events = true;
    CHECK(text_of(only(found()).message).ends_with(", and no event shows a creation"));
    story.event("FailedCreate", "Error creating: x", test_now - 4'000);  // it tried
    CHECK(only(found()).id == FindingId::CreateSilent);
  }
  SECTION("pods from before it stopped do not count") {
    story.pod("a").meta.created = at(900);
    story.ds().reported.current_number_scheduled = 1;
    add("tracer");
    story.cluster.daemon_sets.back().reported.current_number_scheduled = 0;
    CHECK(found().empty());  // this DaemonSet has a pod
    story.ds().reported.current_number_scheduled = 0;
    CHECK(text_of(only(found()).message).find("any DaemonSet was created") != std::string::npos);
  }
  SECTION("the controller has created a pod since then") {
    story.pod("a").meta.created = at(1'200);
    CHECK(found().empty());
  }
  SECTION("two DaemonSets may have their own reasons") {
    story.cluster.daemon_sets.pop_back();
    CHECK(found().empty());
  }
  SECTION("not all pods were read") {
    story.cluster.all_pods_known = false;
    CHECK(found().empty());
  }
}

TEST_CASE("a missing pod without a known cause is reported", "[creation]") {
  TestStory story = one_missing();
  story.cluster.known.events = true;
  const Finding finding = only(story.ask_node(silent_creation_findings, "c"));
  CHECK(finding.id == FindingId::CreateSilent);
  CHECK(finding.severity == Severity::Warning);
  CHECK(finding.basis == Basis::Suspected);
  const auto says_nothing = [&] { return story.ask_node(silent_creation_findings, "c").empty(); };
  SECTION("also if a pod was created after the last rejection") {
    story.event("FailedCreate", "Error creating: x", test_now - 500);
    CHECK(says_nothing());
    story.event("SuccessfulCreate", "Created pod: agent-1", test_now - 400);
    CHECK(text_of(only(story.ask_node(silent_creation_findings, "c")).message)
              .find("no FailedCreate event after the last SuccessfulCreate") != std::string::npos);
  }
  SECTION("not for a node that has its pod") {
    CHECK(story.ask_node(silent_creation_findings, "a").empty());
  }
  SECTION("not without events") {
    story.cluster.known.events = false;
    CHECK(says_nothing());
  }
  SECTION("not within two minutes") {
    story.node("c").meta.created = at(9'900);
    CHECK(says_nothing());
    story.node("c").meta.created = at(9'880);
    CHECK_FALSE(says_nothing());
    story.node("c").conditions.front().last_transition = at(9'950);
    CHECK(says_nothing());
  }
  SECTION("not if a rejection was recorded within the hour") {
    story.event("FailedCreate", quota_text, 9'000);
    CHECK(says_nothing());
  }
  SECTION("not if the controller does not work") {
    story.ds().generation = 2;
    CHECK(says_nothing());
    story.ds().generation = 1;
    model::Lease& lease = story.cluster.leases.emplace_back();
    lease.meta.ns = "kube-system";
    lease.meta.name = "kube-controller-manager";
    lease.duration = 15;
    lease.renewed = at(9'900);
    CHECK(says_nothing());
    lease.renewed = at(9'950);
    CHECK_FALSE(says_nothing());
  }
  SECTION("between a pod that the controller deleted and the next one") {
    story.event("SuccessfulDelete", "Deleted pod: p9", 9'900);
    const Finding gap = only(story.ask_node(silent_creation_findings, "c"));
    CHECK(gap.transient);
    CHECK(gap.severity == Severity::Info);
    CHECK(text_of(gap.message) ==
          "eligible, but no pod yet; the controller deleted a pod 100s ago");
    story.cluster.events.back().last = at(9'880);
    CHECK_FALSE(only(story.ask_node(silent_creation_findings, "c")).transient);
  }
  SECTION("the back-off of failed pods is the likely cause if a pod failed") {
    story.event("FailedDaemonPod", "Found failed daemon pod x/p9 on node c, will try to kill it",
                9'500);
    const Finding waiting = only(story.ask_node(silent_creation_findings, "c"));
    CHECK(waiting.transient);
    CHECK(text_of(waiting.message).find("the last pod failed and was deleted 8m") !=
          std::string::npos);
    story.cluster.known.events = false;  // this event exists nevertheless
    const Finding seen = only(story.ask_node(silent_creation_findings, "c"));
    CHECK(seen.transient);
    CHECK(text_of(seen.message).starts_with("eligible, but no pod: the last pod failed"));
    story.cluster.known.events = true;
    story.cluster.events.front().message =
        "Found failed daemon pod x/p9 on node cc, will try to kill it";
    CHECK_FALSE(only(story.ask_node(silent_creation_findings, "c")).transient);
  }
}

TEST_CASE("the maker of a webhook decides the fix for its rejection", "[creation]") {
  const auto [webhook, fix] = GENERATE(table<const char*, const char*>({
      {"warden-validating.common-webhooks.networking.gke.io", "change the template as the message"},
      {"validate.kyverno.svc-fail", "change the template as the policy in the message"},
      {"validation.gatekeeper.sh", "change the template as the policy in the message"},
      {"guard.example.com", "change the template as the webhook requires, or exclude namespace x"},
  }));
  TestStory story = one_missing();
  const std::string text =
      fmt::format("Error creating: admission webhook \"{}\" denied the request: no", webhook);
  story.event("FailedCreate", text.c_str(), 9'990);
  const Finding finding = only(story.ask(creation_findings));
  CHECK(fix_of(finding).starts_with(fix));
  CHECK(finding.fix.size() == 1);
  CHECK(finding.root == webhook);
}

TEST_CASE("an unnamed webhook that does not answer in time must be found", "[creation]") {
  TestStory story = one_missing();
  story.event("FailedCreate",
              "Error creating: Internal error occurred: admission plugin "
              "\"MutatingAdmissionWebhook\" failed to complete mutation in 13s",
              9'990);
  CHECK(fix_of(only(story.ask(creation_findings))).starts_with("find the webhook"));
}

TEST_CASE("a security context constraint is granted only to the pods' own account", "[creation]") {
  TestStory story = one_missing();
  story.event(
      "FailedCreate",
      "Error creating: pods \"agent-\" is forbidden: unable to validate against any "
      "security context constraint: [provider restricted-v2: spec.volumes[0]: Invalid value]",
      9'990);
  const auto fix = [&] { return fix_of(only(story.ask(creation_findings))); };
  const auto is_said = [&](std::string_view part) { return fix().find(part) != std::string::npos; };
  CHECK(is_said("kubectl -n x create serviceaccount agent"));
  CHECK(is_said("oc adm policy add-scc-to-user SCC -z agent -n x"));
  story.ds().pod_template.spec.service_account = "robot";
  CHECK_FALSE(is_said("create serviceaccount"));
  CHECK(is_said("add-scc-to-user SCC -z robot -n x"));
  story.ds().pod_template.spec.containers.resize(1);
  story.ds().pod_template.spec.containers[0].privileged = true;
  CHECK(is_said("add-scc-to-user privileged -z robot -n x"));
}

TEST_CASE("the pods of a terminating namespace are deleted with it", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  model::Namespace& ns = story.cluster.namespaces.emplace_back();
  ns.meta.name = "x";
  ns.phase = "Terminating";
  ns.meta.deleted = at(test_now - 300);
  model::Pod& pod = story.pod("a");
  const auto resolves = [&] { return story.ask(creation_findings).front().transient; };
  CHECK_FALSE(resolves());
  pod.meta.deleted = at(test_now + 300);
  CHECK(resolves());
  pod.meta.deleted = at(test_now - 61);
  CHECK_FALSE(resolves());
  ns.meta.deleted = at(test_now - 59);
  CHECK(resolves());
}

TEST_CASE("a rejection without its cause needs no fix any more", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.known.resource_quotas = story.cluster.known.limit_ranges = true;
  const char* text =
      "Error creating: pods \"agent-\" is forbidden: exceeded quota: q, requested: pods=1, used: "
      "pods=20, limited: pods=20";
  story.event("FailedCreate", text, test_now - 500);
  CHECK(story.ask(creation_findings).front().fix.empty());
  story.cluster.events.front().last = at(test_now - 1500);
  CHECK(fix_of(story.ask(creation_findings).front())
            .starts_with("check the log of kube-controller-manager for x/agent"));
}

TEST_CASE("a quota is seen to have room again without limit ranges", "[creation]") {
  TestStory story;
  story.nodes({"a"});
  model::ResourceQuota& quota = story.cluster.resource_quotas.emplace_back();
  quota.meta.ns = "x";
  quota.meta.name = "q";
  quota.hard = {{"pods", "40"}};
  quota.used = {{"pods", "20"}};
  story.event("FailedCreate",
              "Error creating: pods \"agent-\" is forbidden: exceeded quota: q, requested: pods=1, "
              "used: pods=20, limited: pods=20",
              test_now - 500);
  const auto is_gone = [&] {
    return text_of(story.ask(creation_findings).front().message)
               .find("the cause no longer exists") != std::string::npos;
  };
  CHECK(is_gone());
  quota.hard = {{"pods", "20"}};
  CHECK_FALSE(is_gone());
  quota.hard = {{"cpu", "20"}};  // of another resource
  CHECK_FALSE(is_gone());
}

TEST_CASE("with maxSurge a pod can be rejected beside a running one", "[creation]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.pod("a", "old");
  story.pod("b", "old");
  story.add_revision("old", 1, 6);
  story.event("FailedCreate",
              "Error creating: pods \"agent-\" is forbidden: exceeded quota: q, requested: pods=1, "
              "used: pods=10, limited: pods=10",
              test_now - 60);
  CHECK(story.ask(creation_findings).empty());
  story.ds().max_surge = model::IntOrPercent{1, false};
  const auto findings = story.ask(creation_findings);
  REQUIRE(ids(findings) == "create-quota-exceeded");
  CHECK(text_of(findings.front().message)
            .ends_with("maxSurge: 1 node without the new pod beside the old one"));
  SECTION("not if the budget is used up") {
    story.pod("a").conditions.clear();
    CHECK(story.ask(creation_findings).empty());
  }
  SECTION("a node with an unavailable pod is due another one despite the budget") {
    story.cluster.pods[0].conditions.clear();
    CHECK(text_of(story.ask(creation_findings).front().message).find("maxSurge: 2 nodes without") !=
          std::string::npos);
  }
  SECTION("not if the rejection is old") {
    story.cluster.events.front().last = at(test_now - 1000);
    CHECK(story.ask(creation_findings).empty());
  }
  SECTION("not after a pod was created") {
    story.event("SuccessfulCreate", "Created pod: agent-x7x2k", test_now - 30);
    CHECK(story.ask(creation_findings).empty());
  }
  SECTION("a node whose only pod is terminating is due another one immediately") {
    for (model::Pod& pod : story.cluster.pods)
      pod.meta.labels.set("controller-revision-hash", "new");
    CHECK(story.ask(creation_findings).empty());
    story.cluster.pods[0].meta.deleted = at(test_now);
    CHECK(ids(story.ask(creation_findings)) == "create-quota-exceeded");
  }
}
