// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/ahead_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

constexpr const char* not_ready = "node.kubernetes.io/not-ready";
constexpr const char* unreachable = "node.kubernetes.io/unreachable";

TestStory two_pods() {
  TestStory story;
  story.nodes({"a", "b"});
  story.pod("a");
  story.pod("b");
  model::Container container;
  container.name = "app";
  story.ds().pod_template.spec.containers = {container};
  return story;
}

std::vector<Finding> ahead(const TestStory& story) {
  return story.ask([](const DaemonSetCase& c) { return ahead_findings(c, {}); });
}

/// The messages, one a line.
std::string texts(const std::vector<Finding>& findings) {
  std::string result;
  for (const Finding& finding : findings) {
    CHECK(finding.severity == Severity::Info);
    result += (result.empty() ? "" : "\n") + text_of(finding.message);
  }
  return result;
}

}  // namespace

TEST_CASE("a host port with maxSurge is reported before the rollout", "[ahead]") {
  TestStory story = two_pods();
  model::DaemonSet& ds = story.ds();
  ds.max_surge = model::IntOrPercent{1, false};
  std::vector<model::ContainerPort>& ports = ds.pod_template.spec.containers[0].ports;
  ports = {{80, 0, "TCP", ""}};
  CHECK(ahead(story).empty());  // a port of the pod's own network
  // The notes if the diagnosis has another finding as well.
  const auto beside = [&](FindingId id) {
    return story.ask([&](const DaemonSetCase& c) {
      Finding other;
      other.id = id;
      return ahead_findings(c, {other});
    });
  };
  SECTION("declared") {
    ports = {{8080, 80, "TCP", ""}, {53, 53, "UDP", "127.0.0.1"}};
    CHECK(texts(ahead(story)) ==
          "hostPort with maxSurge: the next rolling update cannot start a new pod next to an "
          "available old one: both need host port 80/TCP, 127.0.0.1:53/UDP; the API server does "
          "not reject this");
    CHECK(ahead(story).front().evidence ==
          std::vector<Evidence>{
              {{"DaemonSet", "x", "agent"}, "spec.template.spec.containers[0].ports[0]", "80/TCP"},
              {{"DaemonSet", "x", "agent"}, "spec.updateStrategy.rollingUpdate.maxSurge", "1"}});
    ds.update_strategy = "OnDelete";
    CHECK(ahead(story).empty());
    ds.update_strategy = "RollingUpdate";
    ds.max_surge->value = 0;
    CHECK(ahead(story).empty());
  }
  SECTION("by hostNetwork") {
    ds.pod_template.host_network = true;
    ds.max_surge = model::IntOrPercent{25, true};
    CHECK(
        texts(ahead(story)).find("80/TCP; with hostNetwork every container port is a host port") !=
        std::string::npos);
    CHECK(ahead(story).front().evidence.back().value == "25%");
  }
  SECTION("a port of a sidecar counts, one of another init container does not") {
    model::Container init = ds.pod_template.spec.containers[0];
    init.ports = {{81, 81, "TCP", ""}};
    ds.pod_template.spec.init_containers = {init};
    CHECK(ahead(story).empty());
    ds.pod_template.spec.init_containers[0].restart_policy = "Always";
    CHECK(texts(ahead(story)).find("host port 81/TCP") != std::string::npos);
  }
  SECTION("a rollout that has begun is not the next one") {
    ports = {{80, 80, "TCP", ""}};
    CHECK(texts(beside(FindingId::RolloutPaced))
              .starts_with("hostPort with maxSurge: the rolling update cannot start"));
  }
  SECTION("not while a rollout is stuck because of it, or without an eligible node") {
    ports = {{80, 80, "TCP", ""}};
    CHECK(beside(FindingId::RolloutSurgePort).empty());
    ds.pod_template.node_selector = {{"pool", "none"}};
    CHECK(ahead(story).empty());
  }
}

TEST_CASE("the effect of tolerationSeconds of an outage is reported", "[ahead]") {
  struct Row {
    std::vector<model::Toleration> tolerations;
    const char* said;
  };
  const auto row = GENERATE(
      // The controller replaces an entry with the same key, operator, effect and value.
      Row{{{not_ready, "Exists", "", "NoExecute", 30}},
          "tolerationSeconds: the 30s of tolerations[0] (node.kubernetes.io/not-ready) are "
          "overwritten: the DaemonSet controller sets the same toleration without a limit, so the "
          "pods stay"},
      // Any other entry remains, before the one that is appended.
      Row{{{not_ready, "Equal", "", "NoExecute", 60}},
          "tolerationSeconds: 60s after a node gets taint node.kubernetes.io/not-ready, its pod is "
          "deleted and created again (tolerations[0])"},
      Row{{{unreachable, "", "", "NoExecute", 60}},
          "tolerationSeconds: 60s after a node gets taint node.kubernetes.io/unreachable, its pod "
          "is deleted and remains Terminating until the kubelet reports (tolerations[0])"},
      Row{{{unreachable, "Equal", "", "NoExecute", -1}},
          "tolerationSeconds: as soon as a node gets taint node.kubernetes.io/unreachable, its pod "
          "is deleted and remains Terminating until the kubelet reports (tolerations[0])"},
      Row{{{"", "Exists", "", "NoExecute", 300}},
          "tolerationSeconds: 300s after a node gets taint node.kubernetes.io/not-ready, its pod "
          "is "
          "deleted and created again; 300s after a node gets taint node.kubernetes.io/unreachable, "
          "its pod is deleted and remains Terminating until the kubelet reports (tolerations[0])"},
      // The first entry that matches a taint decides; an overwritten one stays in its place.
      Row{{{not_ready, "Exists", "", "NoExecute"}, {"", "Exists", "", "NoExecute", 300}},
          "tolerationSeconds: 300s after a node gets taint node.kubernetes.io/unreachable, its pod "
          "is deleted and remains Terminating until the kubelet reports (tolerations[1])\n"
          "tolerationSeconds: the 300s of tolerations[1] are not used for "
          "node.kubernetes.io/not-ready, because tolerations[0] matches it first and has no limit"},
      Row{{{"", "Exists", "", "NoExecute", 10},
           {not_ready, "Exists", "", "NoExecute", 60},
           {unreachable, "Equal", "", "NoExecute", 5}},
          "tolerationSeconds: 10s after a node gets taint node.kubernetes.io/not-ready, its pod is "
          "deleted and created again; 10s after a node gets taint node.kubernetes.io/unreachable, "
          "its pod is deleted and remains Terminating until the kubelet reports (tolerations[0])\n"
          "tolerationSeconds: the 60s of tolerations[1] (node.kubernetes.io/not-ready) are "
          "overwritten: the DaemonSet controller sets the same toleration without a limit; the 5s "
          "of tolerations[2] are not used for node.kubernetes.io/unreachable, because "
          "tolerations[0] matches it first and has 10s"},
      // The taints have no value.
      Row{{{not_ready, "Equal", "yes", "NoExecute", 60}},
          "tolerationSeconds: the 60s of tolerations[0] are not used, because taint "
          "node.kubernetes.io/not-ready has no value"},
      Row{{{"maintenance", "Exists", "", "NoExecute", 60}}, ""},
      Row{{{"", "Exists", "", "NoExecute"}}, ""}, Row{{{not_ready, "Equal", "", "NoExecute"}}, ""});
  TestStory story = two_pods();
  story.ds().pod_template.tolerations = row.tolerations;
  CHECK(texts(ahead(story)) == row.said);
}

TEST_CASE("an eviction that happens is not reported as a later one", "[ahead]") {
  TestStory story = two_pods();
  story.ds().pod_template.tolerations = {{not_ready, "Equal", "", "NoExecute", 60}};
  CHECK(ids(ahead(story)) == "toleration-seconds-evicts");
  story.node("a").taints = {{not_ready, "", "NoExecute"}};
  CHECK(ahead(story).empty());
}

TEST_CASE("a toleration of only the old key of a taint is reported", "[ahead]") {
  TestStory story = two_pods();
  std::vector<model::Toleration>& tolerations = story.ds().pod_template.tolerations;
  tolerations = {{"karpenter.sh/disruption", "Exists", "", ""}};
  CHECK(ahead(story).empty());  // nothing shows Karpenter
  SECTION("a node has the new taint") {
    story.node("b").taints = {{"karpenter.sh/disrupted", "", "NoSchedule"}};
    const auto findings = ahead(story);
    CHECK(texts(findings) ==
          "the template tolerates only the old key karpenter.sh/disruption (set by Karpenter v0.32 "
          "to v0.37), not the new key karpenter.sh/disrupted; 1 node has the new taint: b");
    CHECK(fix_of(findings.front())
              .find("add a toleration with key karpenter.sh/disrupted, operator Exists and effect "
                    "NoSchedule") != std::string::npos);
    SECTION("also if another node has the old one") {
      story.node("a").taints = {{"karpenter.sh/disruption", "disrupting", "NoSchedule"}};
      CHECK(ahead(story).size() == 1);
    }
    SECTION("not if the new taint is tolerated as well") {
      tolerations.push_back({"karpenter.sh/disrupted", "Exists", "", "NoSchedule"});
      CHECK(ahead(story).empty());
      tolerations.back() = {"", "Exists", "", ""};
      CHECK(ahead(story).empty());
      tolerations.back() = {"karpenter.sh/disrupted", "Exists", "", "NoExecute"};
      CHECK(ahead(story).size() == 1);
    }
    SECTION("not for nodes that the labels exclude") {
      story.ds().pod_template.node_selector = {{"pool", "fixed"}};
      story.node("a").meta.labels = {{"pool", "fixed"}};
      CHECK(ahead(story).empty());
    }
    SECTION("not if the old taint was not tolerated either") {
      tolerations = {{"karpenter.sh/disruption", "Exists", "", "NoExecute"}};
      CHECK(ahead(story).empty());
    }
  }
  SECTION("a node is of Karpenter") {
    story.node("a").meta.labels = {{"karpenter.sh/nodepool", "general"}};
    CHECK(texts(ahead(story)).ends_with("not the new key karpenter.sh/disrupted"));
    story.node("b").taints = {{"karpenter.sh/disruption", "disrupting", "NoSchedule"}};
    CHECK(ahead(story).empty());  // the old key is the one in use
  }
  SECTION("a renamed prefix") {
    tolerations = {{"ignore-taint.cluster-autoscaler.kubernetes.io/gpu", "Exists", "", ""}};
    CHECK(ahead(story).empty());
    story.node("b").taints = {
        {"startup-taint.cluster-autoscaler.kubernetes.io/gpu", "", "NoSchedule"}};
    CHECK(ids(ahead(story)) == "toleration-old-key");
    tolerations.front().key = "ignore-taint.cluster-autoscaler.kubernetes.io/net";
    CHECK(ahead(story).empty());
  }
  SECTION("a domain above that of the taint shows the component, not one of Kubernetes") {
    tolerations = {{"remediator.aks.microsoft.com/unschedulable", "Exists", "", ""}};
    CHECK(ahead(story).empty());
    story.node("a").meta.labels = {{"kubernetes.azure.com/cluster", "x"}};
    CHECK(ids(ahead(story)) == "toleration-old-key");
  }
  SECTION("not the control plane, whose nodes have a finding of their own") {
    tolerations = {{"node-role.kubernetes.io/master", "Exists", "", ""}};
    story.node("b").taints = {{"node-role.kubernetes.io/control-plane", "", "NoSchedule"}};
    CHECK(ahead(story).empty());
  }
}

TEST_CASE("a label that a controller computes is reported", "[ahead]") {
  TestStory story = two_pods();
  model::PodTemplate& pods = story.ds().pod_template;
  const auto label = [&](const char* key, const char* manager) {
    pods.node_selector = {{key, "true"}};
    for (const char* name : {"a", "b"}) {
      model::ObjectMeta& meta = story.node(name).meta;
      meta.labels = {{key, "true"}};
      std::vector<model::FieldManager> managers;
      if (manager != nullptr) {
        model::FieldManager& entry = managers.emplace_back();
        entry.manager = manager;
        entry.operation = "Update";
        entry.labels = {model::Text(key)};
      }
      meta.managers = managers;
    }
  };
  SECTION("by its key") {
    label(GENERATE("feature.node.kubernetes.io/pci-10de.present",
                   "vendor.feature.node.kubernetes.io/x", "nvidia.com/gpu.present",
                   "nvidia.com/gpu.deploy.driver", "kubevirt.io/schedulable",
                   "cpu-model.node.kubevirt.io/Skylake"),
          nullptr);
    CHECK(ids(ahead(story)) == "daemonset-computed-label");
  }
  SECTION("by its writer") {
    label("example.com/fpga", "nfd-master");
    const auto findings = ahead(story);
    CHECK(texts(findings) ==
          "the eligible nodes depend on example.com/fpga, written by node-feature-discovery "
          "(nfd-master): when it changes or removes the label of a node, the DaemonSet controller "
          "deletes the pod there");
    CHECK(findings.front().evidence ==
          std::vector<Evidence>{
              {{"DaemonSet", "x", "agent"},
               "spec.template.spec.nodeSelector['example.com/fpga']",
               "true"},
              {{"Node", "", "a"}, "metadata.managedFields[0].manager", "nfd-master"}});
  }
  SECTION("not a label of a user, of the kubelet or of the cloud provider") {
    label("nvidia.com/gpu.present", GENERATE("kubectl-label", "kubelet", "kubectl"));
    CHECK(ahead(story).empty());
    label(GENERATE("kubernetes.io/arch", "topology.kubernetes.io/zone",
                   "node.kubernetes.io/instance-type", "eks.amazonaws.com/nodegroup",
                   "nvidia.com/gpu", "nvidia.com/mig.config", "example.com/fpga"),
          nullptr);
    CHECK(ahead(story).empty());
    label("example.com/fpga", GENERATE("kubelet", "aws-cloud-controller-manager", "my-tool"));
    CHECK(ahead(story).empty());
  }
  SECTION("not for a DaemonSet of the same software") {
    label("nvidia.com/gpu.deploy.driver", "gpu-operator");
    CHECK(ahead(story).size() == 1);
    story.ds().meta.controller =
        model::ControllerRef{"ClusterPolicy", "policy", "uid-8", "nvidia.com/v1"};
    CHECK(ahead(story).empty());
  }
  SECTION("in an affinity only if no term is free of such labels") {
    label("feature.node.kubernetes.io/usb", nullptr);
    pods.node_selector = {};
    const auto term = [](const char* key) {
      return model::NodeSelectorTerm{{{key, "Exists", {}}}, {}};
    };
    pods.node_affinity = model::NodeSelector{{term("feature.node.kubernetes.io/usb")}};
    CHECK(ids(ahead(story)) == "daemonset-computed-label");
    pods.node_affinity = model::NodeSelector{
        {term("feature.node.kubernetes.io/usb"), term("kubernetes.io/hostname")}};
    CHECK(ahead(story).empty());
  }
  SECTION("not without an eligible node") {
    label("nvidia.com/gpu.present", nullptr);
    pods.node_selector = {{"nvidia.com/gpu.present", "false"}};
    CHECK(ahead(story).empty());
  }
}
