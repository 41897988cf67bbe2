// SPDX-License-Identifier: Apache-2.0
#include "testing/synthetic_cluster.h"

#include <fmt/format.h>

#include <utility>

namespace dsdoctor::testing {
namespace {

constexpr std::size_t pools = 10;

// One node in this many has a fault.
constexpr std::size_t rare = 100;

std::string node(std::size_t i) {
  std::string labels = fmt::format(
      R"("pool":"pool-{}","kubernetes.io/hostname":"node-{:06}","kubernetes.io/os":"linux")",
      i % pools, i);
  for (std::size_t l = 0; l < 22; ++l) {
    labels += fmt::format(R"(,"feature.node.kubernetes.io/cpu-{}":"value-{}")", l, (i + l) % 7);
  }
  std::string images;
  for (std::size_t m = 0; m < 55; ++m) {
    images += fmt::format(
        R"({}{{"names":["registry.example/team/app-{}@sha256:{:064x}","registry.example/team/app-{}:v{}"],"sizeBytes":{}}})",
        m == 0 ? "" : ",", m, i * 31 + m, m, m, m * 1000003);
  }
  std::string fields;
  for (int f = 0; f < 120; ++f)
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

/// Whether the controller creates no pod on the node.
bool is_excluded(std::size_t d, std::size_t i) {
  const bool tainted = i % pools == 3 || i % 500 == 7;
  const bool not_selected = i % pools == 1 || i % pools == 2;
  return (d % 3 != 1 && tainted) || (d % 3 == 2 && not_selected);
}

/// The template of a DaemonSet, without the opening brace.
std::string template_of(std::size_t d) {
  std::string spec;
  if (d % 3 == 1) spec = R"("tolerations":[{"operator":"Exists"}],)";
  if (d % 3 == 2) {
    spec =
        R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"NotIn","values":["pool-1","pool-2"]}]}]}}},)";
  }
  return fmt::format(
      R"("metadata":{{"labels":{{"app":"ds-{:03}"}}}},"spec":{{{}"containers":[]}}}})", d, spec);
}

std::string daemon_set(std::size_t d, const SyntheticShape& shape) {
  std::size_t desired = 0;
  for (std::size_t i = 0; i < shape.nodes; ++i) desired += is_excluded(d, i) ? 0 : 1;
  const bool runs = shape.pods == SyntheticPods::Healthy || shape.pods == SyntheticPods::OneFault;
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{{"name":"ds-{0:03}","namespace":"ns-{0:03}","uid":"ds-{0:03}","generation":1,"annotations":{{"deprecated.daemonset.template.generation":"1"}}}},"spec":{{"selector":{{"matchLabels":{{"app":"ds-{0:03}"}}}},"template":{{{1}}},"status":{{"observedGeneration":1,"desiredNumberScheduled":{2},"currentNumberScheduled":{3},"numberReady":{4},"numberAvailable":{4},"updatedNumberScheduled":{3}}}}})",
      d, template_of(d), desired, shape.pods == SyntheticPods::Missing ? 0 : desired,
      runs ? desired : 0);
}

/// The revision to which the pods belong.
std::string revision(std::size_t d) {
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{{"name":"ds-{0:03}-abc","namespace":"ns-{0:03}","uid":"rev-{0:03}","labels":{{"app":"ds-{0:03}","controller-revision-hash":"abc"}},"ownerReferences":[{{"apiVersion":"apps/v1","kind":"DaemonSet","name":"ds-{0:03}","uid":"ds-{0:03}","controller":true}}]}},"data":{{"spec":{{"template":{{"$patch":"replace",{1}}}}},"revision":1}})",
      d, template_of(d));
}

/// The fields that all pods of a DaemonSet share: of metadata, and of spec.
struct PodTemplate {
  std::string fields;
  std::string spec;
};

PodTemplate pod_template(std::size_t d) {
  std::string fields;
  for (int f = 0; f < 55; ++f) {
    fields += fmt::format(R"({}"k:{{\"name\":\"setting-{}\"}}":{{".":{{}},"f:name":{{}}}})",
                          f == 0 ? "" : ",", f);
  }
  std::string environment;
  for (int e = 0; e < 24; ++e) {
    environment += fmt::format(R"({}{{"name":"AGENT_SETTING_{}","value":"value-{}-{}"}})",
                               e == 0 ? "" : ",", e, d, e);
  }
  std::string mounts;
  std::string volumes;
  for (int v = 0; v < 8; ++v) {
    mounts += fmt::format(R"({}{{"mountPath":"/host/path-{}","name":"volume-{}","readOnly":true}})",
                          v == 0 ? "" : ",", v, v);
    volumes += fmt::format(
        R"({}{{"hostPath":{{"path":"/var/lib/agent/path-{}","type":"DirectoryOrCreate"}},"name":"volume-{}"}})",
        v == 0 ? "" : ",", v, v);
  }
  std::string tolerations;
  for (const char* key : {"not-ready", "unreachable", "disk-pressure", "memory-pressure",
                          "pid-pressure", "unschedulable"}) {
    tolerations += fmt::format(
        R"({}{{"effect":"{}","key":"node.kubernetes.io/{}","operator":"Exists"}})",
        tolerations.empty() ? "" : ",", tolerations.size() < 100 ? "NoExecute" : "NoSchedule", key);
  }
  if (d % 3 == 1) tolerations += R"(,{"operator":"Exists"})";
  return {
      fmt::format(
          R"("generateName":"ds-{0:03}-","labels":{{"app":"ds-{0:03}","controller-revision-hash":"abc","pod-template-generation":"1"}},"managedFields":[{{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{"f:containers":{{{1}}}}}}},"manager":"kube-controller-manager","operation":"Update","time":"2026-01-01T00:00:00Z"}}],"namespace":"ns-{0:03}","ownerReferences":[{{"apiVersion":"apps/v1","blockOwnerDeletion":true,"controller":true,"kind":"DaemonSet","name":"ds-{0:03}","uid":"ds-{0:03}"}}],"creationTimestamp":"2026-01-01T00:00:00Z")",
          d, fields),
      fmt::format(
          R"("containers":[{{"env":[{0}],"image":"registry.example/team/agent-{1}:v1.2.3","imagePullPolicy":"IfNotPresent","name":"agent","resources":{{"limits":{{"memory":"256Mi"}},"requests":{{"cpu":"10m","memory":"64Mi"}}}},"terminationMessagePath":"/dev/termination-log","volumeMounts":[{2}]}}],"dnsPolicy":"ClusterFirst","priority":0,"restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{{}},"serviceAccountName":"default","terminationGracePeriodSeconds":30,"tolerations":[{3}],"volumes":[{4}])",
          environment, d, mounts, tolerations, volumes)};
}

std::string pod(const PodTemplate& of, std::size_t d, std::size_t i, bool crashes) {
  const std::string_view ready = crashes ? "False" : "True";
  const std::string state =
      crashes
          ? R"("lastState":{"terminated":{"exitCode":1,"reason":"Error","finishedAt":"2026-01-02T00:00:00Z"}},"ready":false,"restartCount":42,"started":false,"state":{"waiting":{"message":"back-off 5m0s restarting failed container=agent","reason":"CrashLoopBackOff"}})"
          : R"("lastState":{},"ready":true,"restartCount":0,"started":true,"state":{"running":{"startedAt":"2026-01-01T00:00:05Z"}})";
  std::string conditions;
  for (const std::string_view type : {"Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    conditions += fmt::format(
        R"({}{{"lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z","status":"{}","type":"{}"}})",
        conditions.empty() ? "" : ",", type.ends_with("Ready") ? ready : "True", type);
  }
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{{2},"name":"ds-{0:03}-{1:06}","resourceVersion":"{1}","uid":"00000000-0000-4000-8000-{0:04}{1:08}"}},"spec":{{"affinity":{{"nodeAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":{{"nodeSelectorTerms":[{{"matchFields":[{{"key":"metadata.name","operator":"In","values":["node-{1:06}"]}}]}}]}}}}}},{3},"nodeName":"node-{1:06}"}},"status":{{"conditions":[{4}],"containerStatuses":[{{"containerID":"containerd://{1:064x}","image":"registry.example/team/agent-{0}:v1.2.3","imageID":"registry.example/team/agent-{0}@sha256:{0:064x}",{5},"name":"agent"}}],"hostIP":"10.{6}.{7}.1","phase":"Running","podIP":"10.{6}.{7}.9","qosClass":"Burstable","startTime":"2026-01-01T00:00:01Z"}}}})",
      d, i, of.fields, of.spec, conditions, state, i / 250 % 250, i % 250);
}

void write_workload(const SyntheticShape& shape,
                    const std::function<void(std::string_view)>& item) {
  for (std::size_t d = 0; d < shape.daemon_sets; ++d) {
    item(daemon_set(d, shape));
    item(revision(d));
    if (shape.pods == SyntheticPods::Unknown || shape.pods == SyntheticPods::Missing) continue;
    const PodTemplate of = pod_template(d);
    for (std::size_t i = 0; i < shape.nodes; ++i) {
      const bool crashes = shape.pods == SyntheticPods::Faulty ||
                           (shape.pods == SyntheticPods::OneFault && d == 0 && i % rare == 5);
      if (!is_excluded(d, i)) item(pod(of, d, i, crashes));
    }
  }
  if (shape.pods == SyntheticPods::Missing) {  // of another owner, to show that the list was read
    item(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"alone","namespace":"default","uid":"alone"},"spec":{"containers":[],"nodeName":"node-000000"},"status":{"phase":"Running"}})");
  }
}

/// Calls `body` with a function that writes one item of the List.
template <typename Body>
void write_list(const std::function<void(std::string_view)>& write, const Body& body) {
  write(R"({"apiVersion":"v1","items":[)");
  bool first = true;
  const std::function<void(std::string_view)> item = [&](std::string_view text) {
    if (!std::exchange(first, false)) write(",");
    write(text);
  };
  body(item);
  // The latest time in the objects is the time of the answer.
  item(
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"node-000000","namespace":"kube-node-lease"},"spec":{"holderIdentity":"node-000000","renewTime":"2026-02-01T00:00:00.000000Z"}})");
  write(R"(],"kind":"List","metadata":{"resourceVersion":""}})");
}

template <typename Body>
std::string text_of(const Body& body) {
  std::string text;
  write_list([&](std::string_view piece) { text += piece; }, body);
  return text;
}

}  // namespace

std::optional<SyntheticPods> synthetic_pods(std::string_view name) {
  constexpr std::pair<std::string_view, SyntheticPods> names[] = {
      {"unknown", SyntheticPods::Unknown}, {"missing", SyntheticPods::Missing},
      {"healthy", SyntheticPods::Healthy}, {"one-fault", SyntheticPods::OneFault},
      {"faulty", SyntheticPods::Faulty},
  };
  for (const auto& [known, pods] : names) {
    if (known == name) return pods;
  }
  return std::nullopt;
}

void write_synthetic(const SyntheticShape& shape,
                     const std::function<void(std::string_view)>& write) {
  write_list(write, [&](const auto& item) {
    for (std::size_t i = 0; i < shape.nodes; ++i) item(node(i));
    write_workload(shape, item);
  });
}

std::string synthetic_nodes(std::size_t nodes) {
  return text_of([&](const auto& item) {
    for (std::size_t i = 0; i < nodes; ++i) item(node(i));
  });
}

std::string synthetic_workload(std::size_t nodes, std::size_t daemon_sets) {
  return text_of([&](const auto& item) {
    write_workload({nodes, daemon_sets, SyntheticPods::Healthy}, item);
  });
}

}  // namespace dsdoctor::testing
