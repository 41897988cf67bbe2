// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/node_findings.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/nodes/not_ready.h"
#include "diagnosis/causes/nodes/test_node.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

/// A cluster with node a, which has not reported for more than an hour.
TestStory silent_node() {
  TestStory story;
  story.nodes({"a"});
  model::Condition& ready = story.node("a").conditions.front();
  ready.status = "Unknown";
  ready.reason = "NodeStatusUnknown";
  ready.last_heartbeat = at(6'000);
  ready.last_transition = at(6'040);
  return story;
}

model::Lease& renew(TestStory& story, const char* ns, const char* name, std::int64_t when) {
  model::Lease& lease = story.cluster.leases.emplace_back();
  lease.meta.ns = ns;
  lease.meta.name = name;
  lease.duration = 40;
  lease.renewed = at(when);
  return lease;
}

/// Marks node a for removal as cluster-autoscaler does.
void mark_for_removal(TestStory& story, std::int64_t when) {
  story.node("a").taints = {
      {"ToBeDeletedByClusterAutoscaler", std::to_string(1'700'000'000 + when), "NoSchedule"}};
}

}  // namespace

TEST_CASE("an eligible node's state is not a problem if no pods were read", "[diagnosis]") {
  TestStory story = silent_node();
  story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
  const auto said = [&](bool asked) {
    return story.ask_node([&](const NodeCase& c) { return node_findings(c, asked); }, "a");
  };
  CHECK(ids(said(false)) == "node-unreachable");  // the pod is missing
  story.cluster.pods_known = false;
  CHECK(said(false).empty());
  CHECK(only_of_story(story, "node-unreachable", true).severity == Severity::Info);
}

TEST_CASE("a node is marked as out of service only once", "[diagnosis]") {
  TestStory story = silent_node();
  story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
  const auto is_said = [&](std::string_view command) {
    return fix_of(only_of_story(story, "node-unreachable")).find(command) != std::string::npos;
  };
  CHECK(is_said("kubectl taint node a node.kubernetes.io/out-of-service"));
  story.node("a").taints.push_back(
      {"node.kubernetes.io/out-of-service", "nodeshutdown", "NoSchedule"});
  CHECK_FALSE(is_said("kubectl taint"));
  CHECK(is_said("kubectl delete node a"));
}

TEST_CASE("a kubelet has not reported since its newest status or lease", "[diagnosis]") {
  TestStory story = silent_node();
  const auto since = [&] {
    const Finding finding = only_of_story(story, "node-unreachable");
    CHECK(finding.severity == Severity::Error);
    const std::size_t at = text_of(finding.message).find("since ");
    return text_of(finding.message).substr(at + 6, 19);
  };
  CHECK(since() == "2023-11-14 23:53:20");
  model::Lease& lease = renew(story, "kube-node-lease", "a", 5'990);
  CHECK(since() == "2023-11-14 23:53:20");
  lease.renewed = at(6'010);
  CHECK(since() == "2023-11-14 23:53:30");
  CHECK(only_of_story(story, "node-unreachable").evidence.back() ==
        Evidence(ObjectRef{"Lease", "kube-node-lease", "a"}, "spec.renewTime",
                 "2023-11-14T23:53:30Z"));
  lease.renewed = at(test_now - 40);
  CHECK(only_of_story(story, "node-unreachable").severity == Severity::Error);
  lease.renewed = at(test_now - 39);
  // A kubelet that has just died renewed its lease as well, before the node was marked.
  story.node("a").conditions.front().last_transition = at(test_now - 5);
  CHECK(only_of_story(story, "node-unreachable").severity == Severity::Error);
  story.node("a").conditions.front().last_transition = at(6'040);
  const Finding back = only_of_story(story, "node-unreachable");
  CHECK(back.severity == Severity::Warning);
  CHECK(back.transient);
  CHECK(fix_of(back).empty());
  CHECK(text_of(back.message).starts_with("the kubelet reports again: it renewed its lease at "));
}

namespace {

/// "severity id, ..." of the findings about node a.
std::string all_said(const TestStory& story, bool asked = false) {
  std::string result;
  for (const Finding& finding :
       story.ask_node([&](const NodeCase& c) { return node_findings(c, asked); }, "a")) {
    result += result.empty() ? "" : ", ";
    result += std::string(to_string(finding.severity)) + " " + std::string(finding.name());
  }
  return result;
}

}  // namespace

TEST_CASE("a node problem counts if its end changes the verdict", "[diagnosis]") {
  TestStory story = silent_node();
  story.node("a").taints = {{"node.kubernetes.io/unreachable", "", "NoSchedule"}};
  CHECK(all_said(story) == "error node-unreachable");
  SECTION("not if the selector excludes the pod") {
    story.ds().pod_template.node_selector = {{"pool", "b"}};
    CHECK(all_said(story).empty());
    CHECK(all_said(story, true) == "info node-unreachable");
  }
  SECTION("not if another taint still excludes the pod") {
    story.node("a").taints.push_back({"dedicated", "db", "NoSchedule"});
    CHECK(all_said(story).empty());
  }
  SECTION("not if the pod runs nevertheless") {
    story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
    story.pod("a");
    CHECK(all_said(story).empty());
  }
  SECTION("not if no pods were read unless the status shows an unready pod") {
    story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
    story.cluster.pods_known = false;
    story.ds().observed_generation = story.ds().generation = 1;
    story.ds().reported = {1, 1, 0, 1, 1, 1};
    CHECK(all_said(story).empty());
    story.ds().reported.number_ready = 0;
    CHECK(all_said(story) == "error node-unreachable");
  }
  SECTION("if the pod is misscheduled only because of it or is terminating") {
    model::Pod& pod = story.pod("a");
    CHECK(all_said(story) == "error node-unreachable");
    story.ds().pod_template.node_selector = {{"pool", "b"}};
    CHECK(all_said(story).empty());
    pod.meta.deleted = at(test_now - 10);
    CHECK(all_said(story) == "error node-unreachable");
  }
}

TEST_CASE("a removal that takes too long is overdue", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  story.node("a").meta.created = at(0);
  const auto mark = [&](std::int64_t when) {
    mark_for_removal(story, when);
    return only_of_story(story, "node-removed-by-cluster-autoscaler");
  };
  CHECK(mark(test_now - 1700).transient);
  const Finding late = mark(test_now - 1900);
  CHECK_FALSE(late.transient);
  CHECK(late.severity == Severity::Warning);
  CHECK(text_of(late.message).ends_with("overdue since 2023-11-15 00:58:20 UTC"));
  CHECK(mark(-1).transient);  // older than the node: left from an earlier node
  story.node("a").meta.created = at(-200'000);
  story.cluster.all_pods_known = false;  // an unread pod can have a long grace period
  CHECK(mark(test_now - 24 * 3600).transient);
  CHECK(text_of(mark(test_now - 26 * 3600).message)
            .ends_with("overdue since 2023-11-14 23:30:00 UTC"));
}

TEST_CASE("an unused removal mark is to be removed after an hour", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  story.node("a").meta.created = at(0);
  const auto fix = [&](std::int64_t when) {
    mark_for_removal(story, when);
    return fix_of(only_of_story(story, "node-removed-by-cluster-autoscaler"));
  };
  const std::string_view command = "kubectl taint node a ToBeDeletedByClusterAutoscaler-";
  CHECK(fix(test_now - 3601).find(command) != std::string::npos);
  CHECK(fix(test_now - 3600).find(command) == std::string::npos);
  CHECK(fix(test_now - 1700).find(command) == std::string::npos);
}

TEST_CASE("the problems of a node that is being removed end with it", "[diagnosis]") {
  TestStory story = silent_node();
  story.cluster.all_pods_known = true;
  story.node("a").meta.created = at(0);
  const auto unreachable = [&](std::int64_t marked) {
    mark_for_removal(story, marked);
    return only_of_story(story, "node-unreachable", true);
  };
  const Finding leaving = unreachable(test_now - 600);
  CHECK(leaving.transient);
  CHECK(leaving.severity == Severity::Info);
  CHECK(text_of(leaving.message).ends_with("; the node is being removed"));
  CHECK_FALSE(unreachable(test_now - 1900).transient);
}

TEST_CASE("Karpenter deletes its nodes itself", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  model::Node& node = story.node("a");
  node.taints = {{"karpenter.sh/disrupted", "", "NoSchedule"}};
  node.meta.deleted = at(test_now - 6 * 3600);
  node.meta.finalizers = {"karpenter.sh/termination"};
  const Finding finding = only_of_story(story, "node-karpenter-disrupted");
  CHECK(text_of(finding.message).starts_with("Karpenter is replacing this node since "));
  CHECK(finding.overdue_since);
  CHECK(fix_of(finding).find("PodDisruptionBudget") != std::string::npos);
  model::Event& event = story.add_event("Node", "a", "DisruptionBlocked",
                                        "Cannot disrupt Node: pod has an annotation", at(0));
  event.ns = "";
  const auto blocked = [&] {
    return text_of(only_of_story(story, "node-karpenter-disrupted").message)
               .find("; DisruptionBlocked: Cannot disrupt Node: pod has an annotation; overdue") !=
           std::string::npos;
  };
  CHECK_FALSE(blocked());  // it may have ended since
  event.last = at(test_now - 60);
  CHECK(blocked());
  node.meta.finalizers = {"example.com/other"};
  CHECK(only_of_story(story, "node-being-deleted").overdue_since);
}

TEST_CASE("an overdue removal names the pods that it must not evict", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  model::Node& node = story.node("a");
  node.taints = {{"karpenter.sh/disrupted", "", "NoSchedule"}};
  node.meta.deleted = at(test_now - 6 * 3600);
  node.meta.finalizers = {"karpenter.sh/termination"};
  const auto add = [&](const char* name) -> model::Pod& {
    model::Pod& pod = story.add_pod(name, "a");
    pod.meta.controller = model::ControllerRef{"ReplicaSet", "web", "rs", "apps/v1"};
    pod.meta.labels = {{"app", "web"}};
    return pod;
  };
  add("web-1");
  const auto text = [&] {
    return text_of(only_of_story(story, "node-karpenter-disrupted").message);
  };
  CHECK(text().find("still on it: 1 pod") != std::string::npos);
  SECTION("an annotation") {
    story.cluster.pods.back().do_not_disrupt = "true";
    CHECK(text().find("; pod x/web-1 has annotation karpenter.sh/do-not-disrupt; overdue") !=
          std::string::npos);
    story.cluster.pods.back().do_not_disrupt = "false";
    CHECK(text().find("annotation") == std::string::npos);
  }
  SECTION("cluster-autoscaler's annotation does not keep Karpenter away") {
    story.cluster.pods.back().safe_to_evict = "false";
    CHECK(text().find("annotation") == std::string::npos);
  }
  SECTION("a budget, and several pods") {
    model::PodDisruptionBudget& budget = story.cluster.disruption_budgets.emplace_back();
    budget.meta.ns = "x";
    budget.meta.name = "web";
    budget.selector.emplace().match_labels = {{"app", "web"}};
    add("web-2");
    CHECK(text().find("; PodDisruptionBudget web does not allow the eviction of pod x/web-1, and 1 "
                      "more pod cannot be evicted either; overdue") != std::string::npos);
    story.cluster.disruption_budgets.back().disruptions_allowed = 1;
    CHECK(text().find("PodDisruptionBudget") == std::string::npos);
  }
  SECTION("a pod that is being deleted holds nothing") {
    story.cluster.pods.back().do_not_disrupt = "true";
    story.cluster.pods.back().meta.deleted = at(test_now);
    CHECK(text().find("annotation") == std::string::npos);
  }
  SECTION("cluster-autoscaler") {
    node.meta.deleted.reset();
    node.meta.finalizers.clear();
    node.meta.created = at(0);
    mark_for_removal(story, test_now - 1900);
    story.cluster.pods.back().safe_to_evict = "false";
    CHECK(text_of(only_of_story(story, "node-removed-by-cluster-autoscaler").message)
              .find("pod x/web-1 has annotation "
                    "cluster-autoscaler.kubernetes.io/safe-to-evict=false") != std::string::npos);
  }
}

TEST_CASE("a lease of another node or namespace is ignored", "[diagnosis]") {
  TestStory story = silent_node();
  renew(story, "kube-node-lease", "b", test_now - 5);
  renew(story, "x", "a", test_now - 5);
  CHECK(only_of_story(story, "node-unreachable").severity == Severity::Error);
}

TEST_CASE("a node that runs no DaemonSet pods is eligible through a toleration or a missing taint",
          "[diagnosis]") {
  const bool fargate = GENERATE(true, false);
  CAPTURE(fargate);
  TestStory story;
  story.nodes({"a"});
  model::Node& node = story.node("a");
  node.meta.labels = fargate ? model::Labels{{"eks.amazonaws.com/compute-type", "fargate"}}
                             : model::Labels{{"type", "virtual-kubelet"}};
  const char* id = fargate ? "node-fargate" : "node-virtual";
  story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
  CHECK(text_of(only_of_story(story, id).message).ends_with("; no taint excludes the DaemonSet"));
  node.taints = {{"node.kubernetes.io/unschedulable", "", "NoSchedule"},
                 {"a-wish", "", "PreferNoSchedule"}};
  CHECK(text_of(only_of_story(story, id).message).ends_with("; no taint excludes the DaemonSet"));
  const char* key = fargate ? "eks.amazonaws.com/compute-type" : "virtual-kubelet.io/provider";
  node.taints.push_back({key, "x", "NoSchedule"});
  CHECK(text_of(only_of_story(story, id).message)
            .ends_with("; eligible only because the template tolerates its taint"));
}

namespace {

/// Node a, whose kubelet reports that it is not ready. The template tolerates its taints.
TestStory not_ready_node(const char* message) {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  story.node("a").conditions = {{"Ready", "False", "KubeletNotReady", message, at(9'000)}};
  story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
  return story;
}

constexpr const char* no_network =
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized";

/// "id id" of the ranked findings about DaemonSet x/agent on node a.
std::string ranked(const TestStory& story) {
  const DaemonSetReport report =
      Reporter(story.cluster, {{}, at(test_now), {}}).report(story.cluster.daemon_sets.front());
  return ids(report.nodes[0].findings());
}

}  // namespace

TEST_CASE("the kubelet's own message decides the fix for its node", "[diagnosis]") {
  const auto [message, fix] = GENERATE(table<const char*, const char*>({
      {no_network, "check the network plugin's pod on node a"},
      {"rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while "
       "dialing: dial unix /run/containerd/containerd.sock: connect: connection refused\"",
       "check the container runtime"},
      {"failed to get container runtime status: rpc error: code = DeadlineExceeded",
       "check the container runtime"},
      {"[container runtime is down, PLEG is not healthy]", "check the container runtime"},
      {"[container runtime is down, container runtime network not ready: NetworkReady=false "
       "reason:NetworkPluginNotReady]",
       "check the container runtime"},
      {"failed to initialize CSINode: x509: certificate has expired or is not yet valid",
       "check the kubelet's client certificate"},
      {"missing node capacity for resources: ephemeral-storage", "check the logs of kubelet"},
  }));
  CAPTURE(message);
  CHECK(fix_of(only_of_story(not_ready_node(message), "node-not-ready")).starts_with(fix));
}

TEST_CASE("a node that shuts down resolves without action until it is overdue", "[diagnosis]") {
  TestStory story = not_ready_node("node is shutting down");
  story.node("a").conditions[0].last_transition = at(test_now - 599);
  CHECK(only_of_story(story, "node-not-ready").transient);
  CHECK(fix_of(only_of_story(story, "node-not-ready"))
            .starts_with("wait until node a is Ready again"));
  story.node("a").conditions[0].last_transition = at(test_now - 600);
  CHECK_FALSE(only_of_story(story, "node-not-ready").transient);
  CHECK(only_of_story(story, "node-not-ready").overdue_since == at(test_now));
}

TEST_CASE("a node without a network names the pod that should set it up", "[diagnosis]") {
  TestStory story = not_ready_node(no_network);
  model::DaemonSet& plugin = story.cluster.daemon_sets.emplace_back();
  plugin.meta.ns = "kube-system";
  plugin.meta.name = "net";
  plugin.pod_template.tolerations = {{"", "Exists", "", ""}};
  plugin.pod_template.spec.volumes = {{"cni", "hostPath", "/opt/cni/bin", false, false}};
  const auto message = [&] { return text_of(only_of_story(story, "node-not-ready").message); };
  const auto is_said = [&](std::string_view part) {
    return message().find(part) != std::string::npos;
  };
  CHECK_FALSE(is_said("kube-system/net"));  // it needs the pod network itself
  plugin.pod_template.host_network = true;
  CHECK(is_said("; no pod of the network plugin's DaemonSet kube-system/net runs on the node"));
  model::Pod& pod = story.add_pod("net-1", "a");
  pod.meta.ns = "kube-system";
  pod.meta.controller = model::ControllerRef{"DaemonSet", "net", "uid-9"};
  CHECK_FALSE(is_said("net-1"));  // it is ready
  pod.conditions = {{"Ready", "False", "", "", at(0)}};
  CHECK(is_said("; network plugin pod kube-system/net-1 on the node: not ready"));
  pod.statuses.emplace_back().waiting = model::WaitingState{"CrashLoopBackOff", ""};
  CHECK(is_said("; network plugin pod kube-system/net-1 on the node: CrashLoopBackOff"));
  CHECK(fix_of(only_of_story(story, "node-not-ready"))
            .starts_with("repair the network plugin's pod on node a: kubectl --namespace "
                         "kube-system describe pod net-1"));
  pod.meta.deleted = at(test_now);
  CHECK(is_said("; network plugin pod kube-system/net-1 on the node: Terminating"));
  pod.meta.deleted.reset();
  pod.statuses.front().waiting.reset();
  pod.statuses.front().running = pod.statuses.front().ready = true;
  CHECK_FALSE(is_said("net-1"));  // the node controller has marked it
  story.cluster.all_pods_known = false;
  CHECK_FALSE(is_said("kube-system/net"));
}

TEST_CASE("a pod that the node controller marked is not ready because of its node", "[diagnosis]") {
  TestStory story = not_ready_node(no_network);
  story.ds().pod_template.host_network = true;
  model::Pod& pod = story.pod("a");
  pod.conditions = {{"Ready", "False", "", "", at(9'001)}};
  model::ContainerStatus& status = pod.statuses.emplace_back();
  status.running = status.ready = true;
  CHECK(ranked(story) == "node-not-ready");
  SECTION("independent of whether it needs the network") {
    story.ds().pod_template.host_network = false;
    CHECK(ranked(story) == "node-not-ready");
  }
  SECTION("a pod that fails by itself can be the cause of the node's problem") {
    status.running = status.ready = false;
    status.restart_count = 5;
    status.waiting = model::WaitingState{"CrashLoopBackOff", ""};
    status.last_terminated = model::TerminatedState{1, 0, "Error", "", at(9'900), at(9'901)};
    CHECK(ranked(story) == "container-crash node-not-ready");
    model::Event& marked = story.add_event("Pod", pod.meta.name, "NodeNotReady", "", at(9'001));
    marked.ns = "x";
    CHECK(ranked(story) == "container-crash node-not-ready");
  }
}

TEST_CASE("fields that the cloud controller manager has not set are listed", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.node("a").taints = {
      {"node.cloudprovider.kubernetes.io/uninitialized", "true", "NoSchedule", at(9'000)}};
  story.node("a").provider_id = "aws:///eu-west-1a/i-0";
  CHECK(text_of(only_of_story(story, "node-cloud-uninitialized").message)
            .ends_with(": provider id set, zone label missing"));
}

TEST_CASE("a stopped instance explains why its kubelet does not report", "[diagnosis]") {
  TestStory story = silent_node();
  story.node("a").taints = {
      {"node.cloudprovider.kubernetes.io/shutdown", "", "NoSchedule", at(6'100)}};
  model::Pod& pod = story.pod("a");
  pod.conditions = {{"Ready", "False", "", "", at(6'041)}};
  const auto first = [&] { return only_of_story(story, "node-cloud-shutdown"); };
  CHECK(ranked(story) == "node-cloud-shutdown");  // misscheduled
  story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
  CHECK(ranked(story) == "node-cloud-shutdown");  // not ready
  CHECK(text_of(first().message)
            .starts_with("NotReady: the cloud provider reports the instance as stopped"));
  CHECK(fix_of(first()).starts_with("start the instance"));
  // The instance was started and the taint remained, which says nothing about the pod.
  story.node("a").conditions.front().status = "True";
  CHECK(first().standing == Standing::Context);
  CHECK(text_of(first().message).starts_with("the cloud provider reports"));
}

TEST_CASE("a restart by the Machine Config Operator resolves without action", "[diagnosis]") {
  const bool is_silent = GENERATE(true, false);
  CAPTURE(is_silent);
  TestStory story = is_silent ? silent_node() : not_ready_node("container runtime is down");
  story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
  const char* id = is_silent ? "node-unreachable" : "node-not-ready";
  model::Node& node = story.node("a");
  node.conditions.front().last_transition = at(test_now - 1799);
  CHECK_FALSE(only_of_story(story, id).transient);
  node.machine_config_state = "Working";
  Finding finding = only_of_story(story, id);
  CHECK(finding.transient);
  CHECK(finding.severity == Severity::Warning);
  CHECK(text_of(finding.message).ends_with("; the Machine Config Operator is updating the node"));
  CHECK(finding.fix.size() == 1);
  CHECK(finding.evidence.back() ==
        Evidence(ObjectRef{"Node", "", "a"},
                 "metadata.annotations['machineconfiguration.openshift.io/state']", "Working"));
  node.conditions.front().last_transition = at(test_now - 1800);
  finding = only_of_story(story, id);
  CHECK_FALSE(finding.transient);
  CHECK(finding.overdue_since == at(test_now));
  CHECK(finding.fix.size() > 1);
  node.machine_config_state = "Done";
  CHECK_FALSE(only_of_story(story, id).overdue_since);
}
