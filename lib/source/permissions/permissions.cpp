// SPDX-License-Identifier: Apache-2.0
#include "source/permissions/permissions.h"

#include <iterator>

namespace dsdoctor::source {
namespace {

using decode::Kind;

constexpr ReadResource resources[] = {
    {Kind::Node, "", "nodes", false, true},
    {Kind::Pod, "", "pods", false, true},
    {Kind::DaemonSet, "apps", "daemonsets", false, true},
    {Kind::ControllerRevision, "apps", "controllerrevisions", false, true},
    {Kind::Event, "", "events", true, true},
    {Kind::Namespace, "", "namespaces", true, false},
    {Kind::ResourceQuota, "", "resourcequotas", true, false},
    {Kind::LimitRange, "", "limitranges", true, false},
    {Kind::ServiceAccount, "", "serviceaccounts", true, false},
    {Kind::PersistentVolumeClaim, "", "persistentvolumeclaims", true, false},
    {Kind::PersistentVolume, "", "persistentvolumes", true, false},
    {Kind::PriorityClass, "scheduling.k8s.io", "priorityclasses", true, false},
    {Kind::PodGroup, "scheduling.k8s.io", "podgroups", true, false},
    {Kind::RuntimeClass, "node.k8s.io", "runtimeclasses", true, false},
    {Kind::StorageClass, "storage.k8s.io", "storageclasses", true, false},
    {Kind::CsiNode, "storage.k8s.io", "csinodes", true, false},
    {Kind::DeviceClass, "resource.k8s.io", "deviceclasses", true, false},
    {Kind::DeviceTaintRule, "resource.k8s.io", "devicetaintrules", true, false},
    {Kind::ResourceClaim, "resource.k8s.io", "resourceclaims", true, false},
    {Kind::ResourceSlice, "resource.k8s.io", "resourceslices", true, false},
    {Kind::PodDisruptionBudget, "policy", "poddisruptionbudgets", true, false},
    {Kind::Lease, "coordination.k8s.io", "leases", true, false},
    // permissions of the DaemonSet controller
    {Kind::ClusterRole, "rbac.authorization.k8s.io", "clusterroles", true, false},
    {Kind::ClusterRoleBinding, "rbac.authorization.k8s.io", "clusterrolebindings", true, false},
};
static_assert(std::size(resources) == decode::kind_count);

}  // namespace

std::span<const ReadResource> read_resources() { return resources; }

}  // namespace dsdoctor::source
