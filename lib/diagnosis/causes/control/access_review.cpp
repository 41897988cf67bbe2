// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/access_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/release.h"

namespace dsdoctor::diagnosis {
namespace {

// Source of truth: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
constexpr std::array needed = {
    Access{"create", "apps", "controllerrevisions"},
    Access{"delete", "apps", "controllerrevisions"},
    Access{"get", "apps", "controllerrevisions"},
    Access{"list", "apps", "controllerrevisions"},
    Access{"patch", "apps", "controllerrevisions"},
    Access{"update", "apps", "controllerrevisions"},
    Access{"watch", "apps", "controllerrevisions"},
    Access{"get", "apps", "daemonsets"},
    Access{"list", "apps", "daemonsets"},
    Access{"watch", "apps", "daemonsets"},
    Access{"update", "apps", "daemonsets/status"},
    Access{"list", "", "nodes"},
    Access{"watch", "", "nodes"},
    Access{"create", "", "pods"},
    Access{"delete", "", "pods"},
    Access{"list", "", "pods"},
    Access{"patch", "", "pods"},
    Access{"watch", "", "pods"},
};

// The default role of older releases lacks this permission, and their controller needs it only if a
// revision's name is already used.
// Source of truth: kubernetes/kubernetes pull request 62146, for 1.11.
constexpr Access needed_later{"get", "apps", "controllerrevisions"};

bool holds(const std::vector<model::Text>& words, std::string_view word) {
  return std::ranges::any_of(words, [&](const model::Text& w) { return w == "*" || w == word; });
}

/// "*/status" covers that subresource of every resource.
bool covers_resource(const std::vector<model::Text>& resources, std::string_view resource) {
  if (holds(resources, resource)) return true;
  const std::size_t slash = resource.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string any = "*" + std::string(resource.substr(slash));
  return std::ranges::any_of(resources, [&](const model::Text& r) { return r == any; });
}

bool allows(const model::PolicyRule& rule, const Access& access) {
  return rule.resource_names.empty() && holds(rule.verbs, access.verb) &&
         holds(rule.api_groups, access.group) && covers_resource(rule.resources, access.resource);
}

bool is_controller(const model::RbacSubject& subject) {
  if (subject.kind == "ServiceAccount") {
    return subject.ns == controller_namespace && subject.name == controller_account;
  }
  if (subject.kind == "User") {
    return subject.name ==
           fmt::format("system:serviceaccount:{}:{}", controller_namespace, controller_account);
  }
  if (subject.kind != "Group") return false;
  return subject.name == "system:authenticated" || subject.name == "system:serviceaccounts" ||
         subject.name == fmt::format("system:serviceaccounts:{}", controller_namespace);
}

}  // namespace

std::vector<const model::ClusterRoleBinding*> bindings_of_controller(
    const model::Cluster& cluster) {
  std::vector<const model::ClusterRoleBinding*> result;
  for (const model::ClusterRoleBinding& binding : cluster.cluster_role_bindings) {
    if (std::ranges::any_of(binding.subjects, is_controller)) result.push_back(&binding);
  }
  return result;
}

std::optional<std::vector<Access>> denied_to_controller(const model::Cluster& cluster) {
  // RBAC has default roles from its first start on: if there are none, another authorizer decides.
  if (!cluster.known.roles || cluster.cluster_roles.empty()) return std::nullopt;
  std::vector<const model::PolicyRule*> rules;
  for (const model::ClusterRoleBinding* binding : bindings_of_controller(cluster)) {
    for (const model::ClusterRole& role : cluster.cluster_roles) {
      if (role.meta.name != binding->role) continue;
      for (const model::PolicyRule& rule : role.rules) rules.push_back(&rule);
    }
  }
  std::vector<Access> denied;
  const bool has_get = model::is_known_to_apply(model::ReleaseRule::GetsRevisions, cluster);
  std::ranges::copy_if(needed, std::back_inserter(denied), [&](const Access& access) {
    if (!has_get && access == needed_later) return false;
    return std::ranges::none_of(rules, [&](const auto* rule) { return allows(*rule, access); });
  });
  return denied;
}

std::string to_string(const Access& access) {
  return fmt::format("{} {}{}{}", access.verb, access.resource, access.group.empty() ? "" : ".",
                     access.group);
}

}  // namespace dsdoctor::diagnosis
