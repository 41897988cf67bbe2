// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/creation_obstacles.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>

#include "diagnosis/catalogue/findings/creation.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/creation/quota.h"
#include "scheduling/synthetic_pod.h"

namespace dsdoctor::diagnosis {
namespace {

using Obstacles = std::vector<Obstacle>;

constexpr std::string_view enforce_label = "pod-security.kubernetes.io/enforce";

const model::PodSpec& spec_of(const DaemonSetCase& c) { return c.ds.pod_template.spec; }

Evidence template_evidence(const DaemonSetCase& c, std::string_view field, std::string_view value) {
  return {ref_of(c.ds), fmt::format("spec.template.spec.{}", field), evidence_value(value)};
}

/// Adds an object that the template names and that does not exist.
void add_missing(FindingId id, ObjectRef object, Message words, Evidence named, Obstacles& found) {
  const std::string name = object.name;
  found.push_back(
      {id, std::move(words), name, {std::move(named), {std::move(object), "metadata.name"}}});
}

/// Absent for 0.
std::optional<std::int64_t> above_zero(std::integral auto count) {
  return count > 0 ? std::optional(static_cast<std::int64_t>(count)) : std::nullopt;
}

void check_service_account(const DaemonSetCase& c, Obstacles& found) {
  if (!c.facts.cluster().known.service_accounts) return;
  const model::Text& set = spec_of(c).service_account;
  const std::string name = set.empty() ? "default" : set.str();
  if (c.facts.service_account(c.ds.meta.ns, name) != nullptr) return;
  const ObjectRef account{"ServiceAccount", c.ds.meta.ns.str(), name};
  add_missing(FindingId::CreateServiceaccountMissing, account,
              phrase::ServiceAccountNotFound{.account = account},
              template_evidence(c, "serviceAccountName", set), found);
}

void check_priority_class(const DaemonSetCase& c, Obstacles& found) {
  const model::Text& name = spec_of(c).priority_class;
  // An API server recreates the two built-in classes whenever it starts.
  if (name.empty() || name.view().starts_with("system-")) return;
  if (!c.facts.cluster().known.priority_classes || c.facts.priority_class(name)) return;
  add_missing(FindingId::CreatePriorityclassMissing, {"PriorityClass", "", name.str()},
              phrase::PriorityClassNotFound{.priority_class = name},
              template_evidence(c, "priorityClassName", name), found);
}

void check_runtime_class(const DaemonSetCase& c, Obstacles& found) {
  const model::Text& name = spec_of(c).runtime_class;
  if (name.empty() || !c.facts.cluster().known.runtime_classes) return;
  if (c.facts.runtime_class(name) != nullptr) return;
  add_missing(FindingId::CreateRuntimeclassMissing, {"RuntimeClass", "", name.str()},
              phrase::RuntimeClassNotFound{.runtime_class = name},
              template_evidence(c, "runtimeClassName", name), found);
}

/// A field of the template that a Pod Security level forbids.
struct Forbidden {
  Message words;
  Evidence evidence;
};

/// Adds the forbidden fields of the containers in `list`, which is the field `name`.
void add_forbidden(const DaemonSetCase& c, const std::vector<model::Container>& list,
                   std::string_view name, std::vector<Forbidden>& found) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const model::Container& container = list[i];
    if (container.privileged) {
      found.push_back({phrase::ForbiddenPrivilege{.container = container.name},
                       template_evidence(
                           c, fmt::format("{}[{}].securityContext.privileged", name, i), "true")});
    }
    const auto port = std::ranges::find_if(
        container.ports, [](const model::ContainerPort& one) { return one.host_port != 0; });
    if (port == container.ports.end()) continue;
    found.push_back(
        {phrase::ForbiddenHostPort{.container = container.name},
         template_evidence(
             c, fmt::format("{}[{}].ports[{}].hostPort", name, i, port - container.ports.begin()),
             std::to_string(port->host_port))});
  }
}

/// Fields that the level baseline forbids, and so the level restricted, among the fields that the
/// model has.
/// Source of truth: k8s.io/pod-security-admission v0.36.2, policy/check_*.go.
std::vector<Forbidden> forbidden_by_baseline(const DaemonSetCase& c) {
  std::vector<Forbidden> result;
  const model::PodSpec& spec = spec_of(c);
  const auto add_field = [&](bool is_set, std::string_view field) {
    if (!is_set) return;
    result.push_back({phrase::ForbiddenField{.field = field}, template_evidence(c, field, "true")});
  };
  add_field(c.ds.pod_template.host_network, "hostNetwork");
  add_field(spec.host_pid, "hostPID");
  add_field(spec.host_ipc, "hostIPC");
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) {
    const model::Volume& volume = spec.volumes[i];
    if (volume.kind != "hostPath") continue;
    result.push_back(
        {phrase::ForbiddenHostPath{.volume = volume.name},
         template_evidence(c, fmt::format("volumes[{}].hostPath.path", i), volume.source)});
  }
  add_forbidden(c, spec.init_containers, "initContainers", result);
  add_forbidden(c, spec.containers, "containers", result);
  return result;
}

/// Whether a pod of the template passed recently: the API server's configuration can exempt users,
/// namespaces and runtime classes from a level.
bool was_admitted_lately(const DaemonSetCase& c) {
  return std::ranges::any_of(c.claimed.owned, [&](const model::Pod* pod) {
    return pod->meta.created && *pod->meta.created + threshold::events > c.facts.now() &&
           (!c.revision.is_known() || c.revision.is_current(*pod));
  });
}

void check_pod_security(const DaemonSetCase& c, Obstacles& found) {
  constexpr std::size_t most_controls = 5;
  const std::string level(enforced_level(c));
  if (level != "baseline" && level != "restricted") return;
  const std::vector<Forbidden> forbidden = forbidden_by_baseline(c);
  if (forbidden.empty() || was_admitted_lately(c)) return;
  std::vector<Message> controls;
  std::vector<Evidence> evidence = {level_evidence(c)};
  for (const Forbidden& one : forbidden) {
    if (controls.size() < most_controls) controls.push_back(one.words);
    evidence.push_back(one.evidence);
  }
  found.push_back(
      {FindingId::CreatePodsecurityDenied,
       phrase::PodSecurityViolated{.controls = controls,
                                   .level = level,
                                   .more = above_zero(forbidden.size() - controls.size())},
       level, std::move(evidence)});
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
  const ObjectRef quota = ref_of(*judgement.quota);
  std::vector<Evidence> evidence = judgement.unusable;
  std::vector<Message> figures;
  for (const QuotaUse& use : judgement.uses) {
    if (use.room >= missing) continue;
    figures.push_back(phrase::QuotaFigure{.limit = amount(use.hard),
                                          .requested = amount(use.requested),
                                          .resource = use.resource,
                                          .used = amount(use.used)});
    for (const QuotaMap map : {QuotaMap::Hard, QuotaMap::Used}) {
      evidence.push_back(quota_evidence(*judgement.quota, map, use.resource));
    }
  }
  const auto room = above_zero(judgement.uses.front().room);
  return {FindingId::CreateQuotaExceeded,
          phrase::QuotaExceeded{.figures = figures,
                                .missing = room ? std::optional(missing) : std::nullopt,
                                .quota = quota.name,
                                .room = room},
          quota.name, std::move(evidence)};
}

Obstacle demanding_quota(const QuotaJudgement& judgement) {
  const std::string name = judgement.quota->meta.name.str();
  std::vector<Message> values;
  std::vector<Evidence> evidence;
  for (const UnsetResource& unset : judgement.unset) {
    values.push_back(
        phrase::ValueNotSpecified{.containers = unset.containers, .resource = unset.resource});
    evidence.push_back(quota_evidence(*judgement.quota, QuotaMap::Hard, unset.resource));
  }
  return {FindingId::CreateQuotaNeedsValues,
          phrase::QuotaNeedsValues{.quota = name, .values = values}, name, std::move(evidence)};
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
    // A LimitRange can set defaults for values that the template does not set.
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

Evidence level_evidence(const DaemonSetCase& c) {
  return {{"Namespace", "", c.ds.meta.ns.str()},
          fmt::format("metadata.labels['{}']", enforce_label),
          std::string(enforced_level(c))};
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
    // The pods of a single node may have been read.
    return static_cast<std::int64_t>(c.report.nodes.count(NodeVerdict::Missing));
  }
  return evaluated.counts.desired_number_scheduled - evaluated.counts.current_number_scheduled;
}

}  // namespace dsdoctor::diagnosis
