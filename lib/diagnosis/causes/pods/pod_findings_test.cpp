// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/pod_findings.h"

#include <functional>
#include <set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

struct PodRow {
  const char* ids;
  std::function<void(Scene&)> arrange;
};

model::Pod& terminating_pod(Scene& scene) {
  model::Pod& pod = scene.pod();
  pod.meta.deleted = scene.now - std::chrono::seconds(600);
  pod.meta.grace_seconds = 30;
  return pod;
}

const std::vector<PodRow>& node_rows() {
  static const std::vector<PodRow> all = {
      {"device-taint-eviction pod-disrupted",
       [](Scene& s) {
         s.ds().pod_template.spec.resource_claims = {{"gpu", "", "gpus"}};
         s.pod().meta.deleted = s.now;
         s.cluster.pods[0].conditions.push_back({"DisruptionTarget", "True",
                                                 "DeletionByDeviceTaintManager",
                                                 "Device Taint manager: deleting", at(3599)});
       }},
      {"toleration-seconds-loop",
       [](Scene& s) {
         s.cluster.nodes[0].taints = {{"maint", "", "NoExecute"}};
         s.ds().pod_template.tolerations = {{"", "Exists", "", "NoExecute", 300}};
       }},
      {"pod-terminating-stuck", [](Scene& s) { terminating_pod(s); }},
      {"pod-duplicate", [](Scene& s) { s.pod(), s.pod(); }},
      {"pod-misscheduled",
       [](Scene& s) {
         s.cluster.nodes[0].taints = {{"keep", "", "NoSchedule"}};
         s.pod();
       }},
      {"pod-doomed-not-removed",
       [](Scene& s) {
         s.cluster.nodes[0].taints = {{"no", "", "NoExecute", at(10)}};
         s.pod();
       }},
      {"pod-disrupted",
       [](Scene& s) {
         s.pod().conditions.push_back({"DisruptionTarget", "True", "EvictionByEvictionAPI",
                                       "Eviction API: evicting", at(3000)});
       }},
      {"pod-completed",
       [](Scene& s) {
         s.pod().phase = "Succeeded";
         s.cluster.pods[0].conditions.clear();
       }},
      {"pod-static-shadow",
       [](Scene& s) {
         model::Pod& other = s.pod();
         other.meta.name = "agent-n1";
         other.meta.controller = model::ControllerRef{"Node", "n1", "uid-9"};
         other.mirror = true;
         other.meta.labels = {};
         s.unready_pod();
         s.cluster.pods[1].conditions[1].status = "False";
       }},
  };
  return all;
}

const std::vector<PodRow>& stray_rows() {
  static const std::vector<PodRow> all = {
      {"pod-on-missing-node", [](Scene& s) { s.pod("gone"); }},
      {"pod-target-lost",
       [](Scene& s) {
         model::Pod& pod = s.pod();
         pod.node_name = {};
         pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {"n1", "n2"}}}}}};
       }},
      {"pod-orphaned", [](Scene& s) { s.pod().meta.controller.reset(); }},
      {"pod-orphaned", [](Scene& s) { s.pod().meta.controller->uid = "uid-of-a-former-life"; }},
      {"pod-foreign",
       [](Scene& s) {
         s.pod().meta.controller = model::ControllerRef{"ReplicaSet", "web", "uid-2"};
       }},
      {"pod-released",
       [](Scene& s) {
         s.pod().meta.labels = {{"app", "debug"}};
       }},
  };
  return all;
}

}  // namespace

TEST_CASE("every finding about pods and their sets has a scene that shows it", "[diagnosis]") {
  std::set<std::string> seen;
  const auto note = [&](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) seen.emplace(finding.name());
  };
  for (const PodRow& row : node_rows()) {
    Scene scene;
    row.arrange(scene);
    CHECK(scene.ids() == row.ids);
    note(scene.found());
  }
  for (const PodRow& row : stray_rows()) {
    Scene scene;
    row.arrange(scene);
    CHECK(Scene::ids_of(scene.strays()) == row.ids);
    note(scene.strays());
  }
  seen.emplace("pod-owner-missing");     // see missing_owners_test.cpp
  seen.emplace("pod-program-conflict");  // see twin_findings_test.cpp
  seen.emplace("provider-absent");       // see absent_provider_test.cpp
  seen.emplace("label-writer-absent");   // see absent_writer_test.cpp
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.family != Family::Pods) continue;
    CAPTURE(std::string(entry.id));
    CHECK(seen.contains(std::string(entry.id)));
  }
}

TEST_CASE("a healthy DaemonSet has no stray pods", "[diagnosis]") {
  Scene scene;
  scene.pod();
  model::Pod& other = scene.pod();
  other.meta.labels = {{"app", "web"}};
  other.meta.controller = model::ControllerRef{"ReplicaSet", "web", "uid-2"};
  CHECK(scene.strays().empty());
  CHECK(scene.ids().empty());
}

TEST_CASE("a pod with tolerationSeconds is evicted and recreated repeatedly", "[diagnosis]") {
  Scene scene;
  scene.cluster.nodes[0].taints = {{"maint", "", "NoExecute"}};
  auto& tolerations = scene.ds().pod_template.tolerations;
  SECTION("an entry without a key comes before the controller's own tolerations") {
    tolerations = {{"", "Exists", "", "NoExecute", 300}};
    const Finding finding = scene.one("toleration-seconds-loop");
    CHECK(text_of(finding.message)
              .starts_with("tolerationSeconds: taint maint:NoExecute is tolerated for 300s only"));
    CHECK(text_of(finding.evidence.front()) ==
          "DaemonSet/agent spec.template.spec.tolerations[0].tolerationSeconds: 300");
    CHECK(text_of(finding.message).ends_with("creates it again"));
    CHECK(finding.group == "maint|300");
  }
  SECTION("the first matching toleration decides") {
    tolerations = {{"maint", "Exists", "", ""}, {"", "Exists", "", "NoExecute", 300}};
    CHECK(scene.ids().empty());
  }
  SECTION("an existing pod's own tolerations decide") {
    tolerations = {{"maint", "Exists", "", ""}};
    scene.pod().tolerations = std::vector<model::Toleration>{{"maint", "Exists", "", "", 20}};
    CHECK(text_of(scene.one("toleration-seconds-loop").evidence.front()) ==
          "Pod/agent-00001 spec.tolerations[0].tolerationSeconds: 20");
  }
  SECTION("the shortest of several applies and a negative one counts as zero") {
    scene.cluster.nodes[0].taints = {{"a", "", "NoExecute"}, {"b", "", "NoExecute"}};
    tolerations = {{"a", "Exists", "", "", 60}, {"b", "Exists", "", "", -5}};
    CHECK(scene.one("toleration-seconds-loop").group == "b|0");
  }
  SECTION("not on an ineligible node") { CHECK(scene.ids().empty()); }
  SECTION("not for NoSchedule") {
    tolerations = {{"", "Exists", "", "", 300}};
    scene.cluster.nodes[0].taints[0].effect = "NoSchedule";
    CHECK(scene.ids().empty());
  }
  SECTION("eviction events of pods on this node are enough") {
    tolerations = {{"maint", "Exists", "", ""}};
    for (const char* name : {"agent-aaaaa", "agent-bbbbb"}) {
      model::Event& event = scene.event(name, "TaintManagerEviction",
                                        std::string("Marking for deletion Pod x/") + name, 200);
      event.type = "Normal";
      event.host = {};
      CHECK(scene.ids().empty());
      scene.event(name, "Scheduled", "Successfully assigned x/agent to n1", 300).type = "Normal";
    }
    CHECK(text_of(scene.one("toleration-seconds-loop").message)
              .find("2 times within the last hour") != std::string::npos);
  }
}

TEST_CASE("an unfinished deletion is explained", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = terminating_pod(scene);
  SECTION("the times of deletion and grace period") {
    CHECK(text_of(scene.one("pod-terminating-stuck").message)
              .starts_with("stuck Terminating for 10m: deleted at 2023-11-14 23:02:50 UTC "
                           "with a grace period of 30s; "));
  }
  SECTION("the node does not respond") {
    scene.cluster.nodes[0].conditions[0].status = "Unknown";
    const Finding finding = scene.one("pod-terminating-stuck");
    CHECK(finding.group == "unreachable");
    CHECK(fix_of(finding).find("--force") != std::string::npos);
  }
  SECTION("finalizers") {
    pod.meta.finalizers = {"example.com/backup"};
    const Finding finding = scene.one("pod-terminating-stuck");
    CHECK(text_of(finding.message).find("waits for finalizer example.com/backup") !=
          std::string::npos);
    CHECK(fix_of(finding).starts_with("find out who owns the finalizer"));
    pod.meta.deleted = scene.now - std::chrono::seconds(5);
    const Finding held = scene.one("pod-terminating-stuck");
    CHECK(held.severity == Severity::Info);
    CHECK_FALSE(held.transient);
    CHECK(text_of(held.message) ==
          "Terminating: waits for finalizer example.com/backup; no new pod is created on the node "
          "until then");
    pod.meta.deleted = scene.now + std::chrono::seconds(5);  // within its grace period
    CHECK(scene.ids().empty());
  }
  SECTION("the kubelet's message") {
    scene.event("agent-00001", "FailedKillPod", "error killing pod: device busy");
    CHECK(text_of(scene.one("pod-terminating-stuck").message) ==
          "stuck Terminating for 10m: error killing pod: device busy; no new pod is created on the "
          "node until then, and it counts as unavailable in a rolling update");
  }
  SECTION("the kubelet's message with operation and short cause") {
    const auto kill_failed = [&](std::string_view error) {
      scene.event(
          "agent-00001", "FailedKillPod",
          "error killing pod: failed to \"KillPodSandbox\" for \"28eabd4f-4060\" with "
          "KillPodSandboxError: \"rpc error: code = Unknown desc = failed to destroy network for "
          "sandbox \\\"72d80f9db4e1\\\": plugin type=" +
              std::string(error) + "\"");
      const std::string text = text_of(scene.one("pod-terminating-stuck").message);
      return text.substr(0, text.find("; no new pod"));
    };
    CHECK(
        kill_failed(
            "\\\"multus\\\" name=\\\"multus-cni-network\\\" failed (delete): specify either "
            "\\\"device\\\", \\\"hwaddr\\\", \\\"kernelpath\\\" or \\\"pciBusID\\\"") ==
        "stuck Terminating for 10m: KillPodSandbox: failed to destroy network for sandbox: plugin "
        "multus (delete) failed");
    CHECK(
        kill_failed(
            "\\\"calico\\\" failed (delete): error getting ClusterInformation: connection is "
            "unauthorized: Unauthorized") ==
        "stuck Terminating for 10m: KillPodSandbox: failed to destroy network for sandbox: plugin "
        "calico (delete) failed");
    CHECK(
        kill_failed("\\\"multus\\\" name=\\\"net\\\" failed (delete): DelegateDel: error invoking "
                    "ConflistDel: plugin type=\\\"host-device\\\" failed (delete): no such link") ==
        "stuck Terminating for 10m: KillPodSandbox: failed to destroy network for sandbox: plugin "
        "multus, host-device (delete) failed");
    CHECK(fix_of(scene.one("pod-terminating-stuck"))
              .starts_with("repair the network plugin that the message names"));
    CHECK(
        kill_failed("\\\"x\\\" failed (delete): gone") ==
        "stuck Terminating for 10m: KillPodSandbox: failed to destroy network for sandbox: plugin "
        "x (delete) failed: gone");
  }
  SECTION("not within its grace period and a minute") {
    pod.meta.deleted = scene.now - std::chrono::seconds(59);
    CHECK(scene.ids().empty());
    pod.meta.deleted = scene.now + std::chrono::seconds(500);
    CHECK(scene.ids().empty());
  }
  SECTION("an impossible grace period is accepted") {
    pod.meta.grace_seconds = INT64_MAX;
    CHECK(scene.ids() == "pod-terminating-stuck");
  }
}

TEST_CASE("two pods on a node can be valid", "[diagnosis]") {
  Scene scene;
  model::Pod& first = scene.pod();
  first.meta.labels.set("controller-revision-hash", "old");
  SECTION("two revisions during a surge") {
    scene.ds().max_surge = model::IntOrPercent{1, false};
    scene.pod();
    CHECK(scene.ids().empty());
    scene.pod();
    CHECK(scene.ids() == "pod-duplicate");
  }
  SECTION("one of them is terminating") {
    scene.pod().meta.deleted = scene.now;
    CHECK(scene.ids().empty());
  }
  SECTION("the pod that does not work is to be deleted") {
    const auto to_delete = [&] { return fix_of(scene.one("pod-duplicate")); };
    scene.pod();
    CHECK(to_delete().ends_with("agent-00002"));
    scene.cluster.pods[0].conditions[1].status = "False";
    CHECK(to_delete().ends_with("agent-00001"));
    scene.cluster.pods[1].meta.controller.reset();
    CHECK(to_delete().ends_with("agent-00001"));  // whatever created the other one
  }
  SECTION("the first minute") {
    scene.pod().meta.created = scene.now - std::chrono::seconds(59);
    CHECK(scene.one("pod-duplicate").transient);
  }
}

TEST_CASE("pods on ineligible nodes are reported", "[diagnosis]") {
  Scene scene;
  model::Node& node = scene.cluster.nodes[0];
  scene.pod();
  SECTION("a taint was added later") {
    node.taints = {{"keep", "", "NoSchedule", at(50)}};
    const Finding finding = scene.one("pod-misscheduled");
    CHECK(finding.severity == Severity::Warning);
    CHECK(text_of(finding.message).find("taint keep:NoSchedule since 2023-11-14 22:14:10 UTC") !=
          std::string::npos);
  }
  SECTION("its pod ends") {
    node.taints = {{"keep", "", "NoSchedule", at(50)}};
    model::Pod& pod = scene.cluster.pods[0];
    const auto ends = [&](std::string_view text) {
      const Finding finding = scene.one("pod-misscheduled");
      CHECK(text_of(finding.message).find(text) != std::string::npos);
      CHECK(text_of(finding.message).find("does not evict") == std::string::npos);
      CHECK(finding.transient == (finding.severity == Severity::Info));
      CHECK(finding.fix.empty() == finding.transient);
      return finding.transient;
    };
    SECTION("terminating") {
      pod.meta.deleted = scene.now;
      CHECK(ends("pod is Terminating, untolerated taint keep:NoSchedule"));
      pod.meta.deleted = scene.now - std::chrono::seconds(61);
      CHECK(scene.ids() == "pod-terminating-stuck");
      pod.meta.deleted = scene.now - std::chrono::seconds(5);
      pod.meta.finalizers = {"x/y"};
      CHECK(ends("pod is Terminating"));
    }
    SECTION("failed") {
      pod.phase = "Failed";
      pod.reason = "Evicted";
      pod.statuses.clear();
      pod.conditions = {{"Ready", "False", "", "", scene.now - std::chrono::minutes(1)}};
      CHECK(ends("pod is Failed (Evicted), untolerated taint keep:NoSchedule"));
      pod.conditions[0].last_transition = scene.now - std::chrono::minutes(18);
      CHECK_FALSE(ends("pod is Failed (Evicted)"));
      pod.conditions.clear();  // its end time is unknown
      CHECK_FALSE(ends("pod is Failed (Evicted)"));
    }
    SECTION("succeeded") {
      pod.phase = "Succeeded";
      pod.statuses[0].terminated =
          model::TerminatedState{0, 0, "Completed", "", at(5), scene.now - std::chrono::minutes(1)};
      CHECK(ends("pod is Succeeded, untolerated taint keep:NoSchedule"));
      CHECK(scene.ids() == "pod-misscheduled");  // no replacement
      pod.statuses[0].terminated = model::TerminatedState{
          0, 0, "Completed", "", at(5), scene.now - std::chrono::minutes(18)};
      CHECK_FALSE(ends("the controller deletes it and creates no other on the node"));
      scene.cluster.version = model::ServerVersion{1, 26, 0, "v1.26.0"};
      CHECK_FALSE(ends("the controller of this Kubernetes version does not delete it"));
    }
    SECTION("by tolerationSeconds of another taint") {
      scene.ds().pod_template.tolerations = {{"", "Exists", "", "NoExecute", 300}};
      pod.tolerations = scene.ds().pod_template.tolerations;
      node.taints.push_back({"gone", "", "NoExecute", scene.now - std::chrono::seconds(100)});
      CHECK(ends("gone:NoExecute is tolerated for 300s: the taint controller deletes the pod by "));
      const auto stays = [&] { return !ends("gone:NoExecute is tolerated for "); };
      node.taints.back().time_added = scene.now - std::chrono::seconds(361);
      CHECK(stays());
      node.taints.back().time_added.reset();
      CHECK(stays());
      node.taints.back().time_added = scene.now;
      CHECK_FALSE(stays());
      pod.tolerations = std::vector<model::Toleration>{{"", "Exists", "", "NoExecute", 3700}};
      CHECK(stays());
      pod.tolerations = scene.ds().pod_template.tolerations;
      node.conditions = {{"Ready", "Unknown", "NodeStatusUnknown", "", at(0)}};
      CHECK(stays());
      node.conditions = {{"Ready", "True", "", "", at(0)}};
      model::Lease& lease = scene.cluster.leases.emplace_back();
      lease.meta.ns = "kube-system";
      lease.meta.name = "kube-controller-manager";
      lease.renewed = scene.now - std::chrono::minutes(10);
      CHECK(stays());
    }
  }
  SECTION("a node that is being removed") {
    node.taints = {{"ToBeDeletedByClusterAutoscaler", "1700003000", "NoSchedule"}};
    Finding finding = scene.one("pod-misscheduled");
    CHECK(finding.severity == Severity::Info);
    CHECK(finding.transient);
    CHECK(text_of(finding.message).find("since 2023-11-14 23:03:20 UTC") != std::string::npos);
    // No drain and no cloud takes that long.
    node.taints = {{"ToBeDeletedByClusterAutoscaler", "1700000060", "NoSchedule"}};
    scene.cluster.all_pods_assumed = true;
    CHECK(scene.one("pod-misscheduled").transient);  // other pods on the node are unknown
    scene.cluster.all_pods_assumed = false;
    finding = scene.one("pod-misscheduled");
    CHECK(finding.severity == Severity::Warning);
    CHECK_FALSE(finding.transient);
    // The grace period of one of its pods can be longer.
    model::PodSpec spec = *scene.cluster.pods[0].spec;
    spec.grace_seconds = 3600;
    scene.cluster.pods[0].spec = spec;
    CHECK(scene.one("pod-misscheduled").transient);
  }
  SECTION("the controller has had no time to act") {
    node.taints = {{"no", "", "NoExecute", scene.now - std::chrono::seconds(119)}};
    CHECK(scene.one("pod-doomed-not-removed").transient);
  }
  SECTION("the template was restricted a moment ago") {
    scene.ds().pod_template.node_selector = {{"pool", "gpu"}};
    model::FieldManager& writer = scene.ds().meta.managers.emplace_back();
    writer.operation = "Update";
    writer.spec = true;
    writer.time = scene.now - std::chrono::seconds(20);
    CHECK(scene.one("pod-doomed-not-removed").transient);
    writer.time = scene.now - std::chrono::seconds(120);
    CHECK_FALSE(scene.one("pod-doomed-not-removed").transient);
  }
  SECTION("an unknown start time makes it suspected") {
    scene.ds().pod_template.node_selector = {{"pool", "a"}};
    CHECK(scene.one("pod-doomed-not-removed").severity == Severity::Warning);
    CHECK(scene.one("pod-doomed-not-removed").basis == Basis::Suspected);
    // The writer of other labels, and even of this one before its removal, does not date the
    // removal.
    model::FieldManager manager;
    manager.time = at(100);
    manager.labels = {"pool", "zone"};
    node.meta.managers = {manager};
    CHECK(scene.one("pod-doomed-not-removed").basis == Basis::Suspected);
    CHECK(text_of(scene.one("pod-doomed-not-removed").message).ends_with("start time unknown"));
    node.meta.labels = {{"pool", "b"}};
    const Finding finding = scene.one("pod-doomed-not-removed");
    CHECK(finding.severity == Severity::Error);
    CHECK(text_of(finding.message).ends_with("at the latest since 2023-11-14 22:15:00 UTC"));
  }
  SECTION("the later change of node and template counts") {
    scene.ds().pod_template.node_selector = {{"pool", "a"}};
    node.meta.labels = {{"pool", "b"}};
    model::FieldManager manager;
    manager.time = at(100);
    manager.labels = {"pool"};
    node.meta.managers = {manager};
    manager.labels = {};
    manager.spec = true;
    manager.time = at(160);
    scene.ds().meta.managers = {manager};
    CHECK(text_of(scene.one("pod-doomed-not-removed").message)
              .ends_with("at the latest since 2023-11-14 22:16:00 UTC"));
  }
  SECTION("affinity fails when its last term fails") {
    const auto requires_in = [](const char* key) {
      return model::NodeSelectorTerm{{{key, "In", {"a"}}}, {}};
    };
    scene.ds().pod_template.node_affinity =
        model::NodeSelector{{requires_in("pool"), requires_in("zone")}};
    node.meta.labels = {{"pool", "b"}, {"zone", "b"}};
    model::FieldManager manager;
    manager.time = at(100);
    manager.labels = {"pool"};
    node.meta.managers = {manager};
    CHECK(scene.one("pod-doomed-not-removed").basis == Basis::Suspected);
    manager.labels = {"zone"};
    manager.time = at(160);
    node.meta.managers.push_back(manager);
    CHECK(text_of(scene.one("pod-doomed-not-removed").message)
              .ends_with("at the latest since 2023-11-14 22:16:00 UTC"));
  }
  SECTION("an old taint is enough whatever happened to the labels") {
    scene.ds().pod_template.node_selector = {{"pool", "a"}};
    node.taints = {{"no", "", "NoExecute", at(100)}};
    CHECK(scene.one("pod-doomed-not-removed").severity == Severity::Error);
  }
}

TEST_CASE("a static pod is reported only for a port that conflicts", "[diagnosis]") {
  Scene scene;
  const auto ports = [](model::PodSpec spec, model::ContainerPort port) {
    spec.containers[0].image = "other:1";
    spec.containers[0].ports = {std::move(port)};
    return spec;
  };
  model::Pod& other = scene.pod();
  other.meta.name = "static-n1";
  other.meta.controller = model::ControllerRef{"Node", "n1", "uid-9"};
  other.meta.labels = {};
  other.mirror = true;
  const auto held = [&](model::ContainerPort port) {
    scene.cluster.pods.back().spec = ports(scene.ds().pod_template.spec, std::move(port));
    return scene.ids();
  };
  scene.ds().pod_template.spec.containers[0].ports = {{53, 53, "UDP", "10.0.0.5"}};
  scene.unready_pod();
  REQUIRE(scene.ids() == "pod-static-shadow");  // same image, sorted later
  CHECK(held({53, 53, "TCP", ""}).empty());
  CHECK(held({53, 53, "UDP", "127.0.0.1"}).empty());
  CHECK(held({53, 0, "UDP", ""}).empty());
  CHECK(held({8053, 53, "UDP", ""}) == "pod-static-shadow");
  CHECK(text_of(scene.one("pod-static-shadow").message) ==
        "static pod x/static-n1 of the node holds host port 53/UDP, which these pods need");
  scene.cluster.pods.back().host_network = true;
  CHECK(held({53, 0, "UDP", ""}) == "pod-static-shadow");
}

TEST_CASE("completed and disrupted pods are reported", "[diagnosis]") {
  Scene scene;
  SECTION("a shutdown is not a completion") {
    model::Pod& pod = scene.pod();
    pod.phase = "Succeeded";
    pod.conditions.clear();
    pod.message = "Pod was terminated in response to imminent node shutdown.";
    CHECK(scene.ids() == "kubelet-shutdown");
    CHECK(text_of(scene.one("kubelet-shutdown").message)
              .starts_with("Terminated: the pod was terminated"));
    scene.cluster.version = model::ServerVersion{1, 26, 0, "v1.26.0"};  // keeps the pod
    CHECK(scene.ids().empty());
  }
  SECTION("a completed pod that the controller has deleted") {
    model::Event& event =
        scene.event("agent", "SucceededDaemonPod",
                    "Found succeeded daemon pod x/agent-aaaaa on node n1, will try to delete it");
    event.kind = "DaemonSet";
    CHECK(scene.ids() == "pod-completed");
    event.first = event.last = at(-10);
    CHECK(scene.ids().empty());
  }
  SECTION("a preempted pod that does not exist any more") {
    scene.event("agent-aaaaa", "Preempted", "Preempted by pod 1234 on node n1");
    scene.event("agent-bbbbb", "Preempted", "Preempted by pod 1234 on node n11");
    CHECK(scene.ids() == "pod-disrupted");
    CHECK(scene.one("pod-disrupted").evidence[0].object.name.find("agent-aaaaa") !=
          std::string::npos);
  }
  SECTION("a disruption long ago") {
    scene.pod().conditions.push_back(
        {"DisruptionTarget", "True", "EvictionByEvictionAPI", "", at(-10)});
    CHECK(scene.ids().empty());
  }
}

TEST_CASE("stray pods are reported", "[diagnosis]") {
  Scene scene;
  SECTION("on a node that was deleted a moment ago") {
    scene.pod("gone");
    model::Event& event = scene.event("gone", "RemovingNode", "Node gone event: Removing Node", 30);
    event.kind = "Node";
    CHECK(Scene::only(scene.strays(), "pod-on-missing-node").transient);
    event.first = event.last = at(0);
    CHECK_FALSE(Scene::only(scene.strays(), "pod-on-missing-node").transient);
  }
  SECTION("nodes that were not read are not missing") {
    scene.pod("gone");
    scene.cluster.nodes_known = false;
    CHECK(scene.strays().empty());
  }
  SECTION("many pods with a finalizer") {
    for (const char* name : {"g1", "g2", "g3", "g4", "g5", "g6"}) {
      scene.pod(name).meta.finalizers = {"example.com/backup"};
    }
    const Finding finding = Scene::only(scene.strays(), "pod-on-missing-node");
    CHECK(text_of(finding.message).starts_with("6 pods bound to deleted nodes: "));
    CHECK(text_of(finding.message).find("and 1 more") != std::string::npos);
    CHECK(text_of(finding.message).ends_with("waits for finalizer example.com/backup"));
  }
  SECTION("affinity rewritten to two nodes") {
    model::Pod& pod = scene.pod();
    pod.node_name = {};
    pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {"n1", "n2"}}}}}};
    CHECK(text_of(Scene::only(scene.strays(), "pod-target-lost").message)
              .ends_with("affinity of agent-00001: metadata.name In [n1, n2]"));
  }
  SECTION("an orphan created within the last minute") {
    model::Pod& pod = scene.pod();
    pod.meta.controller.reset();
    CHECK_FALSE(Scene::only(scene.strays(), "pod-orphaned").transient);
    pod.meta.created = scene.now - std::chrono::seconds(59);
    CHECK(Scene::only(scene.strays(), "pod-orphaned").transient);
  }
  SECTION("pods of an earlier DaemonSet that its successor does not select") {
    scene.pod();
    model::Pod& old = scene.pod();
    old.meta.labels.set("app", "agent-v1");
    CHECK(Scene::only(scene.strays(), "pod-released").severity == Severity::Warning);
    old.meta.controller.reset();
    const Finding finding = Scene::only(scene.strays(), "pod-orphaned");
    CHECK(text_of(finding.message) ==
          "1 pod of an earlier DaemonSet of this name still runs, without an owner and with labels "
          "that do not match the selector: agent-00002 on n1; 1 node runs both");
    CHECK(fix_of(finding).ends_with("kubectl --namespace x delete pod agent-00002"));
    old.meta.name = "other-00002";
    CHECK(scene.strays().empty());
  }
  SECTION("an orphan with a host port") {
    model::Pod& pod = scene.pod();
    pod.meta.controller->uid = "uid-0";
    model::PodSpec spec = *pod.spec;
    spec.containers[0].ports = {{80, 9100, "", ""}};
    pod.spec = spec;
    CHECK(text_of(Scene::only(scene.strays(), "pod-orphaned").message)
              .find("agent-00001 on n1 (host port 9100)") != std::string::npos);
  }
  SECTION("a pod of another namespace") {
    scene.pod().meta.ns = "y";
    CHECK(scene.strays().empty());
  }
  SECTION("an empty selector selects nothing") {
    scene.pod().meta.controller->uid = "uid-0";
    scene.ds().selector = model::LabelSelector{};
    CHECK(scene.strays().empty());
  }
}
