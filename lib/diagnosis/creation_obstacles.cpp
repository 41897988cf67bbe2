#include "diagnosis/creation_obstacles.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/wording.h"

namespace dsdoctor::diagnosis {
namespace {

using Obstacles = std::vector<Obstacle>;

constexpr std::string_view enforce_label = "pod-security.kubernetes.io/enforce";

const model::PodSpec& spec_of(const DaemonSetCase& c) { return c.ds.pod_template.spec; }

std::string template_field(const DaemonSetCase& c, std::string_view field) {
  return fmt::format("DaemonSet/{} spec.template.spec.{}", c.ds.meta.name.view(), field);
}

void check_service_account(const DaemonSetCase& c, Obstacles& found) {
  if (!c.facts.cluster().known.service_accounts) return;
  const model::Text& set = spec_of(c).service_account;
  const std::string_view name = set.empty() ? std::string_view("default") : set.view();
  if (c.facts.service_account(c.ds.meta.ns, name) != nullptr) return;
  found.push_back(
      {"create-serviceaccount-missing",
       fmt::format("service account {} is not in namespace {}", name, c.ds.meta.ns.view()),
       std::string(name),
       std::string(name),
       {template_field(
            c, fmt::format("serviceAccountName: {}", set.empty() ? "not set, so default" : name)),
        fmt::format("ServiceAccount/{}: not found", name)}});
}

void check_priority_class(const DaemonSetCase& c, Obstacles& found) {
  const std::string_view name = spec_of(c).priority_class;
  // The two built-in classes are made anew whenever an API server starts.
  if (name.empty() || name.starts_with("system-")) return;
  if (!c.facts.cluster().known.priority_classes || c.facts.priority_class(name)) return;
  found.push_back({"create-priorityclass-missing",
                   fmt::format("there is no PriorityClass {}", name),
                   std::string(name),
                   std::string(name),
                   {template_field(c, fmt::format("priorityClassName: {}", name)),
                    fmt::format("PriorityClass/{}: not found", name)}});
}

void check_runtime_class(const DaemonSetCase& c, Obstacles& found) {
  const std::string_view name = spec_of(c).runtime_class;
  if (name.empty() || !c.facts.cluster().known.runtime_classes) return;
  if (c.facts.runtime_class(name) != nullptr) return;
  found.push_back({"create-runtimeclass-missing",
                   fmt::format("there is no RuntimeClass {}", name),
                   std::string(name),
                   std::string(name),
                   {template_field(c, fmt::format("runtimeClassName: {}", name)),
                    fmt::format("RuntimeClass/{}: not found", name)}});
}

/// What the level baseline forbids, and so the level restricted, of all that the model knows.
/// Source of truth: k8s.io/pod-security-admission v0.36.2, policy/check_*.go.
std::vector<std::string> forbidden_by_baseline(const model::PodTemplate& pod) {
  std::vector<std::string> result;
  const auto add = [&](bool violated, std::string what) {
    if (violated) result.push_back(std::move(what));
  };
  add(pod.host_network, "hostNetwork");
  add(pod.spec.host_pid, "hostPID");
  add(pod.spec.host_ipc, "hostIPC");
  for (const model::Volume& volume : pod.spec.volumes) {
    add(volume.kind == "hostPath", fmt::format("hostPath volume {}", volume.name.view()));
  }
  for (const auto* list : {&pod.spec.init_containers, &pod.spec.containers}) {
    for (const model::Container& container : *list) {
      add(container.privileged, fmt::format("privileged container {}", container.name.view()));
      const bool host_port = std::ranges::any_of(
          container.ports, [](const model::ContainerPort& port) { return port.host_port != 0; });
      add(host_port, fmt::format("host port of container {}", container.name.view()));
    }
  }
  return result;
}

/// A level may be passed by: the API server's configuration may exempt whom it likes.
bool was_admitted_lately(const DaemonSetCase& c) {
  return std::ranges::any_of(c.claimed.owned, [&](const model::Pod* pod) {
    return pod->meta.created && *pod->meta.created + threshold::events > c.facts.now() &&
           (!c.revision.is_known() || c.revision.is_current(*pod));
  });
}

void check_pod_security(const DaemonSetCase& c, Obstacles& found) {
  const model::Namespace* ns = c.facts.ns(c.ds.meta.ns);
  const model::Text* level = ns ? ns->meta.labels.find(enforce_label) : nullptr;
  if (level == nullptr || (*level != "baseline" && *level != "restricted")) return;
  const std::vector<std::string> forbidden = forbidden_by_baseline(c.ds.pod_template);
  if (forbidden.empty() || was_admitted_lately(c)) return;
  found.push_back({"create-podsecurity-denied",
                   fmt::format("the namespace enforces PodSecurity {}, which forbids {}",
                               level->view(), wording::listed(forbidden)),
                   level->str(),
                   level->str(),
                   {fmt::format("Namespace/{} metadata.labels[{}]: {}", c.ds.meta.ns.view(),
                                enforce_label, level->view()),
                    template_field(c, wording::listed(forbidden))}});
}

}  // namespace

Obstacles creation_obstacles(const DaemonSetCase& c) {
  Obstacles found;
  check_service_account(c, found);
  check_priority_class(c, found);
  check_runtime_class(c, found);
  check_pod_security(c, found);
  return found;
}

bool can_see_obstacle(const DaemonSetCase& c, std::string_view id) {
  const model::Known& known = c.facts.cluster().known;
  if (id == "create-serviceaccount-missing") return known.service_accounts;
  if (id == "create-priorityclass-missing") return known.priority_classes;
  if (id == "create-runtimeclass-missing") return known.runtime_classes;
  return false;
}

std::int64_t missing_pods(const DaemonSetCase& c) {
  const EvaluatedCounts& evaluated = c.report.evaluated;
  if (!evaluated.nodes_known || !evaluated.pods_known || c.ds.meta.deleted) return 0;
  return evaluated.counts.desired_number_scheduled - evaluated.counts.current_number_scheduled;
}

}  // namespace dsdoctor::diagnosis
