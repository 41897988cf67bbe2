#include "diagnosis/causes/rollout/rollout_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/causes/creation/new_pods.h"
#include "diagnosis/causes/rollout/rollout_replay.h"
#include "diagnosis/evidence/wording.h"

namespace dsdoctor::diagnosis {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view hash_label = "controller-revision-hash";

std::string object(const DaemonSetCase& c) {
  return fmt::format("DaemonSet/{}", c.ds.meta.name.view());
}

Finding finding_of(const DaemonSetCase& c, const FindingKind& kind, std::string message,
                   Names evidence) {
  Finding finding = make_finding(kind, std::move(message), std::move(evidence), names_of(c));
  finding.standing = Standing::Also;
  finding.basis = Basis::Recomputed;
  return finding;
}

const model::ControllerRevision* revision_of(const DaemonSetCase& c, std::string_view hash) {
  const auto& revisions = c.facts.cluster().revisions;
  const auto at = std::ranges::find_if(revisions, [&](const model::ControllerRevision& revision) {
    const model::Text* label = revision.meta.labels.find(hash_label);
    const auto& owner = revision.meta.controller;
    return revision.meta.ns == c.ds.meta.ns && label != nullptr && *label == hash && owner &&
           owner->name == c.ds.meta.name;
  });
  return hash.empty() || at == revisions.end() ? nullptr : &*at;
}

std::string revisions_text(const DaemonSetCase& c) {
  Names parts;
  for (const RevisionCount& count : revision_counts(c)) {
    std::string part = count.hash.empty() ? "without a hash" : count.hash;
    if (count.revision > 0) part += fmt::format(" (revision {})", count.revision);
    parts.push_back(fmt::format("{}{}: {}", part, count.current ? ", the present one" : "",
                                wording::counted(count.pods, "pod")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// ---- OnDelete ----

std::vector<Finding> on_delete_findings(const DaemonSetCase& c) {
  const auto& counts = c.report.evaluated.counts;
  std::map<std::string, std::string> pods;  // by node
  for (const auto* list : {&c.claimed.owned, &c.claimed.adoptable}) {
    for (const model::Pod* pod : *list) {
      const model::Text* node = target_node(*pod);
      if (node && !is_terminating(*pod) && !c.revision.is_current(*pod)) {
        pods.emplace(node->str(), pod->meta.name.str());
      }
    }
  }
  Names names;
  for (const auto& [node, pod] : pods) names.push_back(fmt::format("{} on {}", pod, node));
  Finding finding = make_finding(
      FindingId::DaemonsetOndeleteOutdated,
      fmt::format("with update strategy OnDelete, {} of {} still run an older template, until "
                  "somebody deletes them: {}",
                  counts.current_number_scheduled - counts.updated_number_scheduled,
                  wording::counted(counts.desired_number_scheduled, "pod"), wording::listed(names)),
      {object(c) + " spec.updateStrategy.type: OnDelete", "Pods by revision: " + revisions_text(c)},
      names_of(c, pods.empty() ? std::string_view() : std::string_view(pods.begin()->second)));
  finding.basis = Basis::Recomputed;
  return {std::move(finding)};
}

// ---- RollingUpdate ----

/// The last thing that a rollout of the present template did, as far as anything records it.
std::optional<model::Time> last_progress(const DaemonSetCase& c, const RolloutReplay& replay) {
  std::optional<model::Time> latest;
  const auto take = [&](const std::optional<model::Time>& moment) {
    if (moment && (!latest || *moment > *latest)) latest = moment;
  };
  for (const model::Pod* pod : replay.fresh) {
    take(pod->meta.created);
    const model::Condition* ready = model::find_condition(pod->conditions, "Ready");
    if (ready != nullptr && ready->status == "True") take(ready->last_transition);
  }
  for (const model::Pod* pod : c.claimed.owned) take(pod->meta.deleted);
  if (const auto* revision = revision_of(c, c.revision.hash())) take(revision->meta.created);
  for (const model::FieldManager& manager : c.ds.meta.managers) {
    if (manager.spec) take(manager.time);
  }
  return latest;
}

std::string unit_text(const DaemonSetCase& c, const BudgetUnit& unit) {
  std::string why;
  switch (unit.use) {
    case BudgetUse::NoPod:
      why = unit.terminating ? unavailability(c, *unit.terminating) : "no pod";
      break;
    case BudgetUse::Excess: why = "several pods of one revision"; break;
    case BudgetUse::OldAndNew: why = "an old and a new pod at once"; break;
    case BudgetUse::NewUnavailable: why = unavailability(c, *unit.new_pod); break;
    case BudgetUse::OldUnavailable: why = "old " + unavailability(c, *unit.old_pod); break;
  }
  if (unit.terminating && on_unready_node(c, *unit.terminating)) why += ", its node is not ready";
  return fmt::format("{} ({})", unit.node, why);
}

Names unit_texts(const DaemonSetCase& c, const RolloutReplay& replay) {
  Names result;
  for (const BudgetUnit& unit : replay.units) result.push_back(unit_text(c, unit));
  return result;
}

std::string budget_text(const RolloutReplay& replay) {
  return replay.max_surge > 0 ? fmt::format("maxSurge {}", replay.max_surge)
                              : fmt::format("maxUnavailable {}", replay.max_unavailable);
}

Finding surge_finding(const DaemonSetCase& c, const FindingKind& kind, const Names& nodes,
                      std::string_view why, std::string evidence) {
  Finding finding =
      finding_of(c, kind,
                 fmt::format("new pods cannot start beside the old ones on {}: {}",
                             wording::listed(nodes), why),
                 {std::move(evidence), object(c) + " spec.updateStrategy.rollingUpdate.maxSurge"});
  finding.basis = Basis::Confirmed;
  return finding;
}

/// Surging pods that their own predecessors keep from being scheduled.
std::vector<Finding> self_blocking(const DaemonSetCase& c, const RolloutReplay& replay) {
  Names port_nodes;
  Names room_nodes;
  std::string port;
  std::string port_pod;
  std::string room;
  for (const BudgetUnit& unit : replay.units) {
    if (unit.use != BudgetUse::NewUnavailable || !unit.old_pod || is_bound(*unit.new_pod)) continue;
    const auto& created = unit.new_pod->meta.created;
    if (created && *created + threshold::pending > c.facts.now()) continue;
    if (const std::string shared = shared_host_port(*unit.new_pod, *unit.old_pod);
        !shared.empty()) {
      port_nodes.emplace_back(unit.node);
      port = shared;
      port_pod = unit.old_pod->meta.name.str();
      continue;
    }
    const auto* scheduled = model::find_condition(unit.new_pod->conditions, "PodScheduled");
    if (scheduled == nullptr || scheduled->status != "False") continue;
    const std::string_view said = scheduled->message;
    if (said.find("Insufficient ") == said.npos && said.find("Too many pods") == said.npos)
      continue;
    room_nodes.emplace_back(unit.node);
    room = fmt::format("Pod/{} status.conditions[PodScheduled]: {}", unit.new_pod->meta.name.view(),
                       wording::cut(said));
  }
  std::vector<Finding> findings;
  if (!port_nodes.empty()) {
    findings.push_back(surge_finding(
        c, FindingId::RolloutSurgePort, port_nodes,
        fmt::format("both want host port {}, so maxSurge can never work", port),
        fmt::format("Pod/{} spec.containers[].ports[].hostPort: {}", port_pod, port)));
    findings.back().group = port;
  }
  if (!room_nodes.empty()) {
    findings.push_back(surge_finding(c, FindingId::RolloutSurgeRoom, room_nodes,
                                     "maxSurge needs room for two pods on a node", room));
    findings.back().basis = Basis::Reported;
  }
  return findings;
}

std::optional<Finding> broken_template(const DaemonSetCase& c, const RolloutReplay& replay) {
  if (replay.fresh.empty()) return std::nullopt;
  std::optional<std::string> common;
  for (const model::Pod* pod : replay.fresh) {
    const bool works = is_available(*pod, c.ds.min_ready_seconds, c.facts.now(), c.behaviour);
    const auto fault = works ? std::nullopt : start_fault(c, *pod);
    if (!fault || (common && *common != *fault)) return std::nullopt;
    common = fault;
  }
  Finding finding = finding_of(
      c, FindingId::RolloutNewBroken,
      fmt::format("every pod of the new template ({}) has the same fault: {}",
                  wording::counted(static_cast<std::int64_t>(replay.fresh.size()), "pod"), *common),
      {fmt::format("Pod/{} status.containerStatuses", replay.fresh.front()->meta.name.view())});
  finding.group = *common;
  return finding;
}

/// What holds a rollout that stands still.
std::vector<Finding> sub_reasons(const DaemonSetCase& c, const RolloutReplay& replay) {
  std::vector<Finding> findings;
  if (auto broken = broken_template(c, replay)) findings.push_back(*std::move(broken));
  if (!replay.aborted_by.empty()) {
    findings.push_back(finding_of(
        c, FindingId::RolloutSurge,
        fmt::format("node {} is gone, but an old pod of it is still there: with maxSurge the "
                    "controller gives up every step because of it",
                    replay.aborted_by),
        {fmt::format("Node/{}: not found", replay.aborted_by)}));
  } else if (replay.blocked()) {
    const Names units = unit_texts(c, replay);
    findings.push_back(finding_of(
        c,
        replay.max_surge > 0 ? FindingKind(FindingId::RolloutSurge)
                             : FindingKind(FindingId::RolloutBudget),
        fmt::format("{} is used up by {}: {}; {} to wait", budget_text(replay),
                    wording::counted(static_cast<std::int64_t>(units.size()), "node"),
                    wording::listed(units),
                    replay.waiting == 1 ? "1 old pod has"
                                        : fmt::format("{} old pods have", replay.waiting)),
        {object(c) + " spec.updateStrategy.rollingUpdate: " + budget_text(replay)}));
  }
  return findings;
}

std::string shortfall(const RolloutReplay& replay) {
  return fmt::format("{} of {} still with an older template", replay.outdated,
                     wording::counted(replay.desired, "node"));
}

Finding stuck(const DaemonSetCase& c, const RolloutReplay& replay,
              const std::optional<model::Time>& progress, bool explained) {
  const std::string since =
      progress ? "nothing has moved for " + wording::span(c.facts.now() - *progress)
               : "when it last moved cannot be told";
  std::string message = fmt::format("the rollout stands still: {}, {}", shortfall(replay), since);
  if (!explained) {
    message += replay.units.empty() ? "; the controller is free to replace pods and does not"
                                    : "; not available: " + wording::listed(unit_texts(c, replay));
  }
  Finding finding = finding_of(c, FindingId::RolloutStuck, std::move(message),
                               {"Pods by revision: " + revisions_text(c)});
  if (!progress) finding.basis = Basis::Suspected;
  return finding;
}

Finding paced(const DaemonSetCase& c, const RolloutReplay& replay) {
  std::string message =
      fmt::format("the rollout is under way: {}, {} at a time", shortfall(replay), replay.budget());
  const Names units = unit_texts(c, replay);
  if (!units.empty()) {
    message += fmt::format("; {} in use by {}", budget_text(replay), wording::listed(units));
  }
  const std::int64_t pause = std::clamp<std::int64_t>(c.ds.min_ready_seconds, 0, 1'000'000);
  if (pause > 0 && replay.budget() > 0) {
    const std::int64_t steps = (replay.outdated + replay.budget() - 1) / replay.budget();
    message += fmt::format("; minReadySeconds {} makes that at least {} more", pause,
                           wording::span(std::chrono::seconds(steps * pause)));
  }
  Finding finding =
      finding_of(c, FindingId::RolloutPaced, std::move(message),
                 {object(c) + " spec.updateStrategy", object(c) + " spec.minReadySeconds"});
  finding.standing = Standing::Context;
  finding.transient = true;
  return finding;
}

std::vector<Finding> rolling_findings(const DaemonSetCase& c) {
  const RolloutReplay replay = replay_rollout(c);
  if (replay.outdated == 0) return {};
  const auto progress = last_progress(c, replay);
  const bool moves = progress && *progress + threshold::rollout > c.facts.now();
  std::vector<Finding> findings = self_blocking(c, replay);
  if (moves || (!progress && !replay.blocked())) {
    if (findings.empty()) findings.push_back(paced(c, replay));
    Finding outdated = finding_of(c, FindingId::DriftOutdatedPods,
                                  "pods by revision of the template: " + revisions_text(c),
                                  {fmt::format("Pod metadata.labels[{}]", hash_label)});
    outdated.standing = Standing::Context;
    outdated.transient = true;
    findings.push_back(std::move(outdated));
    return findings;
  }
  if (findings.empty()) findings = sub_reasons(c, replay);
  findings.insert(findings.begin(), stuck(c, replay, progress, !findings.empty()));
  return findings;
}

}  // namespace

std::vector<RevisionCount> revision_counts(const DaemonSetCase& c) {
  // Pods without a hash may be of several templates: then their generation tells them apart.
  std::map<std::pair<std::string_view, bool>, RevisionCount> by_hash;
  for (const auto* list : {&c.claimed.owned, &c.claimed.adoptable}) {
    for (const model::Pod* pod : *list) {
      if (is_terminating(*pod)) continue;
      const model::Text* hash = pod->meta.labels.find(hash_label);
      const bool current = c.revision.is_current(*pod);
      RevisionCount& count = by_hash[{hash ? hash->view() : std::string_view(), current}];
      ++count.pods;
      count.current = current;
    }
  }
  std::vector<RevisionCount> result;
  for (auto& [key, count] : by_hash) {
    count.hash = key.first;
    if (const auto* revision = revision_of(c, count.hash)) count.revision = revision->revision;
    result.push_back(count);
  }
  std::ranges::stable_sort(result, [](const RevisionCount& a, const RevisionCount& b) {
    return std::tuple(!a.current, b.revision) < std::tuple(!b.current, a.revision);
  });
  return result;
}

std::vector<Finding> rollout_findings(const DaemonSetCase& c) {
  const EvaluatedCounts& evaluated = c.report.evaluated;
  const bool known = evaluated.nodes_known && evaluated.pods_known && c.revision.is_known();
  if (!known || c.ds.meta.deleted || c.ds.generation > c.ds.observed_generation) return {};
  if (evaluated.counts.updated_number_scheduled >= evaluated.counts.current_number_scheduled) {
    return {};
  }
  return c.ds.update_strategy == "OnDelete" ? on_delete_findings(c) : rolling_findings(c);
}

}  // namespace dsdoctor::diagnosis
