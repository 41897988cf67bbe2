#include "diagnosis/causes/creation/creation_obstacles.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/causes/creation/quota.h"
#include "diagnosis/evidence/wording.h"
#include "scheduling/synthetic_pod.h"

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
  found.push_back({FindingId::CreateServiceaccountMissing,
                   fmt::format("serviceaccount {}/{} not found", c.ds.meta.ns.view(), name),
                   std::string(name),
                   std::string(name),
                   {template_field(c, fmt::format("serviceAccountName: {}",
                                                  set.empty() ? "not set, so default" : name)),
                    fmt::format("ServiceAccount/{}: not found", name)}});
}

void check_priority_class(const DaemonSetCase& c, Obstacles& found) {
  const std::string_view name = spec_of(c).priority_class;
  // The two built-in classes are made again whenever an API server starts.
  if (name.empty() || name.starts_with("system-")) return;
  if (!c.facts.cluster().known.priority_classes || c.facts.priority_class(name)) return;
  found.push_back({FindingId::CreatePriorityclassMissing,
                   fmt::format("PriorityClass {} not found", name),
                   std::string(name),
                   std::string(name),
                   {template_field(c, fmt::format("priorityClassName: {}", name)),
                    fmt::format("PriorityClass/{}: not found", name)}});
}

void check_runtime_class(const DaemonSetCase& c, Obstacles& found) {
  const std::string_view name = spec_of(c).runtime_class;
  if (name.empty() || !c.facts.cluster().known.runtime_classes) return;
  if (c.facts.runtime_class(name) != nullptr) return;
  found.push_back({FindingId::CreateRuntimeclassMissing,
                   fmt::format("RuntimeClass {} not found", name),
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
  const std::string level(enforced_level(c));
  if (level != "baseline" && level != "restricted") return;
  const std::vector<std::string> forbidden = forbidden_by_baseline(c.ds.pod_template);
  if (forbidden.empty() || was_admitted_lately(c)) return;
  found.push_back({FindingId::CreatePodsecurityDenied,
                   fmt::format("violates PodSecurity {}: {}", level, wording::listed(forbidden)),
                   level,
                   level,
                   {fmt::format("Namespace/{} metadata.labels[{}]: {}", c.ds.meta.ns.view(),
                                enforce_label, level),
                    template_field(c, wording::listed(forbidden))}});
}

// ---- Quotas ----

const model::PriorityClass* default_class(const DaemonSetCase& c) {
  const auto& classes = c.facts.cluster().priority_classes;
  const auto at = std::ranges::find_if(classes, &model::PriorityClass::global_default);
  return at == classes.end() ? nullptr : &*at;
}

model::Pod next_pod(const DaemonSetCase& c) {
  const model::Cluster& cluster = c.facts.cluster();
  scheduling::Admission admission;
  for (const model::LimitRange& range : cluster.limit_ranges) {
    if (range.meta.ns == c.ds.meta.ns) admission.limit_ranges.push_back(&range);
  }
  if (!spec_of(c).runtime_class.empty()) {
    admission.runtime_class = c.facts.runtime_class(spec_of(c).runtime_class);
  }
  for (const model::PriorityClass& entry : cluster.priority_classes) {
    admission.priority_classes.push_back(&entry);
  }
  model::Pod pod = scheduling::synthetic_pod(c.ds, "", admission);
  pod.meta.ns = c.ds.meta.ns;
  return pod;
}

std::string amount(const scheduling::Quantity& quantity) { return scheduling::to_string(quantity); }

Obstacle full_quota(const QuotaJudgement& judgement, std::int64_t missing) {
  const std::string name = judgement.quota->meta.name.str();
  Obstacle obstacle{FindingId::CreateQuotaExceeded, "", name, name, {}};
  obstacle.evidence.assign(judgement.unusable.begin(), judgement.unusable.end());
  const std::int64_t room = judgement.uses.front().room;
  std::vector<std::string> parts;
  for (const QuotaUse& use : judgement.uses) {
    if (use.room >= missing) continue;
    parts.push_back(fmt::format("{}: requested {}, used {}, limit {}", use.resource,
                                amount(use.requested), amount(use.used), amount(use.hard)));
    obstacle.evidence.push_back(fmt::format("ResourceQuota/{} status[{}]: hard {}, used {}", name,
                                            use.resource, amount(use.hard), amount(use.used)));
  }
  obstacle.facts = fmt::format("exceeded quota {} ({})", name, fmt::join(parts, "; "));
  if (room > 0) {
    obstacle.facts +=
        fmt::format(", enough for {} of {}", room, wording::counted(missing, "missing pod"));
  }
  return obstacle;
}

Obstacle demanding_quota(const QuotaJudgement& judgement) {
  const std::string name = judgement.quota->meta.name.str();
  std::vector<std::string> parts;
  for (const UnsetResource& unset : judgement.unset) {
    parts.push_back(fmt::format("{} for: {}", unset.resource, wording::listed(unset.containers)));
  }
  return {FindingId::CreateQuotaNeedsValues,
          fmt::format("failed quota {}: must specify {}", name, fmt::join(parts, "; ")),
          name,
          name,
          {fmt::format("ResourceQuota/{} status.hard", name)}};
}

void check_quotas(const DaemonSetCase& c, Obstacles& found) {
  const model::Cluster& cluster = c.facts.cluster();
  const bool any = std::ranges::any_of(
      cluster.resource_quotas, [&](const auto& quota) { return quota.meta.ns == c.ds.meta.ns; });
  const std::int64_t missing = missing_pods(c);
  if (!any || missing <= 0) return;
  std::string_view priority_class = spec_of(c).priority_class;
  if (const auto* by_default = default_class(c); priority_class.empty() && by_default != nullptr) {
    priority_class = by_default->meta.name;
  }
  for (const QuotaJudgement& judgement :
       judge_quotas(next_pod(c), priority_class, cluster.resource_quotas)) {
    // Defaults of a LimitRange may set what the template does not.
    if (!judgement.unset.empty() && cluster.known.limit_ranges) {
      found.push_back(demanding_quota(judgement));
    }
    if (!judgement.uses.empty() && judgement.uses.front().room < missing) {
      found.push_back(full_quota(judgement, missing));
    }
  }
}

}  // namespace

Obstacles creation_obstacles(const DaemonSetCase& c) {
  Obstacles found;
  check_service_account(c, found);
  check_priority_class(c, found);
  check_runtime_class(c, found);
  check_pod_security(c, found);
  check_quotas(c, found);
  return found;
}

std::string_view enforced_level(const DaemonSetCase& c) {
  const model::Namespace* ns = c.facts.ns(c.ds.meta.ns);
  const model::Text* level = ns ? ns->meta.labels.find(enforce_label) : nullptr;
  return level ? level->view() : std::string_view();
}

bool can_see_obstacle(const DaemonSetCase& c, FindingId id) {
  const model::Known& known = c.facts.cluster().known;
  if (id == FindingId::CreateServiceaccountMissing) return known.service_accounts;
  if (id == FindingId::CreatePriorityclassMissing) return known.priority_classes;
  if (id == FindingId::CreateRuntimeclassMissing) return known.runtime_classes;
  if (id == FindingId::CreateQuotaExceeded || id == FindingId::CreateQuotaNeedsValues) {
    return known.resource_quotas && known.limit_ranges;
  }
  if (id == FindingId::CreatePodsecurityDenied) return enforced_level(c) == "privileged";
  return false;
}

std::int64_t missing_pods(const DaemonSetCase& c) {
  const EvaluatedCounts& evaluated = c.report.evaluated;
  if (!evaluated.nodes_known || c.ds.meta.deleted) return 0;
  if (!evaluated.pods_known) {
    // Of a single node they may have been read.
    return static_cast<std::int64_t>(c.report.nodes.count(NodeVerdict::Missing));
  }
  return evaluated.counts.desired_number_scheduled - evaluated.counts.current_number_scheduled;
}

}  // namespace dsdoctor::diagnosis
