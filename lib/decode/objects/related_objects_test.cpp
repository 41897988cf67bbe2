// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/documents.h"
#include "decode/objects/toleration_text.h"

namespace dsdoctor::decode {
namespace {

struct ReadObjects {
  model::Cluster cluster;
  std::vector<model::Warning> warnings;
};

/// Reads hand-written YAML documents.
ReadObjects read_objects(const std::string& yaml) {
  ClusterBuilder builder;
  ReadObjects result;
  const base::Status status = read_documents(yaml, "in.yaml", builder, result.warnings);
  INFO((status ? std::string() : base::to_string(status.error())));
  REQUIRE(status);
  for (auto& warning : builder.take_warnings()) result.warnings.push_back(std::move(warning));
  result.cluster = builder.build();
  return result;
}

model::Time at(std::int64_t seconds) { return model::Time(std::chrono::seconds(seconds)); }

}  // namespace

TEST_CASE("times and counts are read from both event APIs", "[decode]") {
  const auto found = read_objects(R"(
apiVersion: v1
kind: Event
metadata: {name: a, namespace: x}
involvedObject: {kind: Pod, namespace: x, name: p, uid: u1, fieldPath: "spec.containers{main}"}
reason: BackOff
message: again
type: Warning
source: {component: kubelet, host: n1}
firstTimestamp: "1970-01-01T00:00:10Z"
lastTimestamp: "1970-01-01T00:00:20Z"
count: 7
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: b, namespace: x, creationTimestamp: "1970-01-01T00:00:01Z"}
regarding: {kind: Pod, namespace: x, name: p, fieldPath: "spec.initContainers{setup}"}
reason: FailedScheduling
note: "no"
type: Warning
reportingController: default-scheduler
eventTime: "1970-01-01T00:00:30.500000Z"
deprecatedLastTimestamp: null
series: {count: 40, lastObservedTime: "1970-01-01T00:01:00Z"}
---
apiVersion: v1
kind: Event
metadata: {name: c, namespace: x}
reason: Lonely
)");
  for (const auto& warning : found.warnings) UNSCOPED_INFO(warning.where + ": " + warning.what);
  REQUIRE(found.cluster.events.size() == 2);
  const model::Event& old = found.cluster.events[0];
  CHECK(old.first == at(10));
  CHECK(old.last == at(20));
  CHECK(old.count == 7);
  CHECK(old.component == "kubelet");
  CHECK(old.host == "n1");
  CHECK(old.field_path == "spec.containers{main}");
  const model::Event& series = found.cluster.events[1];
  CHECK(series.first == model::Time(std::chrono::milliseconds(30500)));
  CHECK(series.last == at(60));
  CHECK(series.count == 40);
  CHECK(series.component == "default-scheduler");
  CHECK(series.message == "no");
  CHECK(series.field_path == "spec.initContainers{setup}");
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0] ==
        model::Warning{"in.yaml", "1 event without involvedObject.name ignored"});
  CHECK_FALSE(found.cluster.known.events);  // single objects are not a list
  CHECK_FALSE(found.cluster.known.leases);
}

TEST_CASE("an invalid object around a DaemonSet does not affect others", "[decode]") {
  const auto found = read_objects(R"(
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: x}
status: {hard: {pods: 10}, used: [1]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: r, namespace: x}
spec: {hard: {pods: "10"}, scopeSelector: {matchExpressions: [
  {scopeName: PriorityClass, operator: In, values: [high]}]}}
)");
  REQUIRE(found.cluster.resource_quotas.size() == 1);
  CHECK(found.cluster.resource_quotas[0].hard == model::Labels{{"pods", "10"}});
  CHECK(found.cluster.resource_quotas[0].scope_selector[0].values[0] == "high");
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0].where == "in.yaml ResourceQuota/x/q status.used");
  CHECK(found.warnings[0].what == "expected an object, found an array; ignored");
}

TEST_CASE("managedFields of a node are read", "[decode]") {
  const auto found = read_objects(R"(
apiVersion: v1
kind: Node
metadata:
  name: n1
  managedFields:
  - {manager: kubectl-label, operation: Update, time: "1970-01-01T00:00:05Z", fieldsV1: {
      "f:metadata": {"f:labels": {".": {}, "f:example.com/a.b": {}}}, "f:spec": {"f:taints": {}}}}
  - {manager: odd, operation: Update, fieldsV1: "unknown format"}
)");
  REQUIRE(found.cluster.nodes.size() == 1);
  const auto& managers = found.cluster.nodes[0].meta.managers;
  REQUIRE(managers.size() == 2);
  CHECK(managers[0].time == at(5));
  CHECK(managers[0].labels == std::vector<model::Text>{"example.com/a.b"});
  CHECK(managers[0].taints);
  CHECK(managers[1].manager == "odd");
}

TEST_CASE("all pod fields that a diagnosis needs are read", "[decode]") {
  const auto found = read_objects(R"(
apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: x
  annotations: {kubernetes.io/config.mirror: abc}
  finalizers: [example.com/wait]
  deletionTimestamp: "1970-01-01T00:01:00Z"
  deletionGracePeriodSeconds: 30
  managedFields:
  - {manager: kubelet, operation: Update, time: "1970-01-01T00:00:07Z", fieldsV1: {"f:status": {}}}
  - {manager: old, operation: Update, time: "1970-01-01T00:00:05Z"}
  - {manager: odd, operation: Update, time: never, fieldsV1: "unknown format"}
spec:
  nodeSelector: {a: b}
  tolerations: [{key: k, operator: Exists}]
  hostNetwork: true
  hostPID: true
  priority: -5
  priorityClassName: low
  preemptionPolicy: Never
  schedulerName: mine
  serviceAccountName: sa
  runtimeClassName: gvisor
  terminationGracePeriodSeconds: 600
  overhead: {cpu: 250m}
  resources: {requests: {cpu: 1}}
  os: {name: linux}
  schedulingGates: [{name: g}]
  readinessGates: [{conditionType: t}]
  imagePullSecrets: [{name: s}]
  resourceClaims: [{name: c, resourceClaimTemplateName: ct}]
  volumes:
  - {name: h, hostPath: {path: /var/log}}
  - {name: s, secret: {secretName: keys, optional: true}}
  - {name: m, configMap: {name: conf}}
  - {name: v, persistentVolumeClaim: {claimName: data, readOnly: true}}
  - {name: e, emptyDir: {}}
  initContainers:
  - {name: side, restartPolicy: Always, image: i}
  containers:
  - name: main
    image: img
    imagePullPolicy: Never
    resources: {requests: {cpu: 100m, memory: 1Gi}, limits: {memory: 2Gi}}
    ports: [{containerPort: 80, hostPort: 8080, protocol: UDP, hostIP: 10.0.0.1}]
    securityContext: {privileged: true}
    readinessProbe: {httpGet: {path: '/healthz?token=x', port: http}, periodSeconds: 10, failureThreshold: 3}
    livenessProbe: {tcpSocket: {port: 80}, initialDelaySeconds: 5}
    startupProbe: {exec: {command: ["true"]}}
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}, namespaces: [other]}
  topologySpreadConstraints:
  - {topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, minDomains: 2}
status:
  phase: Running
  nominatedNodeName: n2
  qosClass: Burstable
  startTime: "1970-01-01T00:00:50Z"
  initContainerStatuses: [{name: side, started: true, ready: true}]
  containerStatuses:
  - name: main
    restartCount: 4
    state: {waiting: {reason: CrashLoopBackOff, message: back-off}}
    lastState: {terminated: {exitCode: 137, reason: OOMKilled, finishedAt: "1970-01-01T00:00:55Z"}}
    allocatedResources: {cpu: 200m}
    resources: {}
  allocatedResources: {cpu: 3}
  resources: {requests: {cpu: 2}}
)");
  REQUIRE(found.cluster.pods.size() == 1);
  CHECK(found.warnings.empty());
  const model::Pod& pod = found.cluster.pods[0];
  CHECK(pod.mirror);
  CHECK(pod.meta.finalizers == std::vector<model::Text>{"example.com/wait"});
  CHECK(pod.meta.grace_seconds == 30);
  CHECK(pod.meta.managers.empty());
  CHECK(pod.last_write == at(7));
  CHECK(pod.node_selector == model::Labels{{"a", "b"}});
  CHECK(pod.tolerations->size() == 1);
  CHECK(pod.host_network);
  CHECK(pod.nominated_node == "n2");
  CHECK(pod.qos_class == "Burstable");
  CHECK(pod.start_time == at(50));
  const model::PodSpec& spec = *pod.spec;
  CHECK(spec.host_pid);
  CHECK(spec.priority == -5);
  CHECK(spec.priority_class == "low");
  CHECK(spec.preemption_policy == "Never");
  CHECK(spec.scheduler_name == "mine");
  CHECK(spec.service_account == "sa");
  CHECK(spec.runtime_class == "gvisor");
  CHECK(spec.grace_seconds == 600);
  CHECK(spec.overhead == model::Labels{{"cpu", "250m"}});
  CHECK(spec.requests == model::Labels{{"cpu", "1"}});
  CHECK(spec.os == "linux");
  CHECK(spec.scheduling_gates.size() == 1);
  CHECK(spec.readiness_gates.size() == 1);
  CHECK(spec.image_pull_secrets.size() == 1);
  CHECK(spec.resource_claims[0].template_name == "ct");
  REQUIRE(spec.volumes.size() == 4);
  CHECK(spec.volumes[0] == model::Volume{"h", "hostPath", "/var/log", false, false});
  CHECK(spec.volumes[1] == model::Volume{"s", "secret", "keys", false, true});
  CHECK(spec.volumes[2] == model::Volume{"m", "configMap", "conf", false, false});
  CHECK(spec.volumes[3] == model::Volume{"v", "persistentVolumeClaim", "data", true, false});
  CHECK(spec.init_containers[0].restart_policy == "Always");
  const model::Container& main = spec.containers.at(0);
  CHECK(main.requests == model::Labels{{"cpu", "100m"}, {"memory", "1Gi"}});
  CHECK(main.limits == model::Labels{{"memory", "2Gi"}});
  CHECK(main.ports[0] == model::ContainerPort{80, 8080, "UDP", "10.0.0.1"});
  CHECK(main.privileged);
  CHECK(main.readiness_probe == model::Probe{"httpGet /healthz:http", 0, 10, 0, 3});
  CHECK(main.liveness_probe == model::Probe{"tcpSocket :80", 5, 0, 0, 0});
  CHECK(main.startup_probe == model::Probe{"exec", 0, 0, 0, 0});
  CHECK(spec.pod_anti_affinity.at(0).namespaces == std::vector<model::Text>{"other"});
  CHECK(spec.topology_spread.at(0).min_domains == 2);
  const model::ContainerStatus& status = pod.statuses[0];
  CHECK(status.waiting->reason == "CrashLoopBackOff");
  CHECK(status.last_terminated->reason == "OOMKilled");
  CHECK(status.last_terminated->finished == at(55));
  CHECK(status.restart_count == 4);
  CHECK(status.allocated_resources == model::Labels{{"cpu", "200m"}});
  CHECK(status.requests == model::Labels{});
  CHECK(pod.init_statuses[0].requests == std::nullopt);
  CHECK(pod.resized_requests == model::Labels{{"cpu", "2"}});
  CHECK(pod.allocated_resources == model::Labels{{"cpu", "3"}});
  CHECK(pod.init_statuses[0].started == true);
}

TEST_CASE("an annotation without tolerations adds none", "[decode]") {
  for (const char* text : {"", "{}", "null", "[", "[1]", R"([{"key": 1}])", R"(["Exists"])",
                           R"([{"operator": "Exists"}, {"effect": {}}])"}) {
    CAPTURE(text);
    CHECK(decode::parse_tolerations(text).empty());
  }
  CHECK(decode::parse_tolerations(R"([{"key": null, "operator": "Exists"}])") ==
        std::vector<model::Toleration>{{"", "Exists", "", ""}});
}

TEST_CASE("the pods of one DaemonSet share their spec", "[decode]") {
  std::string yaml;
  for (const char* name : {"a", "b"}) {
    yaml += std::string("---\napiVersion: v1\nkind: Pod\nmetadata: {name: ") + name +
            ", namespace: x, ownerReferences: [{kind: DaemonSet, name: d, uid: u, controller: "
            "true}]}\nspec: {nodeName: n-" +
            name + ", containers: [{name: main, image: i}]}\n";
  }
  const auto found = read_objects(yaml);
  REQUIRE(found.cluster.pods.size() == 2);
  CHECK(&*found.cluster.pods[0].spec == &*found.cluster.pods[1].spec);
  CHECK(found.cluster.pods[0].node_name != found.cluster.pods[1].node_name);
}

TEST_CASE("classes and claims and leases and roles are read", "[decode]") {
  const auto found = read_objects(R"(
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high, namespace: junk}
value: 1000
globalDefault: true
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: gvisor}
handler: runsc
overhead: {podFixed: {cpu: 100m}}
scheduling: {nodeSelector: {sandbox: "yes"}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: lr, namespace: x}
spec: {limits: [{type: Container, max: {cpu: 2}, default: {cpu: 1}, defaultRequest: {cpu: 500m}}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c, namespace: x, annotations: {volume.kubernetes.io/selected-node: n1}}
spec: {volumeName: pv, storageClassName: fast, accessModes: [ReadWriteOnce]}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv}
spec:
  csi: {driver: d}
  claimRef: {namespace: x, name: c}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: d
volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}]
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: n1}
spec: {drivers: [{name: d, allocatable: {count: 3}}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpus}
spec: {extendedResourceName: example.com/gpu, selectors: [{cel: {expression: "true"}}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: pay, namespace: x}
spec: {minAvailable: 1, selector: {matchLabels: {app: pay}}}
status: {disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3}
---
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: agents, namespace: x}
spec:
  parentCompositePodGroupName: all
  schedulingPolicy: {gang: {minCount: 5, later: {}}}
  unknown: [1]
status: {conditions: [{type: PodGroupScheduled, status: "False", reason: Unschedulable, message: m}]}
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: loose, namespace: x}
spec: {schedulingPolicy: {basic: {}}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: other, namespace: x}
spec: {minMember: 3}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: kube-scheduler, namespace: kube-system}
spec: {holderIdentity: h, leaseDurationSeconds: 15, renewTime: "1970-01-01T00:00:09.5Z"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: r}
rules: [{apiGroups: [apps], resources: [daemonsets], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: b}
roleRef: {name: r, kind: ClusterRole}
subjects: [{kind: ServiceAccount, namespace: kube-system, name: daemon-set-controller}]
---
apiVersion: v1
kind: Namespace
metadata:
  name: x
  annotations:
    scheduler.alpha.kubernetes.io/defaultTolerations: '[{"key": "gpu", "operator": "Equal",
      "value": "a", "effect": "NoExecute", "tolerationSeconds": 5}, {"operator": "Exists"}]'
status: {phase: Terminating}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: sa, namespace: x}
imagePullSecrets: [{name: s}]
)");
  CHECK(found.warnings.empty());
  const model::Cluster& cluster = found.cluster;
  CHECK(cluster.priority_classes.at(0).value == 1000);
  CHECK(cluster.priority_classes.at(0).global_default);
  CHECK(cluster.priority_classes.at(0).meta.ns.empty());
  CHECK(cluster.runtime_classes.at(0).overhead == model::Labels{{"cpu", "100m"}});
  CHECK(cluster.runtime_classes.at(0).node_selector == model::Labels{{"sandbox", "yes"}});
  CHECK(cluster.limit_ranges.at(0).limits.at(0).default_request == model::Labels{{"cpu", "500m"}});
  CHECK(cluster.claims.at(0).selected_node == "n1");
  CHECK(cluster.claims.at(0).phase == "Bound");
  CHECK(cluster.volumes.at(0).driver == "d");
  CHECK(cluster.volumes.at(0).node_affinity->terms.at(0).match_expressions.at(0).key == "zone");
  CHECK(cluster.storage_classes.at(0).allowed_topologies.at(0).match_expressions.at(0).op == "In");
  CHECK(cluster.csi_nodes.at(0).drivers.at(0).limit == 3);
  CHECK(cluster.device_classes.at(0).extended_resource == "example.com/gpu");
  CHECK(cluster.disruption_budgets.at(0).selector->match_labels.find("app")->view() == "pay");
  CHECK(cluster.disruption_budgets.at(0).disruptions_allowed == 2);
  REQUIRE(cluster.pod_groups.size() == 2);
  CHECK(cluster.pod_groups[0].min_count == 5);
  CHECK(cluster.pod_groups[0].parent == "all");
  CHECK(cluster.pod_groups[0].conditions.at(0).message == "m");
  CHECK_FALSE(cluster.pod_groups[1].min_count);
  CHECK(cluster.leases.at(0).renewed == model::Time(std::chrono::milliseconds(9500)));
  CHECK(cluster.cluster_roles.at(0).rules.at(0).verbs.at(0) == "get");
  CHECK(cluster.cluster_role_bindings.at(0).subjects.at(0).name == "daemon-set-controller");
  CHECK(cluster.namespaces.at(0).phase == "Terminating");
  CHECK(cluster.namespaces.at(0).default_tolerations ==
        std::vector<model::Toleration>{{"gpu", "Equal", "a", "NoExecute", 5},
                                       {"", "Exists", "", ""}});
  CHECK(cluster.service_accounts.at(0).image_pull_secrets.at(0) == "s");
}

TEST_CASE("quantities keep their notation without blanks around it", "[decode]") {
  const auto found = read_objects(R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": 1.50 , "memory": " 1Gi  ", "pods": "110", "x/y": " "
    }}})");
  CHECK(found.warnings.empty());
  CHECK(found.cluster.nodes.at(0).allocatable ==
        model::Labels{{"cpu", "1.50"}, {"memory", "1Gi"}, {"pods", "110"}, {"x/y", ""}});
}

TEST_CASE("the PodGroup or Workload that a pod names is read", "[decode]") {
  const auto found = read_objects(R"(
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: x}
spec: {schedulingGroup: {podGroupName: agents, later: 1}}
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: x}
spec: {workloadRef: {name: w, podGroup: g}}
---
apiVersion: v1
kind: Pod
metadata: {name: c, namespace: x}
spec: {schedulingGroup: {podGroupName: ""}}
---
apiVersion: v1
kind: Pod
metadata: {name: d, namespace: x}
spec: {schedulingGroup: {}}
)");
  CHECK(found.warnings.empty());
  const auto& pods = found.cluster.pods;
  REQUIRE(pods.size() == 4);
  CHECK(pods[0].spec->pod_group == "agents");
  CHECK(pods[1].spec->workload == "w");
  CHECK(pods[2].spec->pod_group.empty());
  CHECK(pods[3].spec->pod_group.empty());
}

}  // namespace dsdoctor::decode
