// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/cluster.h"
#include "model/pod_fields.h"

/// The place of each member in the JSON of the API, and the names that it may contain. The JSON
/// reader and writer (decode/objects), redaction and the tests that fill in every text follow these
/// lists. This file describes the objects around a DaemonSet, and the cluster as a whole.
/// Source of truth: k8s.io/api v0.36.2.
namespace dsdoctor::model::description {

/// An event of `v1`; object_reader.cpp reads times and counts of `events.k8s.io` and of other
/// writers.
template <>
inline constexpr auto fields<Event> = std::tuple(
    object("metadata", part<&Event::meta>()),
    object("involvedObject", field<&Event::kind>("kind"),
           field<&Event::ns>("namespace", Holds::Namespace),
           field<&Event::name>("name", Holds::OwnName), field<&Event::uid>("uid", Holds::Uid),
           field<&Event::field_path>("fieldPath", Holds::ByHand)),
    field<&Event::type>("type"), field<&Event::reason>("reason"),
    field<&Event::message>("message", Holds::Message),
    object("source", field<&Event::component>("component", Holds::Program),
           field<&Event::host>("host", Holds::Node)),
    field<&Event::first>("firstTimestamp"), field<&Event::last>("lastTimestamp"),
    field<&Event::count, Int32>("count"));

template <>
inline constexpr auto fields<Namespace> = std::tuple(
    object("metadata", part<&Namespace::meta>(),
           field<&Namespace::annotations>("annotations", Holds::ByHand)),
    object("status", field<&Namespace::phase>("phase")), hidden<&Namespace::default_tolerations>());

/// `hard`: from the spec if the status has none.
struct HardInSpec;
struct HardInStatus;
template <>
inline constexpr auto fields<ResourceQuota> = std::tuple(
    object("metadata", part<&ResourceQuota::meta>()),
    object("spec", ByHand<HardInSpec>{}, field<&ResourceQuota::scopes>("scopes"),
           object("scopeSelector",
                  called_as<&ResourceQuota::scope_selector, Scopes>("matchExpressions"))),
    object("status", ByHand<HardInStatus>{}, quantities<&ResourceQuota::used>("used")),
    hidden<&ResourceQuota::hard>());

template <>
inline constexpr auto fields<LimitRangeItem> = std::tuple(
    field<&LimitRangeItem::type>("type"), quantities<&LimitRangeItem::min>("min"),
    quantities<&LimitRangeItem::max>("max"), quantities<&LimitRangeItem::default_limit>("default"),
    quantities<&LimitRangeItem::default_request>("defaultRequest"),
    quantities<&LimitRangeItem::max_ratio>("maxLimitRequestRatio"));

template <>
inline constexpr auto fields<LimitRange> = std::tuple(object("metadata", part<&LimitRange::meta>()),
                                                      object("spec",
                                                             field<&LimitRange::limits>("limits")));

template <>
inline constexpr auto fields<PriorityClass> = std::tuple(
    object("metadata", part<&PriorityClass::meta>()), field<&PriorityClass::value, Int32>("value"),
    field<&PriorityClass::global_default>("globalDefault"),
    field<&PriorityClass::preemption_policy>("preemptionPolicy"));

template <>
inline constexpr auto fields<RuntimeClass> = std::tuple(
    object("metadata", part<&RuntimeClass::meta>()),
    field<&RuntimeClass::handler>("handler", Holds::Handler),
    object("overhead", quantities<&RuntimeClass::overhead>("podFixed")),
    object("scheduling", field<&RuntimeClass::node_selector>("nodeSelector", Holds::Value),
           field<&RuntimeClass::tolerations>("tolerations")));

template <>
inline constexpr auto fields<ServiceAccount> = std::tuple(
    object("metadata", part<&ServiceAccount::meta>()),
    each_named<&ServiceAccount::image_pull_secrets>("imagePullSecrets", "name", Holds::Object));

template <>
inline constexpr auto fields<PersistentVolumeClaim> = std::tuple(
    object("metadata", part<&PersistentVolumeClaim::meta>(),
           annotation<&PersistentVolumeClaim::selected_node>(selected_node_annotation,
                                                             Holds::Node)),
    object("spec", field<&PersistentVolumeClaim::access_modes>("accessModes"),
           field<&PersistentVolumeClaim::volume_name>("volumeName", Holds::Object),
           field<&PersistentVolumeClaim::storage_class>("storageClassName", Holds::Object),
           object("resources", quantities<&PersistentVolumeClaim::requests>("requests"))),
    object("status", field<&PersistentVolumeClaim::phase>("phase")));

template <>
inline constexpr auto fields<PersistentVolume> = std::tuple(
    object("metadata", part<&PersistentVolume::meta>()),
    object("spec", field<&PersistentVolume::access_modes>("accessModes"),
           field<&PersistentVolume::storage_class>("storageClassName", Holds::Object),
           quantities<&PersistentVolume::capacity>("capacity"),
           object("nodeAffinity", field<&PersistentVolume::node_affinity>("required")),
           object("csi", field<&PersistentVolume::driver>("driver", Holds::Driver)),
           object("claimRef", field<&PersistentVolume::claim_ns>("namespace", Holds::Namespace),
                  field<&PersistentVolume::claim_name>("name", Holds::Object))),
    object("status", field<&PersistentVolume::phase>("phase")));

template <>
inline constexpr auto fields<StorageClass> =
    std::tuple(object("metadata", part<&StorageClass::meta>()),
               field<&StorageClass::provisioner>("provisioner", Holds::Driver),
               field<&StorageClass::binding_mode>("volumeBindingMode"),
               called_as<&StorageClass::allowed_topologies, Topology>("allowedTopologies"));

template <>
inline constexpr auto fields<CsiDriverOnNode> =
    std::tuple(field<&CsiDriverOnNode::name>("name", Holds::Driver),
               object("allocatable", field<&CsiDriverOnNode::limit, Int32>("count")));

template <>
inline constexpr auto fields<CsiNode> = std::tuple(object("metadata", part<&CsiNode::meta>()),
                                                   object("spec",
                                                          field<&CsiNode::drivers>("drivers")));

template <>
inline constexpr auto fields<DeviceClass> = std::tuple(
    object("metadata", part<&DeviceClass::meta>()),
    object("spec", field<&DeviceClass::extended_resource>("extendedResourceName", Holds::Key)));

template <>
inline constexpr auto fields<DeviceSelector> =
    std::tuple(field<&DeviceSelector::driver>("driver", Holds::Driver),
               field<&DeviceSelector::pool>("pool", Holds::Value),
               field<&DeviceSelector::device>("device", Holds::Value));

template <>
inline constexpr auto fields<DeviceTaintRule> =
    std::tuple(object("metadata", part<&DeviceTaintRule::meta>()),
               object("spec", field<&DeviceTaintRule::selector>("deviceSelector"),
                      field<&DeviceTaintRule::taint>("taint")),
               object("status", field<&DeviceTaintRule::conditions>("conditions")));

template <>
inline constexpr auto fields<AllocatedDevice> =
    std::tuple(field<&AllocatedDevice::request>("request", Holds::Value),
               field<&AllocatedDevice::driver>("driver", Holds::Driver),
               field<&AllocatedDevice::pool>("pool", Holds::Value),
               field<&AllocatedDevice::device>("device", Holds::Value),
               field<&AllocatedDevice::tolerations>("tolerations"));

template <>
inline constexpr auto fields<DeviceSubRequest> =
    std::tuple(field<&DeviceSubRequest::name>("name", Holds::Value),
               field<&DeviceSubRequest::tolerations>("tolerations"));

template <>
inline constexpr auto fields<DeviceRequest> =
    std::tuple(field<&DeviceRequest::name>("name", Holds::Value),
               object("exactly", field<&DeviceRequest::tolerations>("tolerations")),
               field<&DeviceRequest::first_available>("firstAvailable"));

template <>
inline constexpr auto fields<ResourceClaim> = std::tuple(
    object("metadata", part<&ResourceClaim::meta>()),
    object("spec", object("devices", field<&ResourceClaim::requests>("requests"))),
    object("status",
           object("allocation", object("devices", field<&ResourceClaim::devices>("results")))));

template <>
inline constexpr auto fields<Device> = std::tuple(field<&Device::name>("name", Holds::Value),
                                                  field<&Device::taints>("taints"));

template <>
inline constexpr auto fields<ResourceSlice> =
    std::tuple(object("metadata", part<&ResourceSlice::meta>()),
               object("spec", field<&ResourceSlice::driver>("driver", Holds::Driver),
                      field<&ResourceSlice::node_name>("nodeName", Holds::Node),
                      object("pool", field<&ResourceSlice::pool>("name", Holds::Value),
                             field<&ResourceSlice::generation>("generation")),
                      field<&ResourceSlice::devices>("devices")));

template <>
inline constexpr auto fields<PodDisruptionBudget> = std::tuple(
    object("metadata", part<&PodDisruptionBudget::meta>()),
    object("spec", field<&PodDisruptionBudget::selector>("selector")),
    object("status",
           field<&PodDisruptionBudget::disruptions_allowed, Int32>("disruptionsAllowed")));

/// Version v1alpha2 (Kubernetes 1.36) or v1beta1 (1.37 and newer) of `scheduling.k8s.io`.
template <>
inline constexpr auto fields<PodGroup> = std::tuple(
    object("metadata", part<&PodGroup::meta>()),
    object("spec", field<&PodGroup::parent>("parentCompositePodGroupName", Holds::Object),
           object("schedulingPolicy",
                  object("gang", field<&PodGroup::min_count, Int32>("minCount")))),
    object("status", field<&PodGroup::conditions>("conditions")));

template <>
inline constexpr auto fields<Lease> =
    std::tuple(object("metadata", part<&Lease::meta>()),
               object("spec", field<&Lease::holder>("holderIdentity", Holds::ByHand),
                      field<&Lease::duration, Int32>("leaseDurationSeconds"),
                      field<&Lease::renewed>("renewTime")));

template <>
inline constexpr auto fields<PolicyRule> =
    std::tuple(field<&PolicyRule::verbs>("verbs"), field<&PolicyRule::api_groups>("apiGroups"),
               field<&PolicyRule::resources>("resources"),
               field<&PolicyRule::resource_names>("resourceNames", Holds::Object));

template <>
inline constexpr auto fields<ClusterRole> =
    std::tuple(object("metadata", part<&ClusterRole::meta>()), field<&ClusterRole::rules>("rules"));

template <>
inline constexpr auto fields<RbacSubject> = std::tuple(
    field<&RbacSubject::kind>("kind"), field<&RbacSubject::ns>("namespace", Holds::Namespace),
    field<&RbacSubject::name>("name", Holds::User));

template <>
inline constexpr auto fields<ClusterRoleBinding> =
    std::tuple(object("metadata", part<&ClusterRoleBinding::meta>()),
               object("roleRef", field<&ClusterRoleBinding::role>("name", Holds::Object)),
               field<&ClusterRoleBinding::subjects>("subjects"));

inline constexpr std::string_view rbac_v1 = "rbac.authorization.k8s.io/v1";

/// The lists of a cluster, in the order of a Snapshot.
template <>
inline constexpr auto fields<Cluster> = std::tuple(
    List<&Cluster::nodes>{"v1", "Node", Holds::Node},
    List<&Cluster::daemon_sets>{"apps/v1", "DaemonSet", Holds::OwnName},
    List<&Cluster::pods>{"v1", "Pod", Holds::OwnName},
    List<&Cluster::revisions>{"apps/v1", "ControllerRevision", Holds::OwnName},
    List<&Cluster::events>{"v1", "Event", Holds::OwnName},
    List<&Cluster::namespaces>{"v1", "Namespace", Holds::Namespace},
    List<&Cluster::resource_quotas>{"v1", "ResourceQuota", Holds::Object},
    List<&Cluster::limit_ranges>{"v1", "LimitRange", Holds::Object},
    List<&Cluster::priority_classes>{"scheduling.k8s.io/v1", "PriorityClass", Holds::Object},
    List<&Cluster::runtime_classes>{"node.k8s.io/v1", "RuntimeClass", Holds::Object},
    List<&Cluster::service_accounts>{"v1", "ServiceAccount", Holds::Object},
    List<&Cluster::claims>{"v1", "PersistentVolumeClaim", Holds::Object},
    List<&Cluster::volumes>{"v1", "PersistentVolume", Holds::Object},
    List<&Cluster::storage_classes>{"storage.k8s.io/v1", "StorageClass", Holds::Object},
    List<&Cluster::csi_nodes>{"storage.k8s.io/v1", "CSINode", Holds::Node},
    List<&Cluster::device_classes>{"resource.k8s.io/v1", "DeviceClass", Holds::Object},
    List<&Cluster::device_taint_rules>{"resource.k8s.io/v1", "DeviceTaintRule", Holds::Object},
    List<&Cluster::resource_claims>{"resource.k8s.io/v1", "ResourceClaim", Holds::Object},
    List<&Cluster::resource_slices>{"resource.k8s.io/v1", "ResourceSlice", Holds::Object},
    List<&Cluster::disruption_budgets>{"policy/v1", "PodDisruptionBudget", Holds::Object},
    List<&Cluster::pod_groups>{"scheduling.k8s.io/v1beta1", "PodGroup", Holds::Object},
    List<&Cluster::leases>{"coordination.k8s.io/v1", "Lease", Holds::Object},
    List<&Cluster::cluster_roles>{rbac_v1, "ClusterRole", Holds::Object},
    List<&Cluster::cluster_role_bindings>{rbac_v1, "ClusterRoleBinding", Holds::Object},
    hidden<&Cluster::version>(), hidden<&Cluster::nodes_known>(), hidden<&Cluster::pods_known>(),
    hidden<&Cluster::revisions_known>(), hidden<&Cluster::all_nodes_known>(),
    hidden<&Cluster::namespaces_without_pods>(Holds::Namespace), hidden<&Cluster::known>(),
    hidden<&Cluster::all_pods_known>(), hidden<&Cluster::all_pods_assumed>(),
    hidden<&Cluster::crowded_nodes>(Holds::Node));
static_assert(is_complete<Cluster>);

/// Calls `visit(list, List)` for each list of objects.
template <typename OfCluster, typename Visit>
void each_list(OfCluster& cluster, Visit&& visit) {
  each_member(cluster, [&](auto& list, const auto& member) {
    if constexpr (requires { member.api_version; }) visit(list, member);
  });
}

}  // namespace dsdoctor::model::description
