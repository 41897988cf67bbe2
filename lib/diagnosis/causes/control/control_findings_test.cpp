// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/control_findings.h"

#include <catch2/catch.hpp>
#include <limits>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

Finding only(const TestStory& story, std::string_view id) {
  const auto findings = story.ask(control_findings);
  CAPTURE(ids(findings), std::string(id));
  REQUIRE(std::ranges::count(findings, id, &Finding::name) == 1);
  return *std::ranges::find(findings, id, &Finding::name);
}

/// Adds a lease in kube-system that was renewed `ago` seconds before the test time.
model::Lease& renew(TestStory& story, const char* name, std::int64_t ago) {
  model::Lease& lease = story.cluster.leases.emplace_back();
  lease.meta.ns = "kube-system";
  lease.meta.name = name;
  lease.holder = "master-1";
  lease.duration = 15;
  lease.renewed = at(test_now - ago);
  return lease;
}

model::FieldManager spec_written(const char* manager, std::int64_t when) {
  model::FieldManager entry;
  entry.manager = manager;
  entry.operation = "Update";
  entry.spec = true;
  entry.time = at(when);
  return entry;
}

/// A cluster with node a that has no pod, and a spec that the controller has never processed.
TestStory untouched() {
  TestStory story;
  story.nodes({"a"});
  story.cluster.revisions.clear();
  story.cluster.known.revisions = story.cluster.known.events = true;
  story.ds().observed_generation = 0;
  return story;
}

constexpr const char* account = "User \"system:serviceaccount:kube-system:daemon-set-controller\"";

}  // namespace

TEST_CASE("a healthy control plane has no finding", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.pod("a");
  renew(story, "kube-controller-manager", 2);
  renew(story, "kube-scheduler", 2);
  CHECK(story.ask(control_findings).empty());
}

TEST_CASE("a kube-controller-manager whose lease has expired is down", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  model::Lease& lease = renew(story, "kube-controller-manager", 60);
  CHECK(story.ask(control_findings).empty());
  lease.renewed = at(test_now - 61);
  const Finding finding = only(story, "controller-manager-down");
  CHECK(finding.severity == Severity::Critical);
  CHECK(text_of(finding.message) ==
        "kube-controller-manager has not renewed its lease for 61s (last holder master-1): no "
        "DaemonSet is processed");
  SECTION("the lease expires after four times its duration if that is longer") {
    lease.duration = 30;
    CHECK(story.ask(control_findings).empty());
    lease.renewed = at(test_now - 121);
    CHECK(ids(story.ask(control_findings)) == "controller-manager-down");
  }
  SECTION("a lease that was never renewed proves nothing") {
    lease.renewed.reset();
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("not reported without an effect on the DaemonSet") {
    story.pod("a");
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("an event of one of its controllers proves that it works") {
    story.event("SuccessfulCreate", "Created pod", test_now).component = "daemonset-controller";
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("a field that it wrote proves that it works") {
    model::FieldManager entry;
    entry.manager = "kube-controller-manager";
    entry.time = at(test_now);
    story.ds().meta.managers = {entry};
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("it explains why a spec is not processed") {
    story.ds().generation = 2;
    CHECK(text_of(only(story, "controller-not-observing").message)
              .ends_with("; kube-controller-manager is down"));
  }
}

TEST_CASE("a permission that an event reports as missing", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  const std::string by = std::string("Error creating: pods is forbidden: ") + account + " cannot ";
  SECTION("in the core group") {
    const std::string text =
        by + "create resource \"pods\" in API group \"\" in the namespace \"x\"";
    story.event("FailedCreate", text.c_str(), 9'000);
    const Finding finding = only(story, "controller-rbac-forbidden");
    CHECK(text_of(finding.message) ==
          "forbidden: the DaemonSet controller cannot create pods in namespace x");
    CHECK(finding.basis == Basis::Confirmed);
    CHECK(fix_of(finding).starts_with("kubectl auth can-i create pods -n x "));
  }
  SECTION("in another group") {
    const std::string text = by + "patch resource \"daemonsets/status\" in API group \"apps\"";
    story.event("Failed", text.c_str(), 9'000);
    CHECK(text_of(only(story, "controller-rbac-forbidden").message) ==
          "forbidden: the DaemonSet controller cannot patch daemonsets/status.apps in namespace x");
  }
  SECTION("in another message format") {
    const std::string text = by + "do what it wants";
    story.event("Failed", text.c_str(), 9'000);
    CHECK(text_of(only(story, "controller-rbac-forbidden").message)
              .starts_with(
                  "forbidden: the DaemonSet controller lacks an RBAC permission: Error creating"));
  }
  SECTION("another account is ignored") {
    story.event("Failed", "User \"bob\" cannot create resource \"pods\"", 9'000);
    CHECK(story.ask(control_findings).empty());
  }
}

TEST_CASE("a permission that no role grants is reported only with its effect", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.pod("a");
  story.cluster.known.roles = true;
  story.cluster.cluster_roles.emplace_back().meta.name = "view";
  CHECK(story.ask(control_findings).empty());
  story.cluster.pods.clear();
  const Finding finding = only(story, "controller-rbac-forbidden");
  CHECK(text_of(finding.message)
            .starts_with("forbidden: no ClusterRole lets the DaemonSet controller create "
                         "controllerrevisions.apps, "));
  CHECK(finding.basis == Basis::Confirmed);
  SECTION("nothing is reported if roles were not listed completely") {
    story.cluster.known.roles = false;
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("nothing is reported without any role: another authorizer decides") {
    story.cluster.cluster_roles.clear();
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("an unlisted permission proves nothing if the DaemonSet has all its pods") {
    story.pod("a");
    story.cluster.revisions.clear();
    story.cluster.known.revisions = true;
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("an old release's role lacks a permission that its controller does not need") {
    model::ClusterRole& role = story.cluster.cluster_roles.emplace_back();
    role.meta.name = "old";
    role.rules = {
        {{"create", "delete", "list", "patch", "update", "watch"},
         {"apps"},
         {"controllerrevisions"},
         {}},
        {{"get", "list", "watch", "update"}, {"apps"}, {"daemonsets", "daemonsets/status"}, {}},
        {{"*"}, {""}, {"*"}, {}}};
    model::ClusterRoleBinding& binding = story.cluster.cluster_role_bindings.emplace_back();
    binding.meta.name = "old";
    binding.role = "old";
    binding.subjects = {{"ServiceAccount", "kube-system", "daemon-set-controller"}};
    story.cluster.version = model::ServerVersion{1, 8, 4, "v1.8.4"};
    CHECK(story.ask(control_findings).empty());
    story.cluster.version->minor = 30;
    CHECK(text_of(only(story, "controller-rbac-forbidden").message)
              .find("controller get controllerrevisions.apps;") != std::string::npos);
  }
  SECTION("no permission is missing if a role grants all") {
    model::ClusterRole& role = story.cluster.cluster_roles.emplace_back();
    role.meta.name = "all";
    role.rules = {{{"*"}, {"*"}, {"*"}, {}}};
    model::ClusterRoleBinding& binding = story.cluster.cluster_role_bindings.emplace_back();
    binding.meta.name = "all";
    binding.role = "all";
    binding.subjects = {{"ServiceAccount", "kube-system", "daemon-set-controller"}};
    CHECK(story.ask(control_findings).empty());
  }
}

TEST_CASE("a healthy DaemonSet has no finding about the control plane", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.pod("a");
  story.pod("b");
  story.cluster.revisions.clear();
  story.cluster.known.roles = story.cluster.known.revisions = true;  // there are none
  renew(story, "kube-controller-manager", 1'000);
  renew(story, "kube-scheduler", 1'000);
  CHECK(story.ask(control_findings).empty());
}

TEST_CASE("a controller that does nothing while its manager is alive lacks the first permission",
          "[diagnosis]") {
  TestStory story = untouched();
  CHECK(ids(story.ask(control_findings)) == "controller-not-observing");  // no proof of activity
  SECTION("its lease proves activity") { renew(story, "kube-controller-manager", 5); }
  SECTION("a field that it wrote on a node proves activity") {
    model::FieldManager entry;
    entry.manager = "kube-controller-manager";
    entry.time = at(9'000);
    story.node("a").meta.managers = {entry};
  }
  SECTION("an event of another controller proves activity") {
    model::Event& event = story.event("NodeNotReady", "", 9'000);
    event.kind = "Node";
    event.name = "a";
    event.uid = {};
    event.component = "node-controller";
  }
  const auto findings = story.ask(control_findings);
  REQUIRE(ids(findings) == "controller-rbac-forbidden controller-not-observing");
  CHECK(findings[0].basis == Basis::Suspected);
  CHECK(
      fix_of(findings[0]).starts_with("kubectl auth can-i create controllerrevisions.apps -n x "));
  CHECK(text_of(findings[1].message).ends_with("; an RBAC permission is missing"));
  // A controller that records an event has passed that step.
  story.event("FailedCreate", "exceeded quota", 9'500);
  CHECK(ids(story.ask(control_findings)) == "controller-not-observing");
}

TEST_CASE("a working controller that has stored a revision has that permission", "[diagnosis]") {
  TestStory story = untouched();
  renew(story, "kube-controller-manager", 5);
  SECTION("a revision of an older template") { story.add_revision("old", 1, 3); }
  SECTION("a pod") { story.pod("a"); }
  SECTION("it was created within the last minute") { story.ds().meta.created = at(test_now - 60); }
  CHECK(ids(story.ask(control_findings)) == "controller-not-observing");
}

TEST_CASE("a spec that the controller has not processed is reported", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.pod("a");
  story.ds().generation = 3;
  story.ds().meta.managers = {spec_written("helm", test_now - 1200)};
  Finding finding = only(story, "controller-not-observing");
  CHECK(finding.severity == Severity::Critical);
  CHECK(text_of(finding.message) ==
        "the DaemonSet controller has not processed the current spec: generation 3, "
        "observedGeneration 1; changed 20m ago by Helm");
  SECTION("other DaemonSets are processed") {
    model::DaemonSet& other = story.cluster.daemon_sets.emplace_back();
    other.meta.ns = "y";
    other.generation = other.observed_generation = 4;
    CHECK(text_of(only(story, "controller-not-observing").message)
              .ends_with("; other DaemonSets are processed"));
  }
  SECTION("not yet") {
    story.ds().meta.managers = {spec_written("helm", test_now - 59)};
    CHECK(only(story, "controller-not-observing").transient);
    CHECK(only(story, "controller-not-observing").severity == Severity::Info);
  }
  SECTION("never processed since its creation") {
    story.ds().generation = 1;
    story.ds().observed_generation = 0;
    story.ds().meta.managers.clear();
    story.ds().meta.created = at(test_now - 1200);
    CHECK(text_of(only(story, "controller-not-observing").message)
              .ends_with("generation 1, observedGeneration none; created 20m ago"));
  }
  SECTION("a DaemonSet that is being deleted is not processed any more") {
    story.ds().meta.deleted = at(9'000);
    CHECK(story.ask(control_findings).empty());
  }
}

TEST_CASE("a batch that fails ends the sync", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b", "c"});
  CHECK(story.ask(control_findings).empty());
  story.event("FailedCreate", "exceeded quota", 9'000).count = 0;
  CHECK(text_of(only(story, "controller-slow-start").message) ==
        "3 nodes without a pod, but only 1 rejected pod: the controller creates pods in growing "
        "batches and stops at the first batch that fails");
  SECTION("as many rejections as nodes need no such explanation") {
    story.cluster.events.front().count = 3;
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("counts whose sum overflows") {
    story.cluster.events.front().count = std::numeric_limits<std::int64_t>::max();
    story.event("FailedCreate", "exceeded quota", 9'000).count =
        std::numeric_limits<std::int64_t>::max();
    CHECK(story.ask(control_findings).empty());
  }
}

TEST_CASE("a scheduler whose lease has expired is down if pods wait for it", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  model::Lease& lease = renew(story, "kube-scheduler", 600);
  model::Pod& pod = story.pod("a");
  CHECK(story.ask(control_findings).empty());
  TestStory::unbind(pod, "a", "0/1 nodes are available");
  CHECK(text_of(only(story, "scheduler-down").message) ==
        "kube-scheduler has not renewed its lease for 10m: no pod is bound to a node");
  lease.renewed = at(test_now);
  CHECK(story.ask(control_findings).empty());
}

TEST_CASE("a scheduler that ignores a pod is down unless the pod's devices are missing",
          "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.cluster.all_pods_known = true;
  model::Pod& other = story.pod("b");
  other.meta.ns = "shop";
  other.meta.controller.reset();
  model::Pod& pod = story.pod("a");
  TestStory::unbind(pod, "a", "");
  pod.conditions.clear();
  model::PodSpec spec;
  pod.spec = spec;
  CHECK(text_of(only(story, "scheduler-down").message) ==
        "kube-scheduler has processed neither pod p2 nor any later pod");
  SECTION("unread pods of other namespaces may have been scheduled") {
    story.cluster.all_pods_known = false;
    CHECK(story.ask(control_findings).empty());
    story.cluster.all_pods_known = true;
    CHECK_FALSE(story.ask(control_findings).empty());
    story.cluster.pods[0].meta.ns = pod.meta.ns;
    CHECK_FALSE(story.ask(control_findings).empty());
    story.cluster.all_pods_assumed = true;  // the input may be of one namespace
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("it waits for devices") {
    spec.resource_claims = {{"gpu", "big-gpu", ""}};
    pod.spec = spec;
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("its PodGroup does not exist") {
    spec.pod_group = "agents";
    pod.spec = spec;
    CHECK(story.ask(control_findings).empty());
    model::PodGroup group;
    group.meta.ns = pod.meta.ns;
    group.meta.name = "agents";
    group.min_count = 1;
    story.cluster.pod_groups = {group};
    CHECK_FALSE(story.ask(control_findings).empty());
  }
  SECTION("it uses another scheduler") {
    spec.scheduler_name = "own";
    pod.spec = spec;
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("a younger pod was scheduled") {
    story.pod("b").conditions.push_back({"PodScheduled", "True", "", "", at(1)});
    CHECK(story.ask(control_findings).empty());
  }
  SECTION("it was created within the last minute") {
    pod.meta.created = at(test_now - 29);
    CHECK(story.ask(control_findings).empty());
  }
}

TEST_CASE("a controller that processes no DaemonSet at all is reported", "[diagnosis]") {
  TestStory story = untouched();
  model::DaemonSet other = story.ds();
  other.meta.name = "other";
  other.meta.uid = "uid-2";
  story.cluster.daemon_sets.push_back(other);
  const Finding finding = only(story, "controller-not-observing");
  CHECK(finding.severity == Severity::Critical);
  CHECK(text_of(finding.message)
            .starts_with("the DaemonSet controller has not processed any of 2 DaemonSets; "
                         "this one: generation 1, observedGeneration none"));
  SECTION("not if it has processed one") {
    story.cluster.daemon_sets.back().observed_generation = 1;
    CHECK(text_of(only(story, "controller-not-observing").message).find("the current spec") !=
          std::string::npos);
  }
  SECTION("not if they were changed together a moment ago") {
    const auto change = [&](std::int64_t when) {
      for (model::DaemonSet& ds : story.cluster.daemon_sets) {
        ds.generation = 2;
        ds.observed_generation = 1;
        model::FieldManager writer;
        writer.spec = true;
        writer.operation = "Update";
        writer.time = at(when);
        ds.meta.managers = {writer};
      }
      return only(story, "controller-not-observing").transient;
    };
    CHECK(change(test_now - 16));
    CHECK_FALSE(change(test_now - 61));
  }
  SECTION("not if one of them is new") {
    story.cluster.daemon_sets.back().meta.created = at(test_now - 10);
    CHECK(text_of(only(story, "controller-not-observing").message).find("the current spec") !=
          std::string::npos);
  }
}

TEST_CASE("a name too long for a ControllerRevision is reported", "[diagnosis]") {
  TestStory story = untouched();
  story.ds().meta.name = std::string(253, 'a');
  const Finding finding = only(story, "controller-not-observing");
  CHECK(finding.severity == Severity::Critical);
  CHECK(text_of(finding.message).find("NAME-HASH, would have more than 253 characters") !=
        std::string::npos);
  CHECK(fix_of(finding) == "create the DaemonSet under a shorter name, then delete this one");
  story.ds().meta.created = at(test_now - 5);  // it never resolves
  story.ds().meta.managers.clear();
  const Finding young = only(story, "controller-not-observing");
  CHECK(young.severity == Severity::Critical);
  CHECK_FALSE(young.transient);
  CHECK(ids(story.ask(control_findings)).find("rbac") == std::string::npos);
  SECTION("a shorter name is not") {
    story.ds().meta.name = std::string(240, 'a');
    CHECK(text_of(only(story, "controller-not-observing").message).find("NAME-HASH") ==
          std::string::npos);
  }
}

TEST_CASE("no pod is to be deleted first if its replacement cannot be created", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  story.node("a").allocatable = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}};
  story.pod("a");
  model::Pod& other = story.pod("a");  // another namespace: all pods were read
  other.meta.ns = "y";
  other.meta.controller.reset();
  model::Pod& pod = story.cluster.pods.front();
  pod.node_name = {};
  pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {"a"}}}}}};
  pod.phase = "Pending";
  pod.conditions = {{"PodScheduled", "False", "Unschedulable",
                     "0/1 nodes are available: 1 Insufficient cpu.", at(test_now - 900)}};
  const auto first_step = [&] {
    const auto report = Reporter(story.cluster, {{}, at(test_now), {}}).report(story.ds());
    REQUIRE(ids(report.nodes[0].findings()) == "scheduler-disagrees");
    return report.nodes[0].findings().front().fix.front().text;
  };
  CHECK(first_step() == "delete the pod so that it is scheduled again");
  renew(story, "kube-controller-manager", 5);
  CHECK(first_step() == "delete the pod so that it is scheduled again");
  story.cluster.leases.front().renewed = at(test_now - 600);
  CHECK(first_step().starts_with("check kube-controller-manager first"));
}

TEST_CASE("a rollout that does not begin is neglected", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.pod("a", "old");
  story.add_revision("old", 1, 6);
  CHECK(ids(story.ask(control_findings)).empty());
  model::Lease& lease = renew(story, "kube-controller-manager", 9'500);
  CHECK(ids(story.ask(control_findings)) == "controller-manager-down");
  lease.renewed = at(test_now - 600);  // it stopped long before
  CHECK(ids(story.ask(control_findings)).empty());
}

TEST_CASE("a pod shows whether kube-controller-manager works despite its stale lease",
          "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  model::Pod& pod = story.pod("a");
  renew(story, "kube-controller-manager", 600);
  CHECK(ids(story.ask(control_findings)) == "controller-manager-down");
  SECTION("one of its controllers created a pod") {
    pod.meta.created = at(test_now - 60);
    CHECK(story.ask(control_findings).empty());
    pod.meta.controller->kind = "Node";  // a static pod
    story.ds().meta.uid = "";
    CHECK_FALSE(story.ask(control_findings).empty());
  }
  SECTION("a terminating pod without a replacement") {
    story.pod("b").meta.deleted = at(test_now + 10);
    CHECK(ids(story.ask(control_findings)) == "controller-manager-down");
  }
}
