// SPDX-License-Identifier: Apache-2.0
#include "question/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/edit_distance.h"
#include "diagnosis/evidence/daemon_pods.h"

namespace dsdoctor::cmd {
namespace {

template <typename T>
const T* named_in(const std::vector<T>& objects, const std::string& ns, std::string_view name) {
  const auto at = std::ranges::find_if(objects, [&](const T& object) {
    return object.meta.name == name && (ns.empty() || object.meta.ns == ns);
  });
  return at == objects.end() ? nullptr : &*at;
}

base::Error no_pod(const std::string& name, const std::string& ns, const model::Cluster& cluster) {
  std::vector<std::string> names;
  for (const model::Pod& pod : cluster.pods) {
    if (ns.empty() || pod.meta.ns == ns) names.push_back(pod.meta.name.str());
  }
  base::Error error{base::ErrorKind::NotFound, "",
                    fmt::format("pods \"{}\" not found{}", name,
                                ns.empty() ? "" : fmt::format(" in namespace \"{}\"", ns))};
  for (const std::string& near : base::near_words(name, names)) {
    error.hints.push_back(fmt::format("did you mean: pod/{}", near));
  }
  if (names.empty() && !cluster.pods_known) error.hints.emplace_back("no pod could be read at all");
  return error;
}

base::Result<Meant> meant_by_pod(const model::Pod& pod, const model::Cluster& cluster) {
  const std::string ns = pod.meta.ns.str();
  const std::string full = fmt::format("{}/{}", ns, pod.meta.name.view());
  const auto& controller = pod.meta.controller;
  if (pod.mirror || !controller || !model::is_daemon_set(*controller)) {
    const std::string owner =
        pod.mirror ? "is a static pod"
        : !controller
            ? "has no owner"
            : fmt::format("is owned by {} {}", controller->kind.view(), controller->name.view());
    return Meant{{ObjectType::Pod, pod.meta.name.str(), true},
                 ns,
                 pod.node_name.str(),
                 fmt::format("pod {} {}", full, owner)};
  }
  if (named_in(cluster.daemon_sets, ns, controller->name.view()) == nullptr) {
    return base::Error{base::ErrorKind::NotFound, "",
                       fmt::format("pod {} is owned by DaemonSet {}, which was not found", full,
                                   controller->name.view())};
  }
  const model::Text* node = diagnosis::target_node(pod);
  Meant meant{{ObjectType::DaemonSet, controller->name.str()}, ns, "", ""};
  if (node != nullptr) meant.node = node->str();
  meant.note = fmt::format("pod {} is owned by DaemonSet {}{}", full, controller->name.view(),
                           meant.node.empty() ? "" : fmt::format(", on node {}", meant.node));
  return meant;
}

}  // namespace

base::Result<Meant> meant_by(const ObjectName& name, const std::string& ns,
                             const model::Cluster& cluster) {
  const Meant as_given{name, ns, "", ""};
  const bool bare = name.type == ObjectType::DaemonSet && !name.typed;
  if (name.type != ObjectType::Pod && !bare) return as_given;
  if (bare && named_in(cluster.daemon_sets, ns, name.name) != nullptr) return as_given;
  if (const model::Pod* pod = named_in(cluster.pods, ns, name.name)) {
    return meant_by_pod(*pod, cluster);
  }
  if (!bare) return no_pod(name.name, ns, cluster);
  const bool may_be_node = name.ns.empty() && model::find_node(cluster, name.name) != nullptr;
  if (!may_be_node) return as_given;
  return Meant{{ObjectType::Node, name.name, true}, "", "", fmt::format("{} is a node", name.name)};
}

}  // namespace dsdoctor::cmd
