// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/kubelet_findings.h"

#include <set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/problems/problem.h"
#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

struct KubeletRow {
  const char* reason;
  const char* message;
  const char* id;
};

// Messages of the 1.36 kubelet.
constexpr KubeletRow kubelet_rows[] = {
    {"OutOfcpu",
     "Pod was rejected: Node didn't have enough resource: cpu, requested: 500, used: 3800, "
     "capacity: 4000",
     "kubelet-out-of-cpu"},
    {"OutOfmemory",
     "Pod was rejected: Node didn't have enough resource: memory, requested: 1048576, used: "
     "2097153, "
     "capacity: 3145728",
     "kubelet-out-of-memory"},
    {"OutOfephemeral-storage",
     "Pod was rejected: Node didn't have enough resource: ephemeral-storage, requested: 1, used: "
     "2, "
     "capacity: 2",
     "kubelet-out-of-ephemeral-storage"},
    {"OutOfpods",
     "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 110, capacity: "
     "110",
     "kubelet-out-of-pods"},
    {"OutOfnvidia.com/gpu",
     "Pod was rejected: Node didn't have enough resource: nvidia.com/gpu, requested: 1, used: 0, "
     "capacity: 0",
     "kubelet-out-of-extended"},
    {"NodeAffinity", "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match",
     "kubelet-node-affinity"},
    {"NodePorts", "Pod was rejected: Predicate NodePorts failed", "kubelet-node-ports"},
    {"NodeName", "Pod was rejected: Predicate NodeName failed", "kubelet-node-name"},
    {"TaintToleration", "Pod was rejected: Predicate TaintToleration failed", "kubelet-taint"},
    {"NodeShutdown", "Pod was rejected as the node is shutting down.", "kubelet-shutdown"},
    {"Terminated", "Pod was terminated in response to imminent node shutdown.", "kubelet-shutdown"},
    {"Evicted", "Pod was rejected: The node had condition: [DiskPressure]. ",
     "kubelet-pressure-refused"},
    {"Evicted",
     "The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. Container "
     "main was using 2Gi, request is 1Gi, has larger consumption of memory. ",
     "kubelet-evicted"},
    {"Evicted", "Usage of EmptyDir volume \"tmp\" exceeds the limit \"1Gi\". ", "kubelet-evicted"},
    {"Preempting", "Preempted in order to admit critical pod", "kubelet-preempted"},
    {"UnexpectedAdmissionError", "Pod was rejected: Allocate failed due to no such plugin",
     "kubelet-admission-error"},
    {"TopologyAffinityError",
     "Pod was rejected: Resources cannot be allocated with Topology locality", "kubelet-alignment"},
    {"SMTAlignmentError", "Pod was rejected: SMT Alignment Error", "kubelet-alignment"},
    {"PodOSNotSupported", "Pod was rejected: Failed to admit pod as the OS field doesn't match",
     "kubelet-os-refused"},
    {"SysctlForbidden", "Pod was rejected: forbidden sysctl: net.core.somaxconn not allowlisted",
     "kubelet-feature-refused"},
    {"VolumeAttachmentLimitExceeded", "Pod was rejected: too many volumes", "kubelet-volume-limit"},
    {"InvalidNodeInfo", "Pod was rejected: no info", "kubelet-node-info"},
    {"DeadlineExceeded", "Pod was active on the node longer than the specified deadline",
     "kubelet-failed-other"},
    {"", "", "kubelet-failed-other"},
};

}  // namespace

TEST_CASE("every reason of a failed pod has its finding", "[diagnosis]") {
  std::set<std::string_view> seen = {"kubelet-reject-loop", "pod-not-acknowledged"};  // below
  for (const KubeletRow& row : kubelet_rows) {
    CAPTURE(row.reason, row.message);
    Scene scene;
    scene.failed_pod(row.reason, row.message);
    CHECK(scene.ids() == row.id);
    seen.insert(row.id);
  }
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.family != Family::Kubelet) continue;
    CAPTURE(std::string(entry.id));
    CHECK(seen.contains(entry.id));
  }
}

TEST_CASE("a rejection shows the kubelet's numbers", "[diagnosis]") {
  Scene scene;
  SECTION("the pod's label that it compares") {
    model::Pod& pod = scene.failed_pod("PodOSSelectorNodeLabelDoesNotMatch", "");
    CHECK(text_of(scene.one("kubelet-os-refused").message)
              .ends_with("the pod is for another operating system than the node's, linux"));
    pod.meta.labels.set("kubernetes.io/os", "windows");
    CHECK(text_of(scene.one("kubelet-os-refused").message)
              .ends_with("label kubernetes.io/os of the pod is windows, the node runs "
                         "linux"));
  }
  SECTION("the features that the node does not have, with their fields") {
    scene.cluster.version = model::ServerVersion{1, 37, 2, "v1.37.2"};
    scene.cluster.nodes[0].kubelet_version = "v1.37.0";
    scene.ds().pod_template.spec.containers[0].restart_actions = {"RestartAllContainers"};
    scene.failed_pod("PodFeatureUnsupported",
                     "Pod was rejected: Pod requires node features that are not available: "
                     "RestartAllContainersOnContainerExits, NewFeature");
    const Finding finding = scene.one("kubelet-feature-refused");
    CHECK(
        text_of(finding.message)
            .ends_with("; n1 does not declare feature RestartAllContainersOnContainerExits, which "
                       "containers[0].restartPolicyRules[0].action: RestartAllContainers "
                       "requires: feature gate RestartAllContainersOnContainerExits is off in "
                       "its kubelet v1.37.0"));
    CHECK(fix_of(finding).starts_with("turn on feature gate RestartAllContainersOnContainerExits"));
    scene.cluster.nodes[0].kubelet_version = "v1.35.2";
    CHECK(fix_of(scene.one("kubelet-feature-refused"))
              .starts_with("upgrade the node's kubelet to 1.36 or newer"));
  }
  SECTION("a feature that is not known") {
    scene.failed_pod("PodFeatureUnsupported",
                     "Pod was rejected: Pod requires node features that are not available: New");
    CHECK(fix_of(scene.one("kubelet-feature-refused")).starts_with("remove the field, allow it"));
  }
  SECTION("cpu in thousandths") {
    scene.failed_pod("OutOfcpu", kubelet_rows[0].message);
    scene.cluster.nodes[0].allocatable = {{"cpu", "4"}};
    const Finding finding = scene.one("kubelet-out-of-cpu");
    CHECK(text_of(finding.message) == "OutOfcpu: requested 500m, used 3800m, capacity 4000m");
    CHECK(text_of(finding.evidence.back()) == "Node/n1 status.allocatable['cpu']: 4");
  }
  SECTION("sizes in bytes") {
    scene.failed_pod("OutOfmemory", kubelet_rows[1].message);
    CHECK(text_of(scene.one("kubelet-out-of-memory").message)
              .ends_with("requested 1Mi, used 2097153 bytes, capacity 3Mi"));
  }
  SECTION("pods beside the pods that were read") {
    scene.failed_pod("OutOfpods", kubelet_rows[3].message);
    for (const char* name : {"web-1", "web-2"}) {
      model::Pod& other = scene.pod();
      other.meta.name = name;
      other.meta.controller = model::ControllerRef{"ReplicaSet", "web", "uid-2"};
      other.mirror = other.meta.name == "web-2";
      if (other.mirror) other.meta.ns = "kube-system";
    }
    CHECK(text_of(scene.one("kubelet-out-of-pods").message)
              .ends_with("used 110, capacity 110; 2 pods on the node now, 1 of them static"));
    scene.cluster.all_pods_known = false;
    CHECK(text_of(scene.one("kubelet-out-of-pods").message).ends_with("used 110, capacity 110"));
    scene.cluster.all_pods_known = scene.cluster.all_pods_assumed = true;
    for (model::Pod& pod : scene.cluster.pods)
      pod.meta.ns = "x";  // fewer pods than the kubelet counted
    CHECK(text_of(scene.one("kubelet-out-of-pods").message).ends_with("used 110, capacity 110"));
  }
  SECTION("malformed numbers are quoted") {
    scene.failed_pod("OutOfcpu", "requested: many, used: 99999999999999999999, capacity: -");
    CHECK(text_of(scene.one("kubelet-out-of-cpu").message).find("requested: many") !=
          std::string::npos);
  }
  SECTION("the removed label") {
    model::Pod& pod = scene.failed_pod("NodeAffinity", "Pod was rejected: no match");
    pod.node_selector = {{"pool", "gpu"}};
    const Finding finding = scene.one("kubelet-node-affinity");
    CHECK(
        text_of(finding.message)
            .ends_with(
                "a label changed between binding and start: pool=gpu is required, the node has no "
                "such label"));
    CHECK(finding.group == "pool=gpu");
    CHECK(finding.evidence.back() == Evidence{{"Node", "", "n1"}, "metadata.labels['pool']"});
  }
  SECTION("the affinity that does not match") {
    model::Pod& pod = scene.failed_pod("NodeAffinity", "Pod was rejected: no match");
    pod.node_affinity = model::NodeSelector{{{{{"zone", "In", {"a", "b"}}}, {}}}};
    scene.cluster.nodes[0].meta.labels = {{"zone", "c"}};
    CHECK(text_of(scene.one("kubelet-node-affinity").message)
              .ends_with("zone In [a, b] is required, the node has \"c\""));
  }
  SECTION("the pod that holds the port") {
    model::Pod& pod = scene.failed_pod("NodePorts", "Pod was rejected: no port");
    model::PodSpec spec = *pod.spec;
    spec.containers[0].ports = {{9100, 9100, "", ""}};
    pod.spec = spec;
    model::Pod& holder = scene.pod();
    holder.meta.controller.reset();
    holder.meta.name = "exporter-n1";
    holder.meta.ns = "other";
    holder.mirror = true;
    holder.spec = spec;
    CHECK(
        text_of(scene.one("kubelet-node-ports").message)
            .ends_with("NodePorts: host port 9100/TCP is held by pod other/exporter-n1 (static)"));
  }
  SECTION("the untolerated taint") {
    scene.failed_pod("TaintToleration", "Pod was rejected: taint");
    scene.cluster.nodes[0].taints = {{"maint", "", "NoExecute"}};
    CHECK(
        text_of(scene.one("kubelet-taint").message).ends_with("the node's taint maint:NoExecute"));
  }
  SECTION("a node that is Ready again") {
    scene.failed_pod("NodeShutdown", "Pod was rejected as the node is shutting down.");
    const Finding back = scene.one("kubelet-shutdown");
    CHECK(text_of(back.message).find("the node is ready since 2023-11-13 22:20:00 UTC") !=
          std::string::npos);
    CHECK(fix_of(back).find("delete pod agent-00001") != std::string::npos);
    CHECK_FALSE(back.transient);
    scene.cluster.nodes[0].conditions[0].last_transition = at(3600 - 120);
    CHECK(scene.one("kubelet-shutdown").transient);  // the back-off starts then
    scene.cluster.nodes[0].conditions[0].status = "False";
    const Finding down = scene.one("kubelet-shutdown");
    CHECK(down.transient);
    CHECK(fix_of(down).find("delete pod") == std::string::npos);
  }
}

TEST_CASE("a rejected and deleted pod is found through the kubelet's event", "[diagnosis]") {
  Scene scene;
  model::Event& event =
      scene.event("agent-x7x2k", "Evicted", "The node had condition: [DiskPressure]. ");
  SECTION("within twenty minutes") {
    const Finding finding = scene.one("kubelet-pressure-refused");
    CHECK(text_of(finding.message).find("Evicted: the node had DiskPressure") != std::string::npos);
    CHECK(fix_of(finding).find("delete pod") == std::string::npos);  // it does not exist any more
  }
  SECTION("on another node") {
    event.host = "n2";
    CHECK(scene.ids().empty());
  }
  SECTION("longer ago") {
    event.first = event.last = scene.now - std::chrono::minutes(21);
    CHECK(scene.ids().empty());
  }
  SECTION("a pod of another DaemonSet with the same name prefix") {
    event.name = "agent-eu-x7x2k";
    CHECK(scene.ids().empty());
  }
  SECTION("an existing pod of another owner") {
    model::Pod& other = scene.pod("n2");
    other.meta.name = "agent-x7x2k";
    other.meta.controller = model::ControllerRef{"ReplicaSet", "agent", "uid-2"};
    CHECK(scene.ids().empty());
  }
  SECTION("for another reason") {
    event.reason = "BackOff";
    CHECK(scene.ids().empty());
  }
  SECTION("a ready pod exists") {
    scene.pod();
    CHECK(scene.ids().empty());
  }
  SECTION("a long DaemonSet name is truncated before the suffix") {
    const std::string name(60, 'a');
    scene.ds().meta.name = name;
    event.name = name.substr(0, 58) + "x7x2k";
    CHECK(scene.ids() == "kubelet-pressure-refused");
  }
}

TEST_CASE("repeated rejections are a loop", "[diagnosis]") {
  Scene scene;
  const auto refuse = [&](const char* pod, std::int64_t ago) {
    scene.event(pod, "OutOfpods", kubelet_rows[3].message, ago);
  };
  refuse("agent-aaaaa", 900);
  refuse("agent-bbbbb", 500);
  SECTION("two rejections are not a loop") { CHECK(scene.ids() == "kubelet-out-of-pods"); }
  SECTION("three within the hour") {
    refuse("agent-ccccc", 100);
    CHECK(scene.ids() == "kubelet-out-of-pods kubelet-reject-loop");
    CHECK(scene.one("kubelet-reject-loop").severity == Severity::Info);
    CHECK(text_of(scene.one("kubelet-reject-loop").message).find("at least 3 times") !=
          std::string::npos);
  }
  SECTION("an older rejection does not count") {
    refuse("agent-ccccc", 3700);
    CHECK(scene.ids() == "kubelet-out-of-pods");
  }
  SECTION("the controller's own events count as well") {
    model::Event& event =
        scene.event("agent", "FailedDaemonPod",
                    "Found failed daemon pod x/agent-ddddd on node n1, will try to "
                    "kill it");
    event.kind = "DaemonSet";
    event.count = 12;
    CHECK(text_of(scene.one("kubelet-reject-loop").message).find("at least 12 times") !=
          std::string::npos);
    event.count = -5;
    CHECK(scene.ids() == "kubelet-out-of-pods");
  }
}

TEST_CASE("a pod that the kubelet does not acknowledge is reported", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = scene.unready_pod();
  pod.phase = "Pending";
  pod.start_time.reset();
  pod.statuses.clear();
  CHECK(scene.ids() == "pod-not-acknowledged");
  CHECK(scene.one("pod-not-acknowledged").severity == Severity::Error);
  scene.now = at(59);
  CHECK(scene.one("pod-not-acknowledged").severity == Severity::Info);
  CHECK(scene.one("pod-not-acknowledged").transient);
  scene.now = at(3600);
  scene.cluster.nodes[0].conditions[0].last_transition = at(3590);  // the node is Ready again
  CHECK(scene.one("pod-not-acknowledged").transient);
}

TEST_CASE("a rejection without its cause resolves without action until it is overdue",
          "[diagnosis]") {
  Scene scene;
  model::Pod& other = scene.pod();
  other.meta.name = "web-1";
  other.meta.ns = "other";
  other.meta.controller.reset();
  const auto rejected = [&](const char* reason, const char* message) -> model::Pod& {
    model::Pod& pod = scene.failed_pod(reason, message);
    pod.meta.created = scene.now - std::chrono::seconds(60);
    return pod;
  };
  const auto resolves = [&](const char* id) {
    const Finding finding = scene.one(id);
    CAPTURE(text_of(finding.message));
    CHECK(finding.severity == (finding.transient ? Severity::Warning : Severity::Error));
    return finding.transient;
  };
  SECTION("a taint is removed") {
    rejected("TaintToleration", "Pod was rejected: Predicate TaintToleration failed");
    CHECK(resolves("kubelet-taint"));
    CHECK(fix_of(scene.one("kubelet-taint")).starts_with("the controller tries again"));
    scene.cluster.nodes[0].taints = {{"maint", "", "NoExecute"}};
    CHECK_FALSE(resolves("kubelet-taint"));
    CHECK(fix_of(scene.one("kubelet-taint")).starts_with("tolerate the taint"));
  }
  SECTION("a taint is tolerated by a feature gate that the kubelet may lack") {
    scene.gates.taint_toleration_comparison_operators = true;
    scene.cluster.nodes[0].taints = {{"sla", "950", "NoExecute"}};
    rejected("TaintToleration", "Pod was rejected: Predicate TaintToleration failed").tolerations =
        std::vector<model::Toleration>{{"sla", "Gt", "500", "NoExecute"}};
    CHECK_FALSE(resolves("kubelet-taint"));
    CHECK_THAT(text_of(scene.one("kubelet-taint").message),
               Catch::Matchers::EndsWith(
                   "the pod does not tolerate the node's taint sla:NoExecute; operator Gt or Lt of "
                   "its toleration needs feature gate TaintTolerationComparisonOperators in the "
                   "kubelet"));
  }
  SECTION("a port is free again") {
    rejected("NodePorts", "Pod was rejected: Predicate NodePorts failed");
    CHECK(resolves("kubelet-node-ports"));
    scene.cluster.all_pods_known = false;
    CHECK_FALSE(resolves("kubelet-node-ports"));
    CHECK(fix_of(scene.one("kubelet-node-ports")).starts_with("free the host port"));
    CHECK(text_of(scene.one("kubelet-node-ports").message)
              .ends_with("not all pods on the node were read"));
  }
  SECTION("a pressure has ended") {
    rejected("Evicted", "Pod was rejected: The node had condition: [DiskPressure]. ");
    CHECK_FALSE(resolves("kubelet-pressure-refused"));  // its current state is unknown
    scene.cluster.nodes[0].conditions.push_back({"DiskPressure", "False", "", "", at(3000)});
    CHECK(resolves("kubelet-pressure-refused"));
    CHECK(text_of(scene.one("kubelet-pressure-refused").message) ==
          "Evicted: the node had DiskPressure, which has ended");
    scene.cluster.nodes[0].conditions.back().status = "True";
    CHECK_FALSE(resolves("kubelet-pressure-refused"));
  }
  SECTION("the controller should have created the next pod") {
    model::Pod& pod = rejected("TaintToleration", "Pod was rejected: taint");
    pod.meta.created = scene.now - std::chrono::seconds(901);
    CHECK_FALSE(resolves("kubelet-taint"));
    CHECK(scene.one("kubelet-taint").overdue_since == scene.now - std::chrono::seconds(1));
  }
}

TEST_CASE("the fix for an unexpected admission error follows its message", "[diagnosis]") {
  const auto [message, fix] = GENERATE(table<const char*, const char*>({
      {"Pod Unexpected error while attempting to recover from admission failure: preemption: error "
       "finding a set of pods to preempt: no set of running pods found to reclaim resources: "
       "[(res: pods, q: 1), ]",
       "free the resource in the message"},
      {"Allocate failed due to can't allocate unregistered device nvidia.com/gpu, which is "
       "unexpected",
       "restart the device plugin"},
      {"Update plugin resources failed due to failed to write checkpoint file "
       "\"kubelet_internal_checkpoint\": write /var/lib/kubelet/device-plugins/.5: no space left "
       "on "
       "device, which is unexpected",
       "free disk space on node n1"},
      {"Allocate failed due to failed to write checkpoint file \"kubelet_internal_checkpoint\": "
       "open "
       "/var/lib/kubelet/device-plugins/.5435: read-only file system, which is unexpected",
       "repair the file system of /var/lib/kubelet"},
      {"Allocate failed due to not enough cpus available to satisfy request: requested=2, "
       "available=1, which is unexpected",
       "lower the request, free exclusive CPUs"},
      {"something else", "check the kubelet's log"},
      {"", "check the kubelet's log"},
  }));
  CAPTURE(message);
  Scene scene;
  scene.failed_pod("UnexpectedAdmissionError", message);
  const Finding finding = scene.one("kubelet-admission-error");
  CHECK(fix_of(finding).starts_with(fix));
  CHECK(finding.fix.size() == 2);
  CHECK(finding.fix.back().text == "then delete the pod to retry");
}

TEST_CASE("the fix for an eviction follows the resource that ran short", "[diagnosis]") {
  const auto [message, fix] = GENERATE(table<const char*, const char*>({
      {"The node was low on resource: memory. Threshold quantity: 100Mi, available: 88Ki. ",
       "raise the memory request"},
      {"The node was low on resource: [MemoryPressure]. ", "raise the memory request"},
      {"The node was low on resource: ephemeral-storage. Threshold quantity: 1, available: 0. ",
       "free disk space on node n1"},
      {"The node was low on resource: [DiskPressure]. ", "free disk space on node n1"},
      {"The node was low on resource: inodes. Threshold quantity: 1, available: 0. ",
       "free inodes on node n1"},
      {"The node was low on resource: pids. Threshold quantity: 1000, available: 12. ",
       "free process IDs on node n1"},
      {"Usage of EmptyDir volume \"buffer\" exceeds the limit \"1Gi\". ",
       "raise sizeLimit of emptyDir volume buffer"},
      {"Container main exceeded its local ephemeral storage limit \"1Gi\". ",
       "raise the request or the limit"},
      {"Pod ephemeral local storage usage exceeds the total limit of containers 2Gi. ",
       "raise the request or the limit"},
  }));
  CAPTURE(message);
  Scene scene;
  scene.failed_pod("Evicted", message);
  const Finding finding = scene.one("kubelet-evicted");
  CHECK(fix_of(finding).starts_with(fix));
  const bool is_of_node = std::string_view(fix).starts_with("free ");
  CHECK((fix_of(finding).find("PriorityClass") != std::string::npos) == is_of_node);
}

TEST_CASE("rejections on several nodes have one title", "[diagnosis]") {
  const auto title = [](const char* reason, const char* message, const char* other) {
    Scene scene;
    scene.failed_pod(reason, message);
    Finding a = scene.found().front();
    scene.cluster.pods[0].message = other;
    Problem problem;
    problem.finding = a.name();
    problem.title = common(a.message, scene.found().front().message);
    return render::title_of(problem).text;
  };
  CHECK(title("Evicted", "The node was low on resource: memory. Available: 80Mi. ",
              "The node was low on resource: memory. Available: 81Mi. ") ==
        "Evicted: the node was low on memory");
  CHECK(title("Evicted", "Usage of EmptyDir volume \"a\" exceeds the limit \"1Gi\". ",
              "Usage of EmptyDir volume \"b\" exceeds the limit \"1Gi\". ") ==
        "Evicted: the kubelet evicted the pod");
  CHECK(title("OutOfcpu", "requested: 500, used: 3800, capacity: 4000",
              "requested: 500, used: 3900, capacity: 4000") == "OutOfcpu: requested 500m");
}
