// SPDX-License-Identifier: Apache-2.0

// PodGroups: the scheduler binds their pods only together.

#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/wording.h"

namespace dsdoctor::diagnosis {
namespace {

ObjectRef ref_of_group(const PendingCase& c) {
  return {"PodGroup", c.pod.meta.ns.str(), c.pod.spec->pod_group.str()};
}

/// Whether the scheduler has tried to bind the pod.
bool is_heard(const PendingCase& c) {
  return model::find_condition(c.pod.conditions, "PodScheduled") != nullptr ||
         last_refusal(c.facts, c.pod) != nullptr;
}

finding::SchedPodGroup about_group(const PendingCase& c, Message what) {
  const model::PodSpec& spec = *c.pod.spec;
  const bool of_workload = spec.pod_group.empty();
  const model::Text& name = of_workload ? spec.workload : spec.pod_group;
  return {.another_pod_blocks = false,
          .it_is_a_workload = of_workload,
          .it_is_immutable = false,
          .it_is_missing = false,
          .it_is_unclear = false,
          .it_lacks_pods = false,
          .limit = "",
          .object = (of_workload ? "Workload/" : "PodGroup/") + name.str(),
          .other_node = "",
          .pod_group = name,
          .the_template_names_it = !of_workload && c.of.of.ds.pod_template.spec.pod_group == name,
          .what = std::move(what)};
}

Finding group_finding(const PendingCase& c, const finding::SchedPodGroup& kind) {
  const model::PodSpec& spec = *c.pod.spec;
  const bool of_workload = spec.pod_group.empty();
  return pending_finding(
      c, kind,
      {of_workload ? spec_evidence(c, "workloadRef.name", spec.workload)
                   : spec_evidence(c, "schedulingGroup.podGroupName", spec.pod_group)});
}

Evidence min_count_evidence(const PendingCase& c, const model::PodGroup& group) {
  return {ref_of_group(c), "spec.schedulingPolicy.gang.minCount",
          std::to_string(group.min_count.value_or(0))};
}

Finding missing_group(const PendingCase& c) {
  finding::SchedPodGroup kind =
      about_group(c, phrase::PodGroupMissing{.pod_group = c.pod.spec->pod_group});
  kind.it_is_missing = true;
  return group_finding(c, kind);
}

Finding short_group(const PendingCase& c, const PodGroupState& state) {
  const auto pods = static_cast<std::int64_t>(state.pods);
  const phrase::PodGroupShort what{
      .min_count = *state.group->min_count, .pod_group = c.pod.spec->pod_group, .pods = pods};
  finding::SchedPodGroup kind = about_group(c, what);
  kind.limit = std::to_string(pods);
  // Before, minCount is immutable.
  const bool is_mutable = applies(model::ReleaseRule::PodGroupsV1beta1, c.facts.release().release);
  kind.it_lacks_pods = is_mutable;
  kind.it_is_immutable = !is_mutable;
  Finding finding = group_finding(c, kind);
  finding.evidence.push_back(min_count_evidence(c, *state.group));
  return finding;
}

Message what_is_unclear(const PendingCase& c, const PodGroupState& state) {
  const model::PodSpec& spec = *c.pod.spec;
  if (spec.pod_group.empty()) return phrase::WorkloadUnclear{.workload = spec.workload};
  if (state.group != nullptr && !state.group->parent.empty()) {
    return phrase::PodGroupOfParent{.parent = state.group->parent, .pod_group = spec.pod_group};
  }
  return phrase::PodGroupUnclear{.pod_group = spec.pod_group, .was_read = state.group != nullptr};
}

Finding unclear_group(const PendingCase& c, const PodGroupState& state) {
  finding::SchedPodGroup kind = about_group(c, what_is_unclear(c, state));
  kind.it_is_unclear = !c.pod.spec->pod_group.empty();
  Finding finding = group_finding(c, kind);
  finding.evidence.push_back(unscheduled_evidence(c.pod));
  if (state.group != nullptr && state.group->min_count) {
    finding.evidence.push_back(min_count_evidence(c, *state.group));
  }
  finding.basis = Basis::Suspected;
  return finding;
}

/// The gravest obstacle of another pod of the PodGroup; absent if its node is not known or takes
/// it.
std::optional<Finding> obstacle_of(const PendingCase& c, const model::Pod& other) {
  const model::Text* target = target_node(other);
  const model::Node* node =
      target == nullptr ? nullptr : model::find_node(c.facts.cluster(), *target);
  if (node == nullptr) return std::nullopt;
  const OwnNodeReport report(node->meta.name, model::Shared<NodeState>(NodeState{}));
  const std::vector<const model::Pod*> pods = {&other};
  const NodeCase of{c.of.of, *node, pods, report};
  std::vector<Finding> found = node_findings(pending_case(of, other, false));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

/// The message of the PodGroup's condition: from 1.38 on, its pods' conditions only refer to it.
std::string said_of_group(const PendingCase& c, const PodGroupState& state) {
  if (state.group != nullptr) {
    for (const model::Condition& condition : state.group->conditions) {
      if (condition.status == "False" && !condition.message.empty() &&
          (condition.type == "PodGroupInitiallyScheduled" ||
           condition.type == "PodGroupScheduled")) {
        return condition.message.str();
      }
    }
  }
  return c.said->of_group;
}

Finding blocked_group(const PendingCase& c, const PodGroupState& state) {
  const model::Text& name = c.pod.spec->pod_group;
  const model::Pod* other = c.facts.first_rejected_of_group(c.pod.meta.ns, name);
  const auto obstacle = other == nullptr || other == &c.pod ? std::nullopt : obstacle_of(c, *other);
  if (!obstacle) {
    const std::string said = said_of_group(c, state);
    finding::SchedPodGroup kind =
        about_group(c, phrase::PodGroupReported{.pod_group = name, .said = wording::whole(said)});
    kind.it_is_unclear = !c.pod.spec->pod_group.empty();
    Finding finding = group_finding(c, kind);
    finding.basis = Basis::Reported;
    finding.evidence.push_back(c.said_in);
    return finding;
  }
  const model::Text& node = *target_node(*other);
  finding::SchedPodGroup kind = about_group(c, phrase::PodGroupBlocked{.cause = obstacle->message,
                                                                       .its_pod = ref_of(*other),
                                                                       .other_node = node,
                                                                       .pod_group = name});
  kind.another_pod_blocks = true;
  kind.other_node = node;
  Finding finding = group_finding(c, kind);
  finding.basis = Basis::Confirmed;
  finding.transient = obstacle->transient;
  finding.severity = obstacle->severity;
  finding.evidence.push_back(c.said_in);
  finding.evidence.insert(finding.evidence.end(), obstacle->evidence.begin(),
                          obstacle->evidence.end());
  return finding;
}

}  // namespace

void add_pod_group(const PendingCase& c, std::vector<Finding>& into) {
  if (c.predicted || (c.pod.spec->pod_group.empty() && c.pod.spec->workload.empty())) return;
  const PodGroupState state = c.facts.pod_group_of(c.pod);
  const bool is_of_group = c.said && !c.said->of_group.empty();
  const bool heard = is_heard(c);
  // A scheduler without the feature gate processes the pod by itself, and names its node.
  const bool holds = !heard || is_of_group || into.empty();
  std::optional<Finding> finding;
  if (state.hold == PodGroupHold::Missing && holds) {
    finding = missing_group(c);
  } else if (state.hold == PodGroupHold::Short && holds) {
    finding = short_group(c, state);
  } else if (state.hold == PodGroupHold::Unknown && !heard) {
    finding = unclear_group(c, state);
  } else if (is_of_group && into.empty()) {
    finding = blocked_group(c, state);
  }
  if (!finding) return;
  finding->group = finding->root;
  into.insert(into.begin(), std::move(*finding));
}

bool is_without_pod_group(const PendingCase& c, const Finding& finding) {
  if (finding.id != FindingId::SchedPodGroup) return false;
  const PodGroupState state = c.facts.pod_group_of(c.pod);
  return state.group == nullptr && state.hold != PodGroupHold::None;
}

}  // namespace dsdoctor::diagnosis
