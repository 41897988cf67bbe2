#include "testing/synthetic_cluster.h"

#include <fmt/format.h>

namespace dsdoctor::testing {
namespace {

constexpr std::size_t pools = 10;

std::string node(std::size_t i) {
  std::string labels = fmt::format(
      R"("pool":"pool-{}","kubernetes.io/hostname":"node-{:06}","kubernetes.io/os":"linux")",
      i % pools, i);
  for (int l = 0; l < 22; ++l) {
    labels += fmt::format(R"(,"feature.node.kubernetes.io/cpu-{}":"value-{}")", l, (i + l) % 7);
  }
  std::string images;
  for (int m = 0; m < 40; ++m) {
    images += fmt::format(
        R"({}{{"names":["registry.example/team/app-{}@sha256:{:064x}","registry.example/team/app-{}:v{}"],"sizeBytes":{}}})",
        m == 0 ? "" : ",", m, i * 31 + m, m, m, m * 1000003);
  }
  std::string fields;
  for (int f = 0; f < 60; ++f)
    fields += fmt::format(R"({}"f:field-{}":{{}})", f == 0 ? "" : ",", f);
  std::string taints;
  if (i % pools == 3) taints = R"({"key":"dedicated","value":"batch","effect":"NoSchedule"})";
  if (i % 500 == 7) {
    taints = fmt::format(
        R"({{"key":"ToBeDeletedByClusterAutoscaler","value":"{}","effect":"NoSchedule"}})",
        1601646271 + i);
  }
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"node-{:06}","uid":"uid-{}","resourceVersion":"{}","creationTimestamp":"2026-01-01T00:00:00Z","labels":{{{}}},"managedFields":[{{"manager":"kubelet","fieldsV1":{{{}}}}},{{"manager":"kube-controller-manager","fieldsV1":{{{}}}}}]}},"spec":{{"taints":[{}]}},"status":{{"allocatable":{{"cpu":"8","memory":"31Gi","pods":"110"}},"capacity":{{"cpu":"8","memory":"32Gi","pods":"110"}},"conditions":[{{"type":"Ready","status":"True","reason":"KubeletReady","message":"kubelet is posting ready status","lastTransitionTime":"2026-01-01T00:00:00Z"}}],"nodeInfo":{{"kubeletVersion":"v1.36.2"}},"images":[{}]}}}})",
      i, i, i, labels, fields, fields, taints, images);
}

std::string daemon_set(std::size_t d) {
  std::string spec;
  if (d % 3 == 1) spec = R"("tolerations":[{"operator":"Exists"}],)";
  if (d % 3 == 2) {
    spec =
        R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"NotIn","values":["pool-1","pool-2"]}]}]}}},)";
  }
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{{"name":"ds-{0}","namespace":"ns-{0}","uid":"ds-{0}","generation":1,"annotations":{{"deprecated.daemonset.template.generation":"1"}}}},"spec":{{"selector":{{"matchLabels":{{"app":"ds-{0}"}}}},"template":{{"metadata":{{"labels":{{"app":"ds-{0}"}}}},"spec":{{{1}"containers":[]}}}}}},"status":{{"observedGeneration":1}}}})",
      d, spec);
}

std::string pod(std::size_t d, std::size_t i) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"ds-{0}-{1:06}","namespace":"ns-{0}","uid":"pod-{0}-{1}","creationTimestamp":"2026-01-01T00:00:00Z","labels":{{"app":"ds-{0}","controller-revision-hash":"abc","pod-template-generation":"1"}},"ownerReferences":[{{"apiVersion":"apps/v1","kind":"DaemonSet","name":"ds-{0}","uid":"ds-{0}","controller":true}}]}},"spec":{{"nodeName":"node-{1:06}"}},"status":{{"phase":"Running","conditions":[{{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}}]}}}})",
      d, i);
}

}  // namespace

std::string synthetic_nodes(std::size_t nodes) {
  std::string list = R"({"apiVersion":"v1","kind":"List","items":[)";
  for (std::size_t i = 0; i < nodes; ++i) list += (i == 0 ? "" : ",") + node(i);
  return list + "]}";
}

std::string synthetic_workload(std::size_t nodes, std::size_t daemon_sets) {
  std::string list = R"({"apiVersion":"v1","kind":"List","items":[)";
  for (std::size_t d = 0; d < daemon_sets; ++d) {
    list += (d == 0 ? "" : ",") + daemon_set(d);
    for (std::size_t i = 0; i < nodes; ++i) list += "," + pod(d, i);
  }
  return list + "]}";
}

}  // namespace dsdoctor::testing
