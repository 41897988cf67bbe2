// SPDX-License-Identifier: Apache-2.0
#include "decode/pools/node_templates.h"

#include <catch2/catch.hpp>
#include <string>

#include "decode/cluster/documents.h"

namespace dsdoctor::decode {
namespace {

struct ReadTemplates {
  NodeTemplates templates;
  std::string error;
  std::size_t skipped = 0;
};

ReadTemplates read_templates(const std::string& text) {
  ReadTemplates result;
  ClusterBuilder builder;
  builder.collect_templates(&result.templates);
  std::vector<model::Warning> warnings;
  const auto status = read_documents(text, "in.yaml", builder, warnings);
  if (!status) result.error = base::to_string(status.error());
  result.skipped = builder.skipped();
  return result;
}

std::string label(const model::NodeTemplate& of, std::string_view key) {
  const model::Text* value = of.labels.find(key);
  return value == nullptr ? "(none)" : value->str();
}

std::string text_of(const std::vector<model::Taint>& taints) {
  std::string result;
  for (const model::Taint& taint : taints) {
    result += (result.empty() ? "" : " ") + taint.key.str() + "=" + taint.value.str() + ":" +
              taint.effect.str();
  }
  return result;
}

std::string quantity(const model::NodeTemplate& of, std::string_view resource) {
  const model::Text* value = of.capacity.find(resource);
  return value == nullptr ? "(none)" : value->str();
}

}  // namespace

TEST_CASE("a NodePool of Karpenter has its own labels beside those of its template", "[decode]") {
  auto read = read_templates(R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  replicas: 3
  template:
    metadata: {labels: {team: a}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      taints: [{key: gpu, value: "true", effect: NoSchedule}, {key: gpu, value: "2", effect: NoSchedule}]
      startupTaints: [{key: cni, effect: NoExecute}]
      requirements:
      - {key: arch, operator: In, values: [a, b]}
      - {key: cpus, operator: Gte, values: ["4"], minValues: 2}
      - {key: cpus, operator: Lte, values: ["8"]}
)");
  REQUIRE(read.error.empty());
  REQUIRE(read.templates.all().size() == 1);
  const model::NodeTemplate& pool = read.templates.all().front();
  CHECK(pool.kind == "NodePool");
  CHECK(pool.name == "gpu");
  CHECK(pool.replicas == 3);
  CHECK(label(pool, "team") == "a");
  CHECK(label(pool, "karpenter.sh/nodepool") == "gpu");
  CHECK(label(pool, "karpenter.k8s.aws/ec2nodeclass") == "default");
  CHECK(text_of(pool.taints) == "gpu=2:NoSchedule");
  CHECK(text_of(pool.startup_taints) == "cni=:NoExecute");
  REQUIRE(pool.requirements.size() == 3);
  CHECK(pool.requirements[1].op == "Gt");
  CHECK(pool.requirements[1].values.front() == "3");
  CHECK(pool.requirements[2].op == "Lt");
  CHECK(pool.requirements[2].values.front() == "9");
  CHECK(pool.capacity.empty());
}

TEST_CASE("Cluster API copies only some labels of a machine to its node", "[decode]") {
  auto read = read_templates(R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata:
  name: w
  namespace: ops
  annotations:
    capacity.cluster-autoscaler.kubernetes.io/cpu: "4"
    capacity.cluster-autoscaler.kubernetes.io/memory: 16Gi
    capacity.cluster-autoscaler.kubernetes.io/ephemeral-disk: 100Gi
    capacity.cluster-autoscaler.kubernetes.io/maxPods: "50"
    capacity.cluster-autoscaler.kubernetes.io/gpu-type: amd.com/gpu
    capacity.cluster-autoscaler.kubernetes.io/gpu-count: "2"
    capacity.cluster-autoscaler.kubernetes.io/labels: a=1,b=2
    capacity.cluster-autoscaler.kubernetes.io/taints: x=1:NoSchedule,y:NoExecute
spec:
  template:
    metadata:
      labels:
        node-role.kubernetes.io/worker: ""
        team.node-restriction.kubernetes.io/x: "1"
        node.cluster.x-k8s.io/pool: p
        notnode.cluster.x-k8s.io/pool: p
        private: "1"
    spec:
      taints:
      - {key: x, value: "0", effect: NoSchedule, propagation: Always}
      - {key: init, effect: NoSchedule, propagation: OnInitialization}
)");
  REQUIRE(read.error.empty());
  REQUIRE(read.templates.all().size() == 1);
  const model::NodeTemplate& of = read.templates.all().front();
  CHECK(of.ns == "ops");
  CHECK(label(of, "node-role.kubernetes.io/worker").empty());
  CHECK(label(of, "team.node-restriction.kubernetes.io/x") == "1");
  CHECK(label(of, "node.cluster.x-k8s.io/pool") == "p");
  CHECK(label(of, "notnode.cluster.x-k8s.io/pool") == "(none)");
  CHECK(label(of, "private") == "(none)");
  CHECK(label(of, "a") == "1");
  CHECK(text_of(of.taints) == "x=1:NoSchedule y=:NoExecute");
  CHECK(text_of(of.startup_taints) == "init=:NoSchedule");
  CHECK(quantity(of, "cpu") == "4");
  CHECK(quantity(of, "ephemeral-storage") == "100Gi");
  CHECK(quantity(of, "pods") == "50");
  CHECK(quantity(of, "amd.com/gpu") == "2");
}

TEST_CASE("a MachineSet of OpenShift has the labels of its nodes", "[decode]") {
  auto read = read_templates(R"(
apiVersion: machine.openshift.io/v1beta1
kind: MachineSet
metadata:
  name: w
  namespace: openshift-machine-api
  annotations: {machine.openshift.io/vCPU: "4", machine.openshift.io/memoryMb: "8192", machine.openshift.io/GPU: "1"}
spec: {replicas: 0, template: {metadata: {labels: {machine: only}}, spec: {metadata: {labels: {role: w}}, taints: [{key: x, effect: NoSchedule}]}}}
)");
  REQUIRE(read.error.empty());
  REQUIRE(read.templates.all().size() == 1);
  const model::NodeTemplate& of = read.templates.all().front();
  CHECK(of.replicas == 0);
  CHECK(label(of, "role") == "w");
  CHECK(label(of, "machine") == "(none)");
  CHECK(quantity(of, "memory") == "8192Mi");
  CHECK(quantity(of, "nvidia.com/gpu") == "1");
}

TEST_CASE("tags of autoscaling groups are read from both answers of the AWS CLI", "[decode]") {
  const std::string tags = R"(
    {"Key": "k8s.io/cluster-autoscaler/node-template/label/pool", "Value": "a", "ResourceId": "g"},
    {"Key": "k8s.io/cluster-autoscaler/node-template/taint/dedicated", "Value": "db:NoSchedule", "ResourceId": "g"},
    {"Key": "k8s.io/cluster-autoscaler/node-template/resources/memory", "Value": "64Gi", "ResourceId": "g"},
    {"Key": "Name", "Value": "other", "ResourceId": "g"})";
  for (const std::string& text :
       {"{\"Tags\": [" + tags + "]}",
        "{\"AutoScalingGroups\": [{\"AutoScalingGroupName\": \"g\", \"Tags\": [" + tags + "]}]}"}) {
    auto read = read_templates(text);
    CAPTURE(text, read.error);
    REQUIRE(read.templates.all().size() == 1);
    const model::NodeTemplate& of = read.templates.all().front();
    CHECK(of.kind == "AutoScalingGroup");
    CHECK(of.name == "g");
    CHECK(label(of, "pool") == "a");
    CHECK(text_of(of.taints) == "dedicated=db:NoSchedule");
    CHECK(quantity(of, "memory") == "64Gi");
  }
}

TEST_CASE("objects that do not describe nodes are counted as before", "[decode]") {
  const auto read = read_templates(R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: b}}
- {apiVersion: example.com/v1, kind: NodePool, metadata: {name: c}}
- apiVersion: cluster.x-k8s.io/v1beta1
  kind: MachineSet
  metadata: {name: d, ownerReferences: [{kind: MachineDeployment, name: w}]}
  spec: {template: {spec: {}}}
)");
  CHECK(read.error.empty());
  CHECK(read.skipped == 3);  // the MachineSet is part of its MachineDeployment
}

TEST_CASE("a list of an API server names the kind of each item", "[decode]") {
  auto read = read_templates(
      R"({"apiVersion": "karpenter.sh/v1", "kind": "NodePoolList", "metadata": {}, "items": [
      {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "a"}, "spec": {"template": {"spec": {}}}}]})");
  CHECK(read.error.empty());
  CHECK(read.templates.all().size() == 1);
}

TEST_CASE("a wrong field of a template is named with its path", "[decode]") {
  const std::string head =
      "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec: ";
  const std::string machines =
      "apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\nmetadata: {name: a, "
      "annotations: {capacity.cluster-autoscaler.kubernetes.io/";
  const auto error = [&](const std::string& text) { return read_templates(text).error; };
  CHECK(error(head + "{}") == "in.yaml NodePool/a spec.template.spec: is missing");
  CHECK(error(head + "{template: {spec: {taints: {}}}}") ==
        "in.yaml NodePool/a spec.template.spec.taints: expected an array");
  CHECK(error(head + "{template: {spec: {taints: [{key: a}]}}}") ==
        "in.yaml NodePool/a spec.template.spec.taints[0].effect: is missing");
  CHECK(error(head + "{template: {spec: {requirements: [{key: a, operator: in}]}}}") ==
        "in.yaml NodePool/a spec.template.spec.requirements[0].operator: \"in\" must be one of In, "
        "NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte");
  CHECK(error(head + "{template: {metadata: {labels: {a: 1}}, spec: {}}}") ==
        "in.yaml NodePool/a spec.template.metadata.labels.a: expected a string");
  CHECK(error(machines + "labels: 'a'}}\nspec: {template: {spec: {}}}") ==
        "in.yaml MachineSet/a "
        "metadata.annotations.capacity.cluster-autoscaler.kubernetes.io/labels: \"a\" is not "
        "KEY=VALUE");
  CHECK(error(machines + "taints: 'a=b'}}\nspec: {template: {spec: {}}}") ==
        "in.yaml MachineSet/a "
        "metadata.annotations.capacity.cluster-autoscaler.kubernetes.io/taints: \"a=b\" is not "
        "KEY[=VALUE]:EFFECT");
  CHECK(error("{\"Tags\": [{\"Key\": 3}]}") ==
        "in.yaml (AutoScalingGroup) Tags[0].Key: expected a string");
}

}  // namespace dsdoctor::decode
