// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

/// Permissions of an account according to the ClusterRoles that are bound to it: RBAC's own rule,
/// evaluated from objects that were read, because an access review would be a POST.
/// Source of truth: kubernetes v1.36.2, plugin/pkg/auth/authorizer/rbac/rbac.go;
/// pkg/registry/rbac/validation/rule.go: RuleAllows.
namespace dsdoctor::diagnosis {

struct Access {
  std::string_view verb;
  std::string_view group;     // empty: core
  std::string_view resource;  // "daemonsets/status" for a subresource

  friend bool operator==(const Access&, const Access&) = default;
};

/// The account of the DaemonSet controller.
inline constexpr std::string_view controller_namespace = "kube-system";
inline constexpr std::string_view controller_account = "daemon-set-controller";

/// The bindings to the controller's account, or to one of its groups.
[[nodiscard]] std::vector<const model::ClusterRoleBinding*> bindings_of_controller(
    const model::Cluster& cluster);

/// The permissions that the DaemonSet controller needs in every namespace but that no ClusterRole
/// bound to its account for the whole cluster allows. Absent if roles were not listed completely or
/// if there are none, because RBAC does not decide then. Other authorizers and roles bound in
/// single namespaces can allow more.
[[nodiscard]] std::optional<std::vector<Access>> denied_to_controller(
    const model::Cluster& cluster);

/// Example: "create controllerrevisions.apps".
[[nodiscard]] std::string to_string(const Access& access);

}  // namespace dsdoctor::diagnosis
