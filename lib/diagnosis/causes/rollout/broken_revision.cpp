// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/rollout/broken_revision.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/causes/creation/new_pods.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

/// The pods of the newest revision, with the failing ones grouped by problem.
struct NewestPods {
  std::map<StartFault, std::vector<const model::Pod*>> faulty;
  std::int64_t available = 0;
  std::int64_t all = 0;
};

NewestPods newest_pods(const DaemonSetCase& c, const RolloutReplay& replay) {
  NewestPods result;
  for (const model::Pod* pod : replay.fresh) {
    ++result.all;
    if (const auto fault = start_fault(c, *pod)) {
      result.faulty[*fault].push_back(pod);
    } else if (is_available(*pod, c.ds.min_ready_seconds, c.facts.now(), c.behaviour)) {
      ++result.available;
    }
  }
  return result;
}

/// Number of available pods of older revisions, and of all older pods.
std::pair<std::int64_t, std::int64_t> older_pods(const DaemonSetCase& c) {
  std::int64_t available = 0;
  std::int64_t all = 0;
  for (const model::Pod* pod : c.claimed.owned) {
    if (!is_live(*pod) || c.revision.is_current(*pod)) continue;
    ++all;
    available += is_available(*pod, c.ds.min_ready_seconds, c.facts.now(), c.behaviour) ? 1 : 0;
  }
  return {available, all};
}

bool an_older_pod_has(const DaemonSetCase& c, const StartFault& fault) {
  return std::ranges::any_of(c.claimed.owned, [&](const model::Pod* pod) {
    return is_live(*pod) && !c.revision.is_current(*pod) && start_fault(c, *pod) == fault;
  });
}

/// True if the current template is younger than an hour and an older revision exists to roll back
/// to.
bool changed_lately(const DaemonSetCase& c) {
  const model::ControllerRevision* current = revision_of(c, c.revision.hash());
  if (current == nullptr || !current->meta.created ||
      c.facts.now() - *current->meta.created > threshold::events) {
    return false;
  }
  return std::ranges::any_of(c.facts.cluster().revisions, [&](const auto& other) {
    const auto& owner = other.meta.controller;
    return other.meta.ns == c.ds.meta.ns && owner && owner->name == c.ds.meta.name &&
           other.revision < current->revision;
  });
}

/// The primary finding about the pod on its node, or null.
const Finding* cause_where(const DaemonSetCase& c, const model::Pod& pod) {
  const model::Text* node = target_node(pod);
  if (node == nullptr) return nullptr;
  for (const NodeReport& report : c.report.nodes) {
    if (report.name != *node) continue;
    const auto& findings = report.findings();
    const bool has_one = !findings.empty() && findings.front().standing == Standing::Primary;
    return has_one ? &findings.front() : nullptr;
  }
  return nullptr;
}

/// Phrase for the share of the newest pods that fail.
Message share_of(std::int64_t failing, std::int64_t all) {
  if (all == 1) return phrase::TheOnlyPod{};
  if (failing == all) return phrase::AllOfThePods{.pods = all};
  return phrase::SomeOfThePods{.failing = failing, .pods = all};
}

Evidence evidence_of(const StartFault& fault, const model::Pod& pod) {
  if (fault.container.empty()) return {ref_of(pod), "status.reason", fault.reason};
  for (const auto* statuses : {&pod.init_statuses, &pod.statuses}) {
    const auto status = model::find_status(*statuses, fault.container);
    if (status == nullptr) continue;
    if (fault.stays_unready) return status_evidence(pod, *status, "ready", "false");
    if (status->waiting) return waiting_evidence(pod, *status);
    return status_evidence(pod, *status, "restartCount", std::to_string(status->restart_count));
  }
  return {ref_of(pod), "status.phase", pod.phase.str()};
}

}  // namespace

std::optional<Finding> broken_revision(const DaemonSetCase& c, const RolloutReplay& replay) {
  const NewestPods newest = newest_pods(c, replay);
  if (newest.faulty.empty()) return std::nullopt;
  const auto worst = std::ranges::max_element(
      newest.faulty, {}, [](const auto& entry) { return entry.second.size(); });
  const auto& [fault, pods] = *worst;
  // If most of the new pods work, the nodes are the difference.
  const bool most_work = std::ssize(pods) <= newest.available;
  if (most_work || an_older_pod_has(c, fault)) return std::nullopt;
  const auto [available, older] = older_pods(c);
  if (older == 0 && !changed_lately(c)) return std::nullopt;
  const model::Pod& first = *pods.front();
  const Finding* cause = cause_where(c, first);
  if (cause != nullptr && cause->transient) return std::nullopt;
  Finding finding = make_finding(
      finding::RolloutNewBroken{
          .available = available,
          .cause = cause == nullptr ? std::nullopt : std::optional(cause->message),
          .fault = message_of(fault),
          .older = older == 0 ? std::nullopt : std::optional(older),
          .one_is_available = available == 1,
          .only_deletion_replaces_pods = c.ds.update_strategy == "OnDelete",
          .share = share_of(std::ssize(pods), newest.all)},
      {evidence_of(fault, first)}, names_of(c, first.meta.name));
  finding.standing = Standing::Also;
  finding.basis = Basis::Recomputed;
  finding.group = fmt::format("{}/{}", fault.reason, fault.container);
  for (const model::Pod* pod : pods) {
    if (const model::Text* node = target_node(*pod)) finding.nodes.push_back(node->str());
  }
  return finding;
}

bool new_pods_work(const DaemonSetCase& c, const RolloutReplay& replay) {
  const auto is_well = [&](const model::Pod* pod) {
    return is_available(*pod, c.ds.min_ready_seconds, c.facts.now(), c.behaviour);
  };
  const auto fails = [&](const model::Pod* pod) {
    if (is_well(pod) || on_unready_node(c, *pod)) return false;
    const Finding* cause = cause_where(c, *pod);
    if (cause != nullptr && !cause->transient && cause->severity < Severity::Warning) return true;
    const auto patience = is_bound(*pod) ? threshold::creating : threshold::pending;
    return start_fault(c, *pod) || is_terminal(*pod) ||
           (!is_on_its_way(c, *pod) && !is_ready(*pod) &&
            is_older(pod->meta.created, patience, c.facts.now()));
  };
  const auto failing = std::ranges::count_if(replay.fresh, fails);
  return failing == 0 || failing < std::ranges::count_if(replay.fresh, is_well);
}

const model::ControllerRevision* revision_of(const DaemonSetCase& c, std::string_view hash) {
  const auto& revisions = c.facts.cluster().revisions;
  const auto at = std::ranges::find_if(revisions, [&](const model::ControllerRevision& revision) {
    const model::Text* label = revision.meta.labels.find("controller-revision-hash");
    const auto& owner = revision.meta.controller;
    return revision.meta.ns == c.ds.meta.ns && label != nullptr && *label == hash && owner &&
           owner->name == c.ds.meta.name;
  });
  return hash.empty() || at == revisions.end() ? nullptr : &*at;
}

}  // namespace dsdoctor::diagnosis
