// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "model/cluster.h"

/// The names of the completeness flags of a cluster in `known` of a Snapshot.
namespace dsdoctor::decode {

inline constexpr std::pair<const char*, bool model::Cluster::*> scope_flags[] = {
    {"nodes", &model::Cluster::nodes_known},
    {"allNodes", &model::Cluster::all_nodes_known},
    {"pods", &model::Cluster::pods_known},
    {"allPods", &model::Cluster::all_pods_known},
    {"controllerRevisions", &model::Cluster::revisions_known},
};

inline constexpr const char* all_pods_assumed_flag = "allPodsAssumed";

inline constexpr std::pair<const char*, bool model::Known::*> known_flags[] = {
    {"events", &model::Known::events},
    {"namespaces", &model::Known::namespaces},
    {"resourceQuotas", &model::Known::resource_quotas},
    {"limitRanges", &model::Known::limit_ranges},
    {"priorityClasses", &model::Known::priority_classes},
    {"runtimeClasses", &model::Known::runtime_classes},
    {"serviceAccounts", &model::Known::service_accounts},
    {"persistentVolumeClaims", &model::Known::claims},
    {"storageClasses", &model::Known::storage_classes},
    {"csiNodes", &model::Known::csi_nodes},
    {"deviceClasses", &model::Known::device_classes},
    {"deviceTaints", &model::Known::device_taints},
    {"podDisruptionBudgets", &model::Known::disruption_budgets},
    {"podGroups", &model::Known::pod_groups},
    {"podGroupMembers", &model::Known::pod_group_members},
    {"leases", &model::Known::leases},
    {"roles", &model::Known::roles},
    {"everyRevision", &model::Known::revisions},
    {"daemonSets", &model::Known::daemon_sets},
    {"everyDaemonSet", &model::Known::every_daemon_set},
    {"ownDaemonSetList", &model::Known::own_daemon_set_list},
};

}  // namespace dsdoctor::decode
