// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/labels.h"
#include "model/scheduling.h"
#include "model/text.h"

/// The fields of a pod's spec that decide whether it fits, starts and becomes ready. Node name,
/// node selector, required node affinity, tolerations and host network are in Pod and PodTemplate
/// themselves. Source of truth: k8s.io/api/core/v1/types.go.
namespace dsdoctor::model {

/// A label selector, such as spec.selector: all labels and all expressions must match. Operators of
/// expressions are In, NotIn, Exists and DoesNotExist.
struct LabelSelector {
  Labels match_labels;
  std::vector<NodeSelectorRequirement> match_expressions;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

struct ContainerPort {
  std::int64_t container_port = 0;
  std::int64_t host_port = 0;  // 0: none
  Text protocol;               // empty means TCP
  Text host_ip;                // empty means 0.0.0.0

  friend bool operator==(const ContainerPort&, const ContainerPort&) = default;
};

/// Times in seconds, thresholds in attempts; 0 if not specified.
struct Probe {
  Text handler;  // "httpGet /healthz:8080", "exec", "tcpSocket :80", "grpc :9000"
  std::int64_t initial_delay = 0;
  std::int64_t period = 0;
  std::int64_t success_threshold = 0;
  std::int64_t failure_threshold = 0;

  friend bool operator==(const Probe&, const Probe&) = default;
};

/// volumeMounts[], without those of service account tokens, whose names are random.
struct VolumeMount {
  Text name;
  bool read_only = false;
  bool of_token = false;  // such a mount; it is not kept
  std::vector<Text> bind_options;

  friend bool operator==(const VolumeMount&, const VolumeMount&) = default;
};

struct Container {
  Text name;
  Text image;
  Text image_pull_policy;
  Text restart_policy;  // "Always" makes an init container a sidecar
  Labels requests;      // resource name -> quantity, as written
  Labels limits;
  std::vector<ContainerPort> ports;
  std::optional<Probe> startup_probe;
  std::optional<Probe> readiness_probe;
  std::optional<Probe> liveness_probe;
  bool privileged = false;
  Text seccomp_type = {};     // securityContext.seccompProfile.type
  Text seccomp_profile = {};  // securityContext.seccompProfile.localhostProfile
  std::vector<Text> added_capabilities = {};
  std::vector<Text> dropped_capabilities = {};
  std::vector<Text> restart_actions = {};  // restartPolicyRules[].action
  std::vector<VolumeMount> mounts = {};
  /// The CSI and DRA drivers that command, arguments and environment name: by the socket in the
  /// kubelet's folder of plugins, or a parameter for the driver's name. Nothing else of them is
  /// kept, because they can hold passwords.
  std::vector<Text> plugin_drivers = {};

  friend bool operator==(const Container&, const Container&) = default;
};

/// A volume whose source can prevent a pod from starting, or shows the purpose of the pod.
/// Projected, emptyDir and downwardAPI volumes are left out, except projected ones with
/// `certificate_key`.
struct Volume {
  Text name;
  Text kind;    // as in the API: hostPath, secret, configMap, persistentVolumeClaim, ephemeral, csi
  Text source;  // the path, the object's name, the driver
  bool read_only = false;
  bool optional = false;      // of a secret or config map
  bool must_exist = false;    // a hostPath that the kubelet checks instead of creating it
  Text certificate_key = {};  // projected.sources[].podCertificate.keyType, if it is an ML-DSA key

  friend bool operator==(const Volume&, const Volume&) = default;
};

/// A required term of inter-pod affinity or anti-affinity.
struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;  // absent matches nothing
  Text topology_key;
  std::vector<Text> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::vector<Text> match_label_keys;
  std::vector<Text> mismatch_label_keys;

  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

struct TopologySpreadConstraint {
  Text topology_key;
  std::int64_t max_skew = 0;
  Text when_unsatisfiable;  // DoNotSchedule is the hard one
  std::optional<LabelSelector> label_selector;
  std::optional<std::int64_t> min_domains;
  Text node_affinity_policy;  // empty means Honor
  Text node_taints_policy;    // empty means Ignore
  std::vector<Text> match_label_keys;

  friend bool operator==(const TopologySpreadConstraint&,
                         const TopologySpreadConstraint&) = default;
};

/// spec.resourceClaims[]: one of the two names.
struct PodResourceClaim {
  Text name;
  Text claim_name;
  Text template_name;

  friend bool operator==(const PodResourceClaim&, const PodResourceClaim&) = default;
};

struct PodSpec {
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  std::vector<Volume> volumes;
  Labels overhead;                 // spec.overhead
  std::optional<Labels> requests;  // spec.resources, of the pod as a whole
  std::optional<Labels> limits;
  std::vector<PodAffinityTerm> pod_affinity;       // required terms only
  std::vector<PodAffinityTerm> pod_anti_affinity;  // required terms only
  std::vector<TopologySpreadConstraint> topology_spread;
  std::vector<PodResourceClaim> resource_claims;
  std::vector<Text> scheduling_gates;
  std::vector<Text> readiness_gates;
  std::vector<Text> image_pull_secrets;
  Text service_account;
  Text scheduler_name;  // empty means default-scheduler
  Text runtime_class;
  Text priority_class;
  Text preemption_policy;  // empty means PreemptLowerPriority
  std::optional<std::int64_t> priority;
  std::optional<std::int64_t> grace_seconds;  // terminationGracePeriodSeconds
  Text pod_group;                             // spec.schedulingGroup.podGroupName
  Text workload;                              // spec.workloadRef.name; only of Kubernetes 1.35
  Text os;                                    // spec.os.name
  bool host_pid = false;
  bool host_ipc = false;
  std::optional<bool> host_users = {};
  Text seccomp_type = {};     // securityContext.seccompProfile.type
  Text seccomp_profile = {};  // securityContext.seccompProfile.localhostProfile

  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

}  // namespace dsdoctor::model
