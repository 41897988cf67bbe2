// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/labels.h"
#include "model/meta.h"
#include "model/pod_spec.h"
#include "model/scheduling.h"
#include "model/shared.h"

/// The objects around a DaemonSet that admit, place or block its pods, with the fields that a
/// diagnosis reads. Source of truth: k8s.io/api v0.36.2.
namespace dsdoctor::model {

/// An event of either API; both are views of one stored object.
struct Event {
  ObjectMeta meta;
  Text kind;  // of the involved object
  Text ns;
  Text name;
  Text uid;         // empty or the node's name if a kubelet reports about a node
  Text field_path;  // part of the object: "spec.containers{main}"
  Text type;        // Normal, Warning
  Text reason;
  Text message;
  Text component;  // the reporting component: source.component, else reportingComponent
  Text host;       // source.host: the node of a kubelet
  OptionalTime first;
  OptionalTime last;
  std::int64_t count = 1;  // a lower bound

  friend bool operator==(const Event&, const Event&) = default;
};

struct Namespace {
  ObjectMeta meta;
  Labels annotations;
  Text phase;  // Active, Terminating
  // From the annotation scheduler.alpha.kubernetes.io/defaultTolerations.
  std::vector<Toleration> default_tolerations;

  friend bool operator==(const Namespace&, const Namespace&) = default;
};

struct ResourceQuota {
  ObjectMeta meta;
  Labels hard;  // status.hard, else spec.hard
  Labels used;
  std::vector<Text> scopes;
  std::vector<NodeSelectorRequirement> scope_selector;  // for example PriorityClass In [...]

  friend bool operator==(const ResourceQuota&, const ResourceQuota&) = default;
};

struct LimitRangeItem {
  Text type;  // Container, Pod
  Labels min;
  Labels max;
  Labels default_limit;    // default
  Labels default_request;  // defaultRequest
  Labels max_ratio;        // maxLimitRequestRatio

  friend bool operator==(const LimitRangeItem&, const LimitRangeItem&) = default;
};

struct LimitRange {
  ObjectMeta meta;
  std::vector<LimitRangeItem> limits;

  friend bool operator==(const LimitRange&, const LimitRange&) = default;
};

struct PriorityClass {
  ObjectMeta meta;
  std::int64_t value = 0;
  bool global_default = false;
  Text preemption_policy;

  friend bool operator==(const PriorityClass&, const PriorityClass&) = default;
};

struct RuntimeClass {
  ObjectMeta meta;
  Text handler;
  Labels overhead;  // overhead.podFixed
  Labels node_selector;
  std::vector<Toleration> tolerations;

  friend bool operator==(const RuntimeClass&, const RuntimeClass&) = default;
};

struct ServiceAccount {
  ObjectMeta meta;
  std::vector<Text> image_pull_secrets;

  friend bool operator==(const ServiceAccount&, const ServiceAccount&) = default;
};

struct PersistentVolumeClaim {
  ObjectMeta meta;
  std::vector<Text> access_modes;
  Text volume_name;
  Text storage_class;
  Text phase;          // Pending, Bound, Lost
  Text selected_node;  // annotation volume.kubernetes.io/selected-node
  Labels requests;

  friend bool operator==(const PersistentVolumeClaim&, const PersistentVolumeClaim&) = default;
};

struct PersistentVolume {
  ObjectMeta meta;
  SharedOptional<NodeSelector> node_affinity;
  std::vector<Text> access_modes;
  Text storage_class;
  Text phase;
  Text driver;  // spec.csi.driver
  Text claim_ns;
  Text claim_name;
  Labels capacity;

  friend bool operator==(const PersistentVolume&, const PersistentVolume&) = default;
};

struct StorageClass {
  ObjectMeta meta;
  Text provisioner;
  Text binding_mode;  // Immediate (also if empty) or WaitForFirstConsumer
  std::vector<NodeSelectorTerm> allowed_topologies;  // as requirements with operator In

  friend bool operator==(const StorageClass&, const StorageClass&) = default;
};

struct CsiDriverOnNode {
  Text name;
  std::optional<std::int64_t> limit;  // number of volumes that can be attached to the node

  friend bool operator==(const CsiDriverOnNode&, const CsiDriverOnNode&) = default;
};

struct CsiNode {
  ObjectMeta meta;
  std::vector<CsiDriverOnNode> drivers;

  friend bool operator==(const CsiNode&, const CsiNode&) = default;
};

/// A class of devices that claims allocate.
struct DeviceClass {
  ObjectMeta meta;
  Text extended_resource;  // the name with which containers can request devices; may be empty

  friend bool operator==(const DeviceClass&, const DeviceClass&) = default;
};

/// Selects devices that have all names that are not empty.
struct DeviceSelector {
  Text driver;
  Text pool;
  Text device;

  friend bool operator==(const DeviceSelector&, const DeviceSelector&) = default;
};

/// A taint of all selected devices.
struct DeviceTaintRule {
  ObjectMeta meta;
  std::optional<DeviceSelector> selector;  // absent selects nothing
  Taint taint;                             // effect: NoSchedule, NoExecute or None
  std::vector<Condition> conditions;       // EvictionInProgress

  friend bool operator==(const DeviceTaintRule&, const DeviceTaintRule&) = default;
};

/// A device that was chosen for a claim, with the tolerations of its request at that time.
struct AllocatedDevice {
  Text request;
  Text driver;
  Text pool;
  Text device;
  std::vector<Toleration> tolerations;

  friend bool operator==(const AllocatedDevice&, const AllocatedDevice&) = default;
};

struct DeviceSubRequest {
  Text name;
  std::vector<Toleration> tolerations;

  friend bool operator==(const DeviceSubRequest&, const DeviceSubRequest&) = default;
};

/// A request for devices: `exactly`, or the first of a list that can be satisfied.
struct DeviceRequest {
  Text name;
  std::vector<Toleration> tolerations;  // of `exactly`
  std::vector<DeviceSubRequest> first_available;

  friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

struct ResourceClaim {
  ObjectMeta meta;  // the controller is the pod for which the claim was made of a template
  std::vector<DeviceRequest> requests;
  std::vector<AllocatedDevice> devices;  // status.allocation.devices.results

  friend bool operator==(const ResourceClaim&, const ResourceClaim&) = default;
};

struct Device {
  Text name;
  std::vector<Taint> taints;  // of its driver

  friend bool operator==(const Device&, const Device&) = default;
};

/// Devices that a driver offers.
struct ResourceSlice {
  ObjectMeta meta;
  Text driver;
  Text node_name;  // empty: not of a single node
  Text pool;
  std::int64_t generation = 0;  // of the pool: slices of older ones are out of date
  std::vector<Device> devices;

  friend bool operator==(const ResourceSlice&, const ResourceSlice&) = default;
};

/// Limits the number of selected pods that can be evicted.
struct PodDisruptionBudget {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;  // absent selects nothing
  std::int64_t disruptions_allowed = 0;   // currently

  friend bool operator==(const PodDisruptionBudget&, const PodDisruptionBudget&) = default;
};

/// Pods that the scheduler places together. With the policy Gang it does so once `min_count` of
/// them fit at the same time.
struct PodGroup {
  ObjectMeta meta;
  std::optional<std::int64_t> min_count;  // schedulingPolicy.gang.minCount; absent: policy Basic
  Text parent;                            // parentCompositePodGroupName; may be empty
  std::vector<Condition> conditions;

  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

struct Lease {
  ObjectMeta meta;
  Text holder;
  std::int64_t duration = 0;  // seconds
  OptionalTime renewed;

  friend bool operator==(const Lease&, const Lease&) = default;
};

struct PolicyRule {
  std::vector<Text> verbs;
  std::vector<Text> api_groups;
  std::vector<Text> resources;
  std::vector<Text> resource_names;

  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

struct ClusterRole {
  ObjectMeta meta;
  std::vector<PolicyRule> rules;

  friend bool operator==(const ClusterRole&, const ClusterRole&) = default;
};

struct RbacSubject {
  Text kind;  // User, Group, ServiceAccount
  Text ns;
  Text name;

  friend bool operator==(const RbacSubject&, const RbacSubject&) = default;
};

struct ClusterRoleBinding {
  ObjectMeta meta;
  Text role;
  std::vector<RbacSubject> subjects;

  friend bool operator==(const ClusterRoleBinding&, const ClusterRoleBinding&) = default;
};

}  // namespace dsdoctor::model
