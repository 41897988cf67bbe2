// SPDX-License-Identifier: Apache-2.0
#include "source/permissions/permissions.h"

#include <iterator>

namespace dsdoctor::source {
namespace {

using decode::Kind;

constexpr ReadResource resources[] = {
    {"", "nodes", Kind::Node, false, true},
    {"", "pods", Kind::Pod, false, true},
    {"apps", "daemonsets", Kind::DaemonSet, false, true},
    {"apps", "controllerrevisions", Kind::ControllerRevision, false, true},
    {"", "events", Kind::Event, true, true},
    {"", "namespaces", Kind::Namespace, true, false},
    {"", "resourcequotas", Kind::ResourceQuota, true, false},
    {"", "limitranges", Kind::LimitRange, true, false},
    {"", "serviceaccounts", Kind::ServiceAccount, true, false},
    {"", "persistentvolumeclaims", Kind::PersistentVolumeClaim, true, false},
    {"", "persistentvolumes", Kind::PersistentVolume, true, false},
    {"scheduling.k8s.io", "priorityclasses", Kind::PriorityClass, true, false},
    {"scheduling.k8s.io", "podgroups", Kind::PodGroup, true, false},
    {"node.k8s.io", "runtimeclasses", Kind::RuntimeClass, true, false},
    {"storage.k8s.io", "storageclasses", Kind::StorageClass, true, false},
    {"storage.k8s.io", "csinodes", Kind::CsiNode, true, false},
    {"resource.k8s.io", "deviceclasses", Kind::DeviceClass, true, false},
    {"resource.k8s.io", "devicetaintrules", Kind::DeviceTaintRule, true, false},
    {"resource.k8s.io", "resourceclaims", Kind::ResourceClaim, true, false},
    {"resource.k8s.io", "resourceslices", Kind::ResourceSlice, true, false},
    {"policy", "poddisruptionbudgets", Kind::PodDisruptionBudget, true, false},
    {"coordination.k8s.io", "leases", Kind::Lease, true, false},
    // permissions of the DaemonSet controller
    {"rbac.authorization.k8s.io", "clusterroles", Kind::ClusterRole, true, false},
    {"rbac.authorization.k8s.io", "clusterrolebindings", Kind::ClusterRoleBinding, true, false},
};
static_assert(std::size(resources) == decode::kind_count);

}  // namespace

std::span<const ReadResource> read_resources() { return resources; }

}  // namespace dsdoctor::source
