#include "diagnosis/causes/rollout/rollout_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/causes/creation/new_pods.h"
#include "diagnosis/causes/rollout/broken_revision.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/rollout/rollout_replay.h"

namespace dsdoctor::diagnosis {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view hash_label = "controller-revision-hash";

std::string object(const DaemonSetCase& c) {
  return fmt::format("DaemonSet/{}", c.ds.meta.name.view());
}

Finding finding_of(const DaemonSetCase& c, const FindingKind& kind, std::string message,
                   const Names& lines) {
  std::vector<Evidence> evidence(lines.begin(), lines.end());
  Finding finding = make_said_finding(kind, std::move(message), std::move(evidence), names_of(c));
  finding.standing = Standing::Also;
  finding.basis = Basis::Recomputed;
  return finding;
}

std::string revisions_text(const DaemonSetCase& c) {
  Names parts;
  for (const RevisionCount& count : revision_counts(c)) {
    std::string part = count.hash.empty() ? "without a hash" : count.hash;
    if (count.revision > 0) part += fmt::format(" (revision {})", count.revision);
    parts.push_back(fmt::format("{}{}: {}", part, count.current ? ", current" : "",
                                wording::counted(count.pods, "pod")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// ---- OnDelete ----

Finding on_delete_finding(const DaemonSetCase& c, const RolloutReplay& replay, bool creates_pods) {
  const bool is_silent = c.facts.controller_manager_silence().has_value();
  std::map<std::string, std::string> pods;  // by node
  for (const model::Pod* pod : replay.old) {
    pods.emplace(target_node(*pod)->str(), pod->meta.name.str());
  }
  Names names;
  for (const auto& [node, pod] : pods) names.push_back(fmt::format("{} on {}", pod, node));
  Finding finding = make_said_finding(
      finding::DaemonsetOndeleteOutdated{.new_pods_would_work = creates_pods && !is_silent},
      fmt::format("OnDelete: {} of {} outdated until they are deleted: {}{}", replay.outdated,
                  wording::counted(replay.desired, "pod"), wording::listed(names),
                  is_silent ? "; kube-controller-manager does not renew its lease" : ""),
      {object(c) + " spec.updateStrategy.type: OnDelete", "Pods by revision: " + revisions_text(c)},
      names_of(c, pods.empty() ? std::string_view() : std::string_view(pods.begin()->second)));
  finding.basis = Basis::Recomputed;
  for (const auto& [node, pod] : pods) finding.nodes.push_back(node);
  return finding;
}

// ---- RollingUpdate ----

/// The last recorded progress of the rollout of the current template. That a pod which ended is
/// replaced by its like is none.
model::OptionalTime last_progress(const DaemonSetCase& c, const RolloutReplay& replay) {
  model::OptionalTime latest;
  const auto take = [&](const model::OptionalTime& moment) {
    if (moment && (!latest || *moment > *latest)) latest = moment;
  };
  for (const model::Pod* pod : replay.fresh) {
    if (is_terminal(*pod)) continue;
    take(pod->meta.created);
    const auto ready = model::find_condition(pod->conditions, "Ready");
    if (ready != nullptr && ready->status == "True") take(ready->last_transition);
  }
  for (const model::Pod* pod : c.claimed.owned) {
    if (!is_terminal(*pod)) take(pod->meta.deleted);
  }
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
    case BudgetUse::OldAndNew: why = "an old and a new pod"; break;
    case BudgetUse::NewUnavailable: why = unavailability(c, *unit.new_pod); break;
    case BudgetUse::OldUnavailable: why = "old " + unavailability(c, *unit.old_pod); break;
  }
  const model::Node* node = model::find_node(c.facts.cluster(), unit.node);
  const bool dead = node != nullptr && is_known_not_ready(*node);
  if (dead && why.find("NotReady") == why.npos) why += ", its node is NotReady";
  return fmt::format("{} ({})", unit.node, why);
}

/// Nodes of the budget that are NotReady: they stay so until somebody fixes or removes the node.
std::int64_t dead_units(const DaemonSetCase& c, const RolloutReplay& replay) {
  return std::ranges::count_if(replay.units, [&](const BudgetUnit& unit) {
    const model::Node* node = model::find_node(c.facts.cluster(), unit.node);
    return node != nullptr && is_known_not_ready(*node);
  });
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
                 fmt::format("maxSurge: new pods cannot start next to the old pods on {}: {}",
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
    const auto scheduled = model::find_condition(unit.new_pod->conditions, "PodScheduled");
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
        c, FindingId::RolloutSurgePort, port_nodes, fmt::format("both need host port {}", port),
        fmt::format("Pod/{} spec.containers[].ports[].hostPort: {}", port_pod, port)));
    findings.back().group = port;
  }
  if (!room_nodes.empty()) {
    findings.push_back(surge_finding(c, FindingId::RolloutSurgeRoom, room_nodes,
                                     "two pods do not fit on the node", room));
    findings.back().basis = Basis::Reported;
  }
  return findings;
}

std::optional<Finding> used_budget(const DaemonSetCase& c, const RolloutReplay& replay) {
  if (!replay.aborted_by.empty()) {
    return finding_of(
        c, FindingId::RolloutSurge,
        fmt::format("maxSurge: node {} does not exist, but an old pod on it does: the controller "
                    "aborts every rolling update because of it",
                    replay.aborted_by),
        {fmt::format("Node/{}: not found", replay.aborted_by)});
  }
  if (!replay.blocked()) return std::nullopt;
  const Names units = unit_texts(c, replay);
  return finding_of(
      c,
      replay.max_surge > 0 ? FindingKind(FindingId::RolloutSurge)
                           : FindingKind(FindingId::RolloutBudget),
      fmt::format("{} is used up by {}: {}; {} not updated yet", budget_text(replay),
                  wording::counted(static_cast<std::int64_t>(units.size()), "node"),
                  wording::listed(units), wording::counted(replay.waiting, "old pod")),
      {object(c) + " spec.updateStrategy.rollingUpdate: " + budget_text(replay)});
}

std::string shortfall(const RolloutReplay& replay) {
  // A pod that is terminating is neither up to date nor to be replaced.
  const auto ending = std::ranges::count_if(replay.units, [](const BudgetUnit& unit) {
    return unit.use == BudgetUse::NoPod && unit.terminating != nullptr;
  });
  return fmt::format(
      "{} of {} outdated{}", replay.outdated, wording::counted(replay.desired, "node"),
      ending == 0 ? "" : fmt::format(", {} terminating", wording::counted(ending, "pod")));
}

Finding stuck(const DaemonSetCase& c, const RolloutReplay& replay,
              const model::OptionalTime& progress, bool explained) {
  const std::string since = progress ? "no progress for " + wording::span(c.facts.now() - *progress)
                                     : "time of the last progress unknown";
  std::string message = fmt::format("rolling update is stuck: {}, {}", shortfall(replay), since);
  if (!explained) {
    message += replay.units.empty()
                   ? fmt::format("; {} is not used up, but the controller does not {}",
                                 budget_text(replay),
                                 replay.max_surge > 0 ? "create new pods" : "replace pods")
                   : "; not available: " + wording::listed(unit_texts(c, replay));
  }
  Finding finding =
      finding_of(c, finding::RolloutStuck{.pods_are_unavailable = !replay.units.empty()},
                 std::move(message), {"Pods by revision: " + revisions_text(c)});
  if (!progress) finding.basis = Basis::Suspected;
  return finding;
}

Finding paced(const DaemonSetCase& c, const RolloutReplay& replay) {
  std::string message = fmt::format("rolling update in progress: {}, {} at a time",
                                    shortfall(replay), replay.budget());
  const Names units = unit_texts(c, replay);
  if (!units.empty()) {
    message += fmt::format("; {} in use by {}", budget_text(replay), wording::listed(units));
  }
  const std::int64_t pause = std::clamp<std::int64_t>(c.ds.min_ready_seconds, 0, 1'000'000);
  if (pause > 0 && replay.budget() > 0) {
    const std::int64_t steps = (replay.outdated + replay.budget() - 1) / replay.budget();
    message += fmt::format("; at least {1} more (minReadySeconds {0})", pause,
                           wording::span(std::chrono::seconds(steps * pause)));
  }
  Finding finding =
      finding_of(c, FindingId::RolloutPaced, std::move(message),
                 {object(c) + " spec.updateStrategy", object(c) + " spec.minReadySeconds"});
  finding.standing = Standing::Context;
  finding.transient = true;
  return finding;
}

Finding outdated_pods(const DaemonSetCase& c) {
  Finding finding =
      finding_of(c, FindingId::DriftOutdatedPods, "pods by revision: " + revisions_text(c),
                 {fmt::format("Pod metadata.labels[{}]", hash_label)});
  finding.standing = Standing::Context;
  finding.transient = true;
  return finding;
}

/// All that the controller waits for is that pods which are Ready stay so for minReadySeconds, that
/// others become Ready within the time of their probes, or end.
bool waits_for_pods_on_their_way(const DaemonSetCase& c, const RolloutReplay& replay) {
  const auto is_coming = [&](const BudgetUnit& unit) {
    if (unit.terminating != nullptr) return is_on_its_way(c, *unit.terminating);
    const model::Pod* pod = unit.new_pod != nullptr ? unit.new_pod : unit.old_pod;
    if (pod == nullptr) return false;
    if (!is_ready(*pod)) return is_on_its_way(c, *pod);
    const auto since = model::find_condition(pod->conditions, "Ready")->last_transition;
    const std::int64_t pause = std::clamp<std::int64_t>(c.ds.min_ready_seconds, 0, 1'000'000);
    return since && *since + std::chrono::seconds(pause) > c.facts.now();
  };
  return replay.blocked() && !replay.units.empty() && std::ranges::all_of(replay.units, is_coming);
}

bool is_moving(const DaemonSetCase& c, const RolloutReplay& replay,
               const model::OptionalTime& progress) {
  return (progress && *progress + threshold::rollout > c.facts.now()) ||
         waits_for_pods_on_their_way(c, replay);
}

std::vector<Finding> rolling_findings(const DaemonSetCase& c, const RolloutReplay& replay,
                                      bool creates_pods) {
  const auto progress = last_progress(c, replay);
  const bool moves = is_moving(c, replay, progress);
  std::vector<Finding> findings = self_blocking(c, replay);
  const bool blocks_itself = !findings.empty();
  const auto broken = broken_revision(c, replay);
  if (broken) findings.push_back(*broken);
  if (moves || (!progress && !replay.blocked())) {
    if (replay.blocked() && dead_units(c, replay) >= replay.budget()) {
      if (auto budget = used_budget(c, replay)) findings.push_back(*std::move(budget));
    }
    if (findings.empty()) findings.push_back(paced(c, replay));
    findings.push_back(outdated_pods(c));
    return findings;
  }
  if (!blocks_itself) {
    if (auto budget = used_budget(c, replay)) findings.push_back(*std::move(budget));
  }
  findings.push_back(stuck(c, replay, progress, !findings.empty() || !creates_pods));
  return findings;
}

/// The controller counts eligible nodes only: what is outdated elsewhere is not a rollout's.
bool is_up_to_date_by_status(const model::DaemonSet& ds) {
  return ds.reported.updated_number_scheduled >= ds.reported.desired_number_scheduled;
}

/// Enough is known to tell how far a change of the template is, and the controller has seen it.
bool is_followed(const DaemonSetCase& c) {
  const bool known = c.report.evaluated.pods_known && c.revision.is_known();
  return known && !c.ds.meta.deleted && c.ds.generation <= c.ds.observed_generation &&
         !(c.claimed.owned.empty() && c.claimed.adoptable.empty());
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

bool neglects_rollout(const DaemonSetCase& c, model::Time::duration silence) {
  if (c.ds.update_strategy == "OnDelete" || !is_followed(c)) return false;
  const RolloutReplay replay = replay_rollout(c);
  if (replay.outdated == 0 || replay.blocked()) return false;
  const auto progress = last_progress(c, replay);
  return progress && !is_moving(c, replay, progress) &&
         *progress + threshold::rollout > c.facts.now() - silence;
}

std::vector<Finding> rollout_findings(const DaemonSetCase& c, bool creates_pods) {
  if (!is_followed(c)) return {};
  const RolloutReplay replay = replay_rollout(c);
  if (!c.report.evaluated.nodes_known && is_up_to_date_by_status(c.ds)) return {};
  if (c.ds.update_strategy != "OnDelete" && replay.outdated > 0) {
    return rolling_findings(c, replay, creates_pods);
  }
  std::vector<Finding> findings;
  if (auto broken = broken_revision(c, replay)) findings.push_back(*std::move(broken));
  if (c.ds.update_strategy == "OnDelete" && replay.outdated > 0) {
    findings.push_back(on_delete_finding(c, replay, creates_pods && new_pods_work(c, replay)));
  }
  return findings;
}

}  // namespace dsdoctor::diagnosis
