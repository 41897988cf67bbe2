// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "commands/commands.h"
#include "question/printing.h"
#include "render/data/json.h"
#include "render/data/yaml.h"
#include "source/permissions/permissions.h"

namespace dsdoctor::cmd {
namespace {

using Resources = std::vector<source::ReadResource>;

/// A Role, or without a namespace a ClusterRole; its rules are those of one group each.
struct RoleText {
  std::string_view name;
  std::string ns;
  std::string_view remark;
  std::vector<std::string_view> verbs;
  Resources resources;
};

std::vector<Resources> by_group(const Resources& resources) {
  std::vector<Resources> result;
  for (const source::ReadResource& resource : resources) {
    if (result.empty() || result.back().back().group != resource.group) result.emplace_back();
    result.back().push_back(resource);
  }
  return result;
}

std::vector<std::string_view> names_of(const Resources& resources) {
  std::vector<std::string_view> names;
  names.reserve(resources.size());
  for (const source::ReadResource& resource : resources) names.push_back(resource.name);
  return names;
}

std::string yaml_of(const RoleText& role) {
  std::string text;
  if (!role.remark.empty()) text += fmt::format("# {}\n", role.remark);
  text += fmt::format("apiVersion: rbac.authorization.k8s.io/v1\nkind: {}\nmetadata:\n  name: {}\n",
                      role.ns.empty() ? "ClusterRole" : "Role", role.name);
  if (!role.ns.empty()) text += fmt::format("  namespace: {}\n", role.ns);
  text += "rules:\n";
  for (const Resources& group : by_group(role.resources)) {
    const std::string_view name = group.front().group;
    text += fmt::format("- apiGroups: [{}]\n  resources: [{}]\n  verbs: [{}]\n",
                        name.empty() ? "\"\"" : name, fmt::join(names_of(group), ", "),
                        fmt::join(role.verbs, ", "));
  }
  return text;
}

render::Json json_of(const RoleText& role) {
  render::Json rules = render::Json::array();
  for (const Resources& group : by_group(role.resources)) {
    rules.push_back({{"apiGroups", {group.front().group}},
                     {"resources", names_of(group)},
                     {"verbs", role.verbs}});
  }
  render::Json metadata = {{"name", role.name}};
  if (!role.ns.empty()) metadata["namespace"] = role.ns;
  return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
          {"kind", role.ns.empty() ? "ClusterRole" : "Role"},
          {"metadata", std::move(metadata)},
          {"rules", std::move(rules)}};
}

/// Reports whether only the command is asked about that reads nodes and DaemonSets alone.
bool is_about_taints(const RbacOptions& options) {
  return !options.commands.empty() &&
         std::ranges::all_of(options.commands, [](const auto& name) { return name == "taints"; });
}

/// Splits the roles of one purpose: what is in the namespace, and what has none.
void add_roles(std::vector<RoleText>& roles, const RoleText& all) {
  RoleText within = all;
  const bool has_leases = all.ns == "kube-system" || all.ns == "kube-node-lease";
  std::erase_if(within.resources, [&](const source::ReadResource& each) {
    return !each.is_namespaced() || (each.kind == decode::Kind::Lease && !has_leases);
  });
  RoleText outside = all;
  outside.ns.clear();
  if (!all.ns.empty()) {
    std::erase_if(outside.resources, [](const auto& each) { return each.is_namespaced(); });
    outside.remark = {};
  }
  if (!all.ns.empty() && !within.resources.empty()) roles.push_back(std::move(within));
  if (!outside.resources.empty()) roles.push_back(std::move(outside));
}

std::vector<RoleText> roles_for(const RbacOptions& options) {
  RoleText answers{"dsdoctor", options.ns, "", {"get", "list"}, {}};
  RoleText causes{"dsdoctor-causes",
                  options.ns,
                  "To find causes. Without it, answers list what could not be read.",
                  {"get", "list"},
                  {}};
  RoleText watches{"dsdoctor-watch",
                   options.ns,
                   "For -w and --until. Without it, the same is listed every ten seconds.",
                   {"watch"},
                   {}};
  for (const source::ReadResource& resource : source::read_resources()) {
    const bool of_taints =
        resource.kind == decode::Kind::Node || resource.kind == decode::Kind::DaemonSet;
    if (is_about_taints(options) && !of_taints) continue;
    (resource.for_causes ? causes : answers).resources.push_back(resource);
    if (options.watches && resource.is_watched) watches.resources.push_back(resource);
  }
  // One rule for each group.
  std::ranges::stable_sort(watches.resources, {}, &source::ReadResource::group);
  std::vector<RoleText> roles;
  for (const RoleText& each : {answers, causes, watches}) add_roles(roles, each);
  return roles;
}

/// The command that says whether one permission is granted.
std::string check_of(std::string_view verb, const source::ReadResource& resource,
                     const std::string& ns) {
  std::string line = fmt::format("kubectl auth can-i {} {}", verb, resource.name);
  if (!resource.group.empty()) line += fmt::format(".{}", resource.group);
  if (resource.is_namespaced()) line += ns.empty() ? " -A" : " -n " + ns;
  return line;
}

std::string text_of(const std::vector<RoleText>& roles, const RbacOptions& options) {
  std::string text;
  for (const RoleText& role : roles) text += (text.empty() ? "" : "---\n") + yaml_of(role);
  if (!options.ns.empty() && !is_about_taints(options)) {
    text += fmt::format(
        "\n# Not covered: pods of other namespaces, which decide whether a pending pod fits on its "
        "node;\n# events of nodes, which are in the namespace default; leases in kube-system and "
        "kube-node-lease.\n");
  }
  text += "\n# Whether it is granted, to you or with --as=USER to another user:\n";
  for (const RoleText& role : roles) {
    const std::string_view verb = role.verbs.back();
    for (const source::ReadResource& resource : role.resources) {
      text += fmt::format("#   {}\n", check_of(verb, resource, options.ns));
    }
  }
  return text;
}

render::Json list_of(const std::vector<RoleText>& roles) {
  render::Json items = render::Json::array();
  for (const RoleText& role : roles) items.push_back(json_of(role));
  return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}};
}

}  // namespace

ExitCode run(const RbacOptions& options, Context& ctx) {
  const std::vector<RoleText> roles = roles_for(options);
  if (options.format == OutputFormat::Json) {
    ctx.out << render::json_text(list_of(roles));
  } else if (options.format == OutputFormat::Yaml) {
    ctx.out << render::yaml_text(list_of(roles));
  } else {
    ctx.out << text_of(roles, options);
  }
  return ExitCode::Clean;
}

}  // namespace dsdoctor::cmd
