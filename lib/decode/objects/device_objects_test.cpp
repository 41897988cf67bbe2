// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/documents.h"

namespace dsdoctor::decode {
namespace {

model::Cluster cluster_in(const std::string& yaml) {
  ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  const base::Status status = read_documents(yaml, "in.yaml", builder, warnings);
  INFO((status ? std::string() : base::to_string(status.error())));
  REQUIRE(status);
  return builder.build();
}

}  // namespace

TEST_CASE("claims, slices and rules of devices are read", "[decode][devices]") {
  const model::Cluster cluster = cluster_in(R"(
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: maintenance}
spec:
  deviceSelector: {driver: gpu.example.com, pool: n1, new: field}
  taint: {key: k, value: v, effect: NoExecute, timeAdded: "1970-01-01T00:00:09Z"}
status:
  conditions: [{type: EvictionInProgress, status: "True", message: 1 pod}]
---
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceTaintRule
metadata: {name: no-selector}
spec: {taint: {key: k, effect: None}}
---
apiVersion: resource.k8s.io/v1beta2
kind: DeviceTaintRule
metadata: {name: all-devices}
spec: {deviceSelector: {}, taint: {key: k, effect: NoSchedule}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  {name: c, namespace: x, ownerReferences: [{kind: Pod, name: p, uid: u, controller: true}]}
spec:
  devices:
    requests:
    - {name: one, exactly: {deviceClassName: gpu, tolerations: [{key: k, operator: Exists}]}}
    - {name: any, firstAvailable: [{name: small, tolerations: [{operator: Exists}]}]}
status:
  allocation:
    devices:
      results:
      - {request: one, driver: gpu.example.com, pool: n1, device: gpu-0,
         tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 3, resourceSliceCount: 1}
  devices: [{name: gpu-0, taints: [{key: sick, effect: NoSchedule}]}, {name: gpu-1}]
)");
  REQUIRE(cluster.device_taint_rules.size() == 3);
  CHECK(cluster.device_taint_rules[0].selector == model::DeviceSelector{});  // all-devices
  const model::DeviceTaintRule& rule = cluster.device_taint_rules[1];
  CHECK(rule.selector == model::DeviceSelector{"gpu.example.com", "n1", ""});
  CHECK(rule.taint == model::Taint{"k", "v", "NoExecute", {}});
  CHECK(rule.taint.time_added == model::Time(std::chrono::seconds(9)));
  CHECK(rule.conditions.at(0).message == "1 pod");
  CHECK_FALSE(cluster.device_taint_rules[2].selector);
  const model::ResourceClaim& claim = cluster.resource_claims.at(0);
  CHECK(claim.meta.controller->uid == "u");
  CHECK(claim.requests ==
        std::vector<model::DeviceRequest>{{"one", {{"k", "Exists", "", "", {}}}, {}},
                                          {"any", {}, {{"small", {{"", "Exists", "", "", {}}}}}}});
  CHECK(claim.devices ==
        std::vector<model::AllocatedDevice>{
            {"one", "gpu.example.com", "n1", "gpu-0", {{"k", "Exists", "", "NoExecute", 60}}}});
  const model::ResourceSlice& slice = cluster.resource_slices.at(0);
  CHECK(slice.node_name == "n1");
  CHECK(slice.pool == "n1");
  CHECK(slice.generation == 3);
  CHECK(slice.devices ==
        std::vector<model::Device>{{"gpu-0", {{"sick", "", "NoSchedule", {}}}}, {"gpu-1", {}}});
  CHECK_FALSE(cluster.known.device_taints);  // single objects are not all that there are
}

TEST_CASE("a rule without a valid spec selects nothing", "[decode][devices]") {
  for (const char* spec : {"none", "[]", "{deviceSelector: null}", "{new: field}"}) {
    CAPTURE(spec);
    ClusterBuilder builder;
    std::vector<model::Warning> warnings;
    const std::string head =
        "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: rule}\nspec: ";
    CHECK(read_documents(head + spec + "\n", "in.yaml", builder, warnings));
    for (const model::DeviceTaintRule& rule : builder.build().device_taint_rules) {
      CHECK_FALSE(rule.selector);
    }
  }
}

TEST_CASE("declared features are read where they are texts", "[decode]") {
  const auto features = [](const std::string& list) {
    const model::Cluster cluster = cluster_in(
        "apiVersion: v1\nkind: Node\nmetadata: {name: node}\nstatus:\n  declaredFeatures: " + list +
        "\n  nodeInfo: {kubeletVersion: v1.37.2}\n");
    CHECK(cluster.nodes.at(0).kubelet_version == "v1.37.2");
    return cluster.nodes.at(0).declared_features;
  };
  using Texts = std::vector<model::Text>;
  CHECK(features("[A, B, A]") == Texts{"A", "B", "A"});
  CHECK(features("[A, 1, {B: C}, [D], null, E]") == Texts{"A", "E"});
  CHECK(features("A").empty());
  CHECK(features("{A: true}").empty());
  CHECK(features("null").empty());
  std::string many = "[x0";
  for (int i = 1; i < 10000; ++i) many += ", x" + std::to_string(i % 700);
  CHECK(features(many + "]").size() == 10000);
}

TEST_CASE("fields of a pod that require a feature are read", "[decode]") {
  const model::Cluster cluster = cluster_in(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: x}
spec:
  hostUsers: false
  securityContext: {seccompProfile: {type: OCI}, runAsUser: 1}
  containers:
  - name: main
    restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]
    securityContext:
      privileged: true
      seccompProfile: {type: Localhost, localhostProfile: a.json}
      capabilities: {add: [SYS_ADMIN, BPF], drop: [ALL]}
    volumeMounts:
    - {name: plain, mountPath: /a}
    - {name: data, mountPath: /b, bindMountOptions: [noexec]}
  volumes:
  - {name: token, projected: {sources: [{serviceAccountToken: {path: t}}]}}
  - {name: old, projected: {sources: [{podCertificate: {keyType: ED25519}}]}}
  - name: cert
    projected: {sources: [{configMap: {name: c}}, {podCertificate: {keyType: MLDSA65}}]}
)");
  const model::PodSpec& spec = *cluster.pods.at(0).spec;
  CHECK(spec.host_users == false);
  CHECK(spec.seccomp_type == "OCI");
  const model::Container& main = spec.containers.at(0);
  CHECK(main.restart_actions == std::vector<model::Text>{"RestartAllContainers"});
  CHECK(main.seccomp_type == "Localhost");
  CHECK(main.seccomp_profile == "a.json");
  CHECK(main.added_capabilities == std::vector<model::Text>{"SYS_ADMIN", "BPF"});
  CHECK(main.dropped_capabilities == std::vector<model::Text>{"ALL"});
  CHECK(main.privileged);
  CHECK(main.mounts ==
        std::vector<model::VolumeMount>{{.name = "plain", .bind_options = {}},
                                        {.name = "data", .bind_options = {"noexec"}}});
  REQUIRE(spec.volumes.size() == 1);
  CHECK(spec.volumes[0].name == "cert");
  CHECK(spec.volumes[0].certificate_key == "MLDSA65");
}

TEST_CASE("only the names of drivers are read from arguments and environment", "[decode]") {
  const model::Cluster cluster = cluster_in(R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: d, namespace: x}
spec:
  template:
    spec:
      containers:
      - name: main
        command: [/bin/csi, --password=plugins, "--driver-name=one.example.com"]
        args:
        - "--kubelet-registration-path=/var/lib/kubelet/plugins/two.example.com/csi.sock"
        - '--endpoint=unix://C:\var\lib\kubelet\plugins\three.example.com\csi.sock'
        - --drivername=one.example.com
        - "--kubelet-registration-path=/var/lib/kubelet/plugins/$(DRIVER_NAME)/csi.sock"
        - "--volume=/var/lib/kubelet/plugins/kubernetes.io/csi"
        - "--folder=/var/lib/kubelet/plugins/"
        - "--drivername="
        env:
        - {name: DRIVER_NAME, value: four.example.com}
        - {name: TOKEN, value: five.example.com}
        - {name: DRIVER_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: SOCKET, value: /var/lib/kubelet/plugins/six.example.com/csi.sock}
        volumeMounts:
        - {name: kube-api-access-x2x4q, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}
        - {name: conf, mountPath: /host, readOnly: true}
      volumes:
      - {name: conf, hostPath: {path: /etc/cni/net.d, type: Directory}}
      - {name: bin, hostPath: {path: /opt/cni/bin, type: DirectoryOrCreate}}
)");
  const model::PodSpec& spec = cluster.daemon_sets.at(0).pod_template.spec;
  const model::Container& main = spec.containers.at(0);
  CHECK(main.plugin_drivers == std::vector<model::Text>{"one.example.com", "two.example.com",
                                                        "three.example.com", "four.example.com",
                                                        "six.example.com"});
  CHECK(main.mounts ==
        std::vector<model::VolumeMount>{{.name = "conf", .read_only = true, .bind_options = {}}});
  CHECK(spec.volumes.at(0).must_exist);
  CHECK_FALSE(spec.volumes.at(1).must_exist);
}

}  // namespace dsdoctor::decode
